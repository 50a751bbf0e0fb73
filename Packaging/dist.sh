#!/bin/sh
# Makes the program archive, the source archive and the Homebrew formula of a release: dist.sh ATSCOPE FOLDER
# The same sources and tools give the same archives: all times are that of the last commit, names are sorted, owners are root.
set -eu

program=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
python=${PYTHON:-python3}
version=$("$program" --version | sed -n 's/^atscope \([^ ]*\).*/\1/p')
system=$(uname -s | tr '[:upper:]' '[:lower:]')
name="atscope-$version-$system-$(uname -m)"
source="atscope-$version-source"
moment=$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$folder"
LICENSES_REQUIRED=1 "$here/install.sh" "$program" "$stage/$name"
# The bill of materials: the commit, the compiler and the linked libraries.
"$python" "$here/sbom.py" "$program" "$version" >"$stage/$name/sbom.cdx.json"
"$python" "$here/archive.py" "$stage/$name" "$folder/$name.tar.gz" "$moment"
files="$name.tar.gz"

# The source archive contains the committed files, which are enough to build, test and install.
if git -C "$root" rev-parse HEAD >/dev/null 2>&1; then
  mkdir "$stage/$source"
  git -C "$root" archive --format=tar HEAD | tar -C "$stage/$source" -xf -
  "$python" "$here/archive.py" "$stage/$source" "$folder/$source.tar.gz" "$moment"
  files="$files $source.tar.gz"
else
  echo "dist: skipped the source archive: this is not a git checkout" >&2
fi
cd "$folder"
# Archive names contain no spaces.
# shellcheck disable=SC2086
if command -v sha256sum >/dev/null 2>&1; then sha256sum $files >SHA256SUMS; else shasum -a 256 $files >SHA256SUMS; fi
# The source archive contains the formula, so that the committed formula cannot have its digest.
digest=$(sed -n "s/ .*-source.tar.gz$//p" SHA256SUMS)
[ -z "$digest" ] || sed "s/^  sha256 .*/  sha256 \"$digest\"/" "$here/atscope.rb" >atscope.rb
for file in $files; do echo "dist: $folder/$file"; done
