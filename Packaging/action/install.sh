#!/bin/sh
# Installs a released archive: install.sh VERSION SHA256 ADDRESS FOLDER
# Unpacks the archive only if its checksum matches. ADDRESS is the URL of the folder with the release's files; file:// works too.
set -eu

if [ $# -ne 4 ]; then
  sed -n '2,3s/^# //p' "$0" >&2
  exit 64
fi
version=$1
sha256=$2
address=$3
folder=$4
system=$(uname -s | tr '[:upper:]' '[:lower:]')
name=atscope-$version-$system-$(uname -m)

mkdir -p "$folder"
curl --fail --silent --show-error --location --retry 3 --output "$folder/$name.tar.gz" "$address/$name.tar.gz"
if command -v sha256sum >/dev/null 2>&1; then sum=$(sha256sum "$folder/$name.tar.gz"); else sum=$(shasum -a 256 "$folder/$name.tar.gz"); fi
if [ "${sum%% *}" != "$sha256" ]; then
  rm -f "$folder/$name.tar.gz"
  echo "atscope: $name.tar.gz has SHA-256 ${sum%% *}, not $sha256; nothing was installed" >&2
  exit 1
fi
tar -C "$folder" -xzf "$folder/$name.tar.gz"
rm "$folder/$name.tar.gz"
"$folder/$name/bin/atscope" --version
# Adds the program to PATH for the following steps.
[ -z "${GITHUB_PATH:-}" ] || echo "$folder/$name/bin" >>"$GITHUB_PATH"
