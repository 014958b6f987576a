#!/usr/bin/env bash
# Builds the image with buildah, podman or docker, the first of them that is installed: npm run image -- [BASE] [TAG]
# BASE is the image to build on, by digest for a release. The SBOM is written to sbom.cdx.json, and into the image.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH
version=$(node -p 'JSON.parse(require("fs").readFileSync("package.json", "utf8")).version')
base=${1:-docker.io/library/debian:12-slim}
tag=${2:-localhost/campanile:$version}
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

npm pack --pack-destination "$context"
mkdir "$context/opt"
echo '{ "private": true }' > "$context/opt/package.json"
(cd "$context/opt" && npm install --no-audit --no-fund "$context"/campanile-*.tgz)
# Where npm leaves it to the first start, nobody may write there any more.
chmod -R a+rX "$context/opt"
node release/write-sbom.ts sbom.cdx.json
cp sbom.cdx.json "$context/opt/sbom.cdx.json"

for builder in buildah podman docker; do
  command -v "$builder" > /dev/null || continue
  # Where a container cannot have a namespace of its own, a changed root has to do. The other format knows no health check.
  [ "$builder" = docker ] || options=(--isolation "${ISOLATION:-chroot}" --format docker)
  "$builder" build ${options[@]+"${options[@]}"} --build-arg "BASE=$base" --tag "$tag" --file deploy/Containerfile "$context"
  exit
done
echo 'An image needs buildah, podman or docker: none is here.' >&2
exit 1
