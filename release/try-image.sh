#!/usr/bin/env bash
# Builds the image on a root file system of Debian's own packages, and does the main job in it as the user it is for: for machines that
# reach no registry of images, as root. Needs buildah and debootstrap, and says so.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH
for program in buildah debootstrap; do
  command -v "$program" > /dev/null || { echo "The image was not tried: $program is not here." >&2; exit 1; }
done
work=$(mktemp -d)
port=${PORT:-3947}
trap 'kill "${running:-}" 2> /dev/null || true; rm -rf "$work"' EXIT

root=${ROOT_FOLDER:-$work/root}
[ -e "$root/bin" ] || debootstrap --variant=minbase --include=libatomic1 bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}"
base=$(buildah from scratch)
buildah add --quiet "$base" "$root" /
buildah commit --quiet --rm "$base" localhost/campanile-base > /dev/null
release/build-image.sh localhost/campanile-base localhost/campanile:trial
buildah inspect --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.StopSignal}} {{.OCIv1.Config.Volumes}} {{.Docker.Config.Healthcheck}}' --type image localhost/campanile:trial

trial=$(buildah from localhost/campanile:trial)
buildah run --isolation chroot --user 65532:65532 --env "PORT=$port" "$trial" -- \
  node node_modules/campanile/bin/campanile.mjs serve > "$work/log" 2>&1 &
running=$!
for _ in $(seq 60); do
  grep -q 'listening on' "$work/log" && break
  kill -0 "$running" 2> /dev/null || break
  sleep 1
done
cat "$work/log"
BASE="http://127.0.0.1:$port" node examples/announce.ts chess
kill -TERM "$running"
wait "$running" || true
buildah rm "$trial" > /dev/null
echo 'The image did the main job.'
