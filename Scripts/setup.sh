#!/bin/sh
# Installs missing system libraries and tools for building and testing: setup.sh [--check] [--packages]
#
#   --check      only reports what is missing, with status 1
#   --packages   includes what `make package-check` needs (Debian)
#
# Needs no network if nothing is missing.
set -eu

check=
packages=
for argument in "$@"; do
  case $argument in
  --check) check=1 ;;
  --packages) packages=1 ;;
  *)
    echo "setup: unknown option $argument; the options are --check and --packages" >&2
    exit 64
    ;;
  esac
done

need=""
want() { need="$need $1"; }
# The Swift toolchain includes clang, which is used if there is no other C compiler.
compiler=$(command -v "${CC:-cc}" || command -v clang || echo cc)
header() { printf '#include <%s>\n' "$1" | "$compiler" -E - >/dev/null 2>&1; }
tool() { command -v "$1" >/dev/null 2>&1; }

if ! tool swift; then
  echo "setup: swift is missing; install Swift 6.2 or later from https://www.swift.org/install" >&2
  exit 1
fi

case "$(uname -s)" in
Darwin)
  # The SDK has libexpat and libpcap, or Homebrew's are used. It has libarchive without headers. Neither the compiler nor pkg-config
  # finds packages that Homebrew does not link into its prefix (keg-only), but SwiftPM finds them via Homebrew.
  prefix=$(brew --prefix 2>/dev/null || echo /nowhere)
  kept() { [ -e "$prefix/opt/$1/include/$2" ]; }
  header expat.h || kept expat expat.h || want expat
  header archive.h || kept libarchive archive.h || want libarchive
  header zlib.h || kept zlib zlib.h || want zlib
  header lzma.h || kept xz lzma.h || want xz
  header brotli/decode.h || kept brotli brotli/decode.h || want brotli
  header zstd.h || kept zstd zstd.h || want zstd
  header pcap/pcap.h || kept libpcap pcap/pcap.h || want libpcap
  tool pkg-config || want pkg-config
  tool python3 || want python3
  install() { brew install "$@"; }
  manager=brew
  ;;
*)
  header expat.h || want libexpat1-dev
  header archive.h || want libarchive-dev
  header zlib.h || want zlib1g-dev
  header lzma.h || want liblzma-dev
  header brotli/decode.h || want libbrotli-dev
  header zstd.h || want libzstd-dev
  # The static libarchive, which is linked into the release program, requires these two.
  header lz4.h || want liblz4-dev
  header bzlib.h || want libbz2-dev
  header pcap/pcap.h || want libpcap-dev
  tool pkg-config || want pkg-config
  tool python3 || want python3
  if [ -n "$packages" ]; then
    tool mmdebstrap || want mmdebstrap
    tool lintian || want lintian
  fi
  install() {
    as_root=""
    [ "$(id -u)" -eq 0 ] || as_root="sudo"
    $as_root apt-get update -q
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
  }
  manager=apt-get
  ;;
esac

if [ -z "$need" ]; then
  [ -n "$check" ] || echo "setup: nothing is missing"
  exit 0
fi
if [ -n "$check" ]; then
  echo "setup: missing:$need; 'make setup${packages:+ PACKAGES=1}' installs them" >&2
  exit 1
fi
echo "setup: missing:$need"
if ! tool "$manager"; then
  echo "setup: $manager is missing; install these packages by hand (names of $manager):$need" >&2
  exit 1
fi
echo "setup: installing with $manager"
# Package names contain no spaces.
# shellcheck disable=SC2086
install $need
echo "setup: done"
