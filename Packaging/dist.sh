#!/bin/sh
# Makes the archive of a release: dist.sh ATSCOPE FOLDER
# The same sources and tools give the same archive: times are those of the last commit, names sorted, owners nobody.
set -eu

program=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
version=$("$program" --version | sed -n 's/^atscope \([^ ]*\).*/\1/p')
system=$(uname -s | tr '[:upper:]' '[:lower:]')
name="atscope-$version-$system-$(uname -m)"
stage="$folder/$name"

rm -rf "$stage"
mkdir -p "$stage"
"$here/install.sh" "$program" "$stage"
cp "$root/README.md" "$root/CHANGELOG.md" "$root/LICENSE" "$stage/"

# What it was made from: the commit, the compiler, and what is linked.
python3 "$here/sbom.py" "$program" "$version" >"$stage/sbom.cdx.json"

if command -v strip >/dev/null 2>&1; then strip --remove-section=.comment "$stage/bin/atscope" || true; fi
moment=$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)
tar --sort=name --mtime="@$moment" --owner=0 --group=0 --numeric-owner -C "$folder" -cf - "$name" 2>/dev/null |
  gzip -n -9 >"$folder/$name.tar.gz" ||
  tar -C "$folder" -czf "$folder/$name.tar.gz" "$name"
rm -rf "$stage"
cd "$folder"
if command -v sha256sum >/dev/null 2>&1; then sha256sum "$name.tar.gz" >SHA256SUMS; else shasum -a 256 "$name.tar.gz" >SHA256SUMS; fi
echo "dist: $folder/$name.tar.gz"
