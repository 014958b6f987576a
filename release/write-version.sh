#!/usr/bin/env bash
# Writes the version of package.json and wherever else it stands: release/write-version.sh 1.2.3, as release.sh does, or 1.3.0-dev, which
# begins the next version after a release. A test compares all of them with package.json.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?release/write-version.sh VERSION, such as 1.3.0-dev}

for package in . clients/typescript; do (cd $package && npm version --no-git-tag-version --allow-same-version "$version" > /dev/null); done
# As PEP 440 writes it.
sed -i "s/^version = .*/version = \"${version/-dev/.dev0}\"/" clients/python/pyproject.toml
[ ! -e clients/typescript/README.md ] ||
  sed -i -E "s|campanile-client-[0-9][^ ]*\.tgz|campanile-client-$version.tgz|" clients/typescript/README.md
[ ! -e README.md ] || sed -i "s/^Status: .*\. Report bugs/Status: $version. Report bugs/" README.md
git grep --files-with-matches --null 'localhost/campanile:[0-9]' -- deploy |
  xargs --null --no-run-if-empty sed -i -E "s|localhost/campanile:[0-9][^ ]*|localhost/campanile:$version|"
if [[ $version == *-dev ]]; then
  next=${version%-dev}
  grep -q "^## \[$next\] - " CHANGELOG.md || sed -i "0,/^## \[/s//## [$next] - Unreleased\n\n&/" CHANGELOG.md
  changes=docs/reference/api-changes.md
  [ ! -e $changes ] || grep -q "^### $next, " $changes || sed -i "0,/^### /s//### $next, not released yet\n\n&/" $changes
fi
