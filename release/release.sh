#!/usr/bin/env bash
# Makes a release: npm run release -- VERSION [BASE]. It publishes nothing: its files are in release/out, and its last lines list the
# remaining steps.
#   REPOSITORY  the https address of the public repository. It replaces the one placeholder, https://REPOSITORY.invalid/campanile, in
#               every file. Without it the placeholder stays.
#   BASE        the base of the image by digest. Without it no image is built.
# Steps:
#   1. rejects a work tree that is not clean, a branch other than main, an existing tag, and a CHANGELOG.md without "Unreleased"
#   2. writes the version, the address, and the version of the WhatsApp client that is published today (without a network it stays), runs
#      the checks and the tests, keeps data that this version writes as a fixture of the upgrade test, commits and tags. A failure restores
#      everything
#   3. makes the tarball, the SBOM, the image, and SHA256SUMS
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH
version=${1:?release/release.sh VERSION [BASE], such as 1.2.3}
base=${2:-}
repository=${REPOSITORY:-}
repository=${repository%.git}
placeholder=https://REPOSITORY.invalid/campanile
out=release/out
today=$(date -u +%F)

stop() { echo "No release was made: $1." >&2; exit 1; }
step() { echo "release: $1 (after ${SECONDS} s)"; }
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || stop "$version is no version such as 1.2.3"
[ -z "$(git status --porcelain)" ] || stop 'the work tree is not clean'
[ "$(git branch --show-current)" = main ] || stop 'this is not the branch main'
git rev-parse --quiet --verify "refs/tags/v$version" > /dev/null && stop "the tag v$version is there already"
grep -q "^## \[.*\] - Unreleased$" CHANGELOG.md || stop 'CHANGELOG.md has nothing under "Unreleased"'
[[ $repository =~ ^(https://[^[:space:]\|]+)?$ ]] || stop 'REPOSITORY has to be an https address'
holidays=web/compose/public-holidays.json
if [ -e $holidays ]; then
  last_year=$(sed -n 's/^  "lastYear": \([0-9]*\),$/\1/p' $holidays)
  ((last_year >= ${today%%-*} + 2)) || stop "$holidays ends too early: see scripts/write-public-holidays.ts"
fi
if [ -n "$base" ]; then
  [[ $base == *@sha256:* ]] || stop 'the base of the image has to be named by its digest'
  command -v buildah > /dev/null || stop 'the image needs buildah, which is not here'
fi

fixture=test/upgrade/fixtures/$version
[ ! -e "$fixture" ] || stop "$fixture exists already"
trap 'git reset --quiet --hard HEAD; rm -rf "$fixture"; echo "No release was made, and all is as it was." >&2' EXIT
step 'write the version'
sed -i "s/^## \[.*\] - Unreleased$/## [$version] - $today/" CHANGELOG.md
[ ! -e docs/reference/api-changes.md ] || sed -i "s/^### .*, not released yet$/### $version, $today/" docs/reference/api-changes.md
release/write-version.sh "$version"
if [ -n "$repository" ]; then
  git grep --files-with-matches --null --fixed-strings "$placeholder" -- ':!release' ':!test' |
    xargs --null --no-run-if-empty sed -i "s|$placeholder|$repository|g"
fi
step 'pin the version of the WhatsApp client'
node release/pin-client-version.ts
step 'check'
npm run check
node scripts/check-signatures.ts
step 'test'
npm test
step 'write the fixture of the upgrade test, and upgrade from it'
node scripts/make-upgrade-fixture.ts
npm run test:upgrade
git add --all
git commit --quiet --message "Release $version"
trap - EXIT
git tag --annotate "v$version" --message "Campanile $version"

step 'pack'
rm -rf "$out"
mkdir -p "$out"
npm pack --pack-destination "$out"
npm pack ./clients/typescript --pack-destination "$out"
python3 clients/python/build_backend.py "$out"
node release/write-sbom.ts "$out/campanile-$version.sbom.cdx.json"
if [ -n "$base" ]; then
  step 'build the image'
  release/build-image.sh "$base" "localhost/campanile:$version"
  image=$out/campanile-$version.image.tar
  buildah push "localhost/campanile:$version" "docker-archive:$image:campanile:$version"
  gzip "$image"
else
  echo 'No image was made: name its base by digest, docker.io/library/debian@sha256:…'
fi
(cd "$out" && sha256sum -- * > SHA256SUMS && cat SHA256SUMS)
[ -n "$repository" ] || echo "REPOSITORY is not set: the files name $placeholder."
cat << END

Campanile $version is in $out (after ${SECONDS} s). Look at it, then:
  git push --follow-tags
  attach the files of $out to the release v$version of ${repository:-the repository}
  release/write-version.sh NEXT-dev, and commit: that begins the next version
END
