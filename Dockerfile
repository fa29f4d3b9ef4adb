# An example: no test of ours builds it.
#
#   docker build --build-arg COMMIT=$(git rev-parse HEAD) -t poolproof .
#   docker run --rm -v /var/lib/poolproof:/var/lib/poolproof poolproof poolproof-nightly 2025-03-03
# For builds that repeat name both images by their digests: golang:1.26-trixie@sha256:...
FROM golang:1.26-trixie AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
# .dockerignore leaves the repository out, so the commit is told by its name.
ARG COMMIT=
ARG DATE=
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    command=poolproof/cmd/poolproof/command && \
    go build -trimpath -ldflags "-s -w -X $command.buildCommit=$COMMIT -X $command.buildDate=$DATE" -o /out/poolproof ./cmd/poolproof

# The nightly job is a shell script with GNU date, awk and flock; the program needs libstdc++.
FROM debian:trixie-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libstdc++6 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 65532 --user-group --no-create-home --home-dir /var/lib/poolproof poolproof \
 && install -d -o poolproof -g poolproof /var/lib/poolproof
COPY --from=build /out/poolproof /usr/local/bin/
COPY --chmod=755 cmd/poolproof/packaging/poolproof-nightly /usr/local/bin/
COPY LICENSE THIRD_PARTY_LICENSES /usr/share/doc/poolproof/
USER 65532:65532
WORKDIR /var/lib/poolproof
CMD ["poolproof", "help"]
