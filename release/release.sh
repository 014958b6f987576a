#!/usr/bin/env bash
# Makes a release: release/release.sh VERSION [BASE]. REPOSITORY, if set, is the https address of the public repository, which package.json
# then names. It publishes nothing: what it has made lies in release/out, and its last words
# say what is left to do by hand.
#   1. refuses what is not clean, not on main, or has no line in CHANGELOG.md
#   2. gives package.json and CHANGELOG.md the version, runs the checks and the tests, keeps a piece of the data that this version
#      writes for the upgrades to come, commits and tags; what fails of that takes all of it back
#   3. makes the tarball, the image (BASE by digest), the bill of materials, and a sum of each
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH
version=${1:?release/release.sh VERSION [BASE], such as 1.2.3}
base=${2:-}
out=release/out

stop() { echo "No release was made: $1." >&2; exit 1; }
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || stop "$version is no version such as 1.2.3"
[ -z "$(git status --porcelain)" ] || stop 'the work tree is not clean'
[ "$(git branch --show-current)" = main ] || stop 'this is not the branch main'
git rev-parse --quiet --verify "refs/tags/v$version" > /dev/null && stop "the tag v$version is there already"
grep -q "^## \[.*\] - Unreleased$" CHANGELOG.md || stop 'CHANGELOG.md has nothing under "Unreleased"'
if [ -n "$base" ]; then
  [[ $base == *@sha256:* ]] || stop 'the base of the image has to be named by its digest'
  command -v buildah > /dev/null || stop 'the image needs buildah, which is not here'
fi

changed=(CHANGELOG.md package.json package-lock.json clients/typescript/package.json clients/python/pyproject.toml)
fixture=test/upgrade/fixtures/$version
trap 'git checkout --quiet HEAD -- "${changed[@]}"; rm -rf "$fixture"; echo "No release was made, and all is as it was." >&2' EXIT
sed -i "s/^## \[.*\] - Unreleased$/## [$version] - $(date -u +%F)/" CHANGELOG.md
if [ -n "${REPOSITORY:-}" ]; then sed -i "s#https://REPOSITORY.invalid/campanile#${REPOSITORY%.git}#" package.json clients/typescript/package.json; fi
for package in . clients/typescript; do (cd $package && npm version --no-git-tag-version --allow-same-version "$version" > /dev/null); done
sed -i "s/^version = .*/version = \"$version\"/" clients/python/pyproject.toml
npm run check
node scripts/check-signatures.ts
npm test
node scripts/make-upgrade-fixture.ts
git add "$fixture"
git commit --quiet --message "Release $version" -- "${changed[@]}" "$fixture"
trap - EXIT
git tag --annotate "v$version" --message "Campanile $version"

rm -rf "$out"
mkdir -p "$out"
npm pack --pack-destination "$out"
npm pack ./clients/typescript --pack-destination "$out"
python3 clients/python/build_backend.py "$out"
npm sbom --package-lock-only --omit dev --sbom-format cyclonedx > "$out/campanile-$version.sbom.cdx.json"
if [ -n "$base" ]; then
  release/build-image.sh "$base" "localhost/campanile:$version"
  image=$out/campanile-$version.image.tar
  buildah push "localhost/campanile:$version" "docker-archive:$image:campanile:$version"
  gzip "$image"
else
  echo 'No image was made: name its base by digest, docker.io/library/debian@sha256:…'
fi
(cd "$out" && sha256sum -- * > SHA256SUMS && cat SHA256SUMS)
cat << END

Campanile $version is in $out. What is left, when you have looked at it:
  git push --follow-tags
  npm publish $out/campanile-$version.tgz
  npm publish $out/campanile-client-$version.tgz
  twine upload $out/campanile_client-$version*
END
