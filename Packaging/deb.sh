#!/bin/sh
# Makes a Debian package of the program: deb.sh ATSCOPE FOLDER
# The same program and sources give the same bytes: all times are that of the last commit.
set -eu

program=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
version=$("$program" --version | sed -n 's/^atscope \([^ ]*\).*/\1/p')
architecture=$(dpkg --print-architecture)
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
LICENSES_REQUIRED=1 "$here/install.sh" "$program" "$stage/usr"
mkdir -p "$stage/usr/share/zsh/vendor-completions" "$stage/usr/share/lintian/overrides" "$stage/DEBIAN"
mv "$stage/usr/share/zsh/site-functions/_atscope" "$stage/usr/share/zsh/vendor-completions/_atscope"
rmdir "$stage/usr/share/zsh/site-functions"
gzip -n -9 "$stage/usr/share/man/man1/atscope.1"
# The shell sources this file, so that it needs no #! line.
sed -i '1{/^#!/d}' "$stage/usr/share/bash-completion/completions/atscope"
rm "$stage/usr/share/doc/atscope/LICENSE" "$stage/usr/share/doc/atscope/CHANGELOG.md"

documents="$stage/usr/share/doc/atscope"
{
  printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: atscope\n\n'
  printf 'Files: *\nCopyright: 2026 the atscope authors\nLicense: Apache-2.0\n'
  printf ' On Debian systems the text of the license is in /usr/share/common-licenses/Apache-2.0.\n'
  printf ' The licenses of the libraries that are linked in are in LICENSES.txt.gz in this folder.\n'
} >"$documents/copyright"
gzip -n -9 "$documents/LICENSES.txt"
date=$(date -u -R -d "@$SOURCE_DATE_EPOCH")
printf 'atscope (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- atscope maintainers <maintainers@atscope.example>  %s\n' \
  "$version" "$date" | gzip -n -9 >"$documents/changelog.gz"
gzip -n -9 -c "$root/CHANGELOG.md" >"$documents/CHANGELOG.md.gz"

# The newest glibc symbol version that the program uses is the glibc it depends on. Other shared libraries would be further dependencies.
glibc=$(objdump -T "$stage/usr/bin/atscope" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 | cut -d _ -f 2)
others=$(objdump -p "$stage/usr/bin/atscope" | awk '$1 == "NEEDED" && $2 !~ /^(libc|libm|ld-linux.*)\.so/ { print $2 }')
if [ -n "$others" ]; then
  echo "deb: the program needs shared libraries that the package does not depend on:" $others >&2
  exit 1
fi
cat >"$stage/DEBIAN/control" <<END
Package: atscope
Version: $version
Architecture: $architecture
Maintainer: atscope maintainers <maintainers@atscope.example>
Section: net
Priority: optional
Depends: libc6 (>= $glibc)
Installed-Size: $(du -sk "$stage/usr" | cut -f 1)
Homepage: https://atscope.example/
Description: judges packet captures against App Transport Security
 atscope reads packet captures offline and reports for every TLS, QUIC and
 cleartext HTTP session whether Apple's App Transport Security (ATS) would
 allow it, why not, and which change fixes it, with the frames that prove it.
END
# Libraries are linked in on purpose, so that the program runs on any system with this glibc.
cat >"$stage/usr/share/lintian/overrides/atscope" <<END
atscope: embedded-library *
END
(cd "$stage" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k 2 >DEBIAN/md5sums)
chmod -R u=rwX,go=rX "$stage"
find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$folder"
package="$folder/atscope_${version}_$architecture.deb"
dpkg-deb --root-owner-group --build "$stage" "$package" >/dev/null
echo "deb: $package"
