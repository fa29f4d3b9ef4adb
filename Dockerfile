# An example: no test of ours builds it.
#
#   docker build --build-arg COMMIT=$(git rev-parse HEAD) -t poolproof .
#   docker run --rm -v /var/lib/poolproof:/var/lib/poolproof poolproof poolproof-nightly 2025-03-03
# Images are pinned by the digests of their indexes; docker buildx imagetools inspect IMAGE:TAG prints the newest.
FROM golang:1.26.8-trixie@sha256:771f3162219f7a66bb6be3fea1ba31f418932946a99ad9eac26ffd555dfcf393 AS build
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
FROM debian:trixie-slim@sha256:3a39a0592364683e6bab97937b72cad5a8fa6dcbbee90edb3bb48c7f8e94f258
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
