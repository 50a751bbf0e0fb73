#!/bin/sh
# Prints the licences of everything that is linked into the program, one after another: licenses.sh
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
heading() { printf '\n%s\n%s\n\n' "$1" "========================================================================"; }
show() {
  [ -f "$2" ] || return 0
  heading "$1"
  cat "$2"
}

show "atscope" "$root/LICENSE"
for package in swift-argument-parser swift-asn1 swift-collections swift-crypto; do
  for file in LICENSE.txt NOTICE.txt; do show "$package ($file)" "$root/.build/checkouts/$package/$file"; done
done
# swift-crypto contains a copy of BoringSSL, whose licence is in its files.
boringssl="$root/.build/checkouts/swift-crypto/Sources/CCryptoBoringSSL/crypto/crypto.cc"
if [ -f "$boringssl" ]; then
  heading "BoringSSL (in swift-crypto)"
  sed -n '/^\/\/ Copyright/,/^$/p' "$boringssl" | sed 's|^// \{0,1\}||'
fi
swift=$(command -v "${SWIFT:-swift}" || true)
[ -z "$swift" ] || show "Swift runtime and standard library" "$(dirname "$swift")/../share/swift/LICENSE.txt"
# Debian keeps the licences of the C libraries, whose static archives are linked on Linux, with their packages.
for package in zlib1g-dev liblzma-dev libzstd-dev libarchive-dev liblz4-dev libbz2-dev libbrotli-dev libpcap0.8-dev libexpat1-dev; do
  show "$package" "/usr/share/doc/$package/copyright"
done
for file in /usr/share/doc/libstdc++-*-dev/copyright; do show "GCC runtime libraries (libstdc++, libgcc)" "$file"; done
