#!/bin/sh
# dist.sh DIRECTORY: a stripped binary with all that is installed beside it, as
# DIRECTORY/poolproof-VERSION-OS-ARCH.tar.gz and .sha256. One commit gives the same bytes
# with the same Go, C compiler and tar, in whatever folder. COMMIT and DATE
# (2025-03-03T08:00:00Z) say what the sources are where git does not.
set -eu
packaging=cmd/poolproof/packaging
command=cmd/poolproof/command
out=$1
version=$(sed -n 's/^const version = "\(.*\)"$/\1/p' $command/version.go)
name=poolproof-$version-$(go env GOOS)-$(go env GOARCH)
root=$out/$name
commit=${COMMIT:-$(git rev-parse HEAD)}
date=${DATE:-$(TZ=UTC0 git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)}
modified=
if [ -z "${COMMIT:-}" ] && [ -n "$(git status --porcelain)" ]; then
  modified=true
  echo "dist: the sources differ from commit $commit" >&2
fi

rm -rf "$root" "$out/$name.tar.gz" "$out/$name.tar.gz.sha256"
umask 022
mkdir -p "$root/bin" "$root/share/bash-completion/completions" "$root/share/zsh/site-functions" \
  "$root/share/fish/vendor_completions.d" "$root/share/man/man1" "$root/share/doc/poolproof" "$root/lib/systemd/system"

# Not of -buildvcs: it sees clones and no worktrees.
go build -trimpath -buildvcs=false \
  -ldflags "-s -w -X poolproof/$command.buildCommit=$commit -X poolproof/$command.buildDate=$date -X poolproof/$command.buildModified=$modified" \
  -o "$root/bin/poolproof" ./cmd/poolproof
"$root/bin/poolproof" completion bash > "$root/share/bash-completion/completions/poolproof"
"$root/bin/poolproof" completion zsh > "$root/share/zsh/site-functions/_poolproof"
"$root/bin/poolproof" completion fish > "$root/share/fish/vendor_completions.d/poolproof.fish"
"$root/bin/poolproof" man > "$root/share/man/man1/poolproof.1"
install -m 755 $packaging/poolproof-nightly "$root/bin/"
install -m 644 $packaging/poolproof.service $packaging/poolproof.timer "$root/lib/systemd/system/"
install -m 644 README.md SECURITY.md CHANGELOG.md LICENSE THIRD_PARTY_LICENSES audit/NIGHTLY.md audit/ALERTS.md "$root/share/doc/poolproof/"

tar --sort=name --format=ustar --mtime="$date" --owner=0 --group=0 --numeric-owner --mode=go-w \
  -C "$out" -cf - "$name" | gzip -9 -n > "$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
rm -rf "$root"
echo "$out/$name.tar.gz"
