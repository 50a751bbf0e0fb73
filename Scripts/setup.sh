#!/bin/sh
# Installs what building and testing need and what is not there yet. Does nothing, and needs no network, if all is there.
set -eu

need=""
want() { need="$need $1"; }
# The toolchain brings a clang where there is no other compiler.
compiler=$(command -v "${CC:-cc}" || command -v clang || echo cc)
header() { printf '#include <%s>\n' "$1" | "$compiler" -E - >/dev/null 2>&1; }

if ! command -v swift >/dev/null 2>&1; then
  echo "setup: swift is missing; install Swift 6.2 or later from https://www.swift.org/install" >&2
  exit 1
fi

case "$(uname -s)" in
Darwin)
  # The SDK has libexpat and libpcap; Homebrew's serve where it does not. It has libarchive without its headers. What Homebrew
  # keeps out of the usual folders, neither the compiler nor pkg-config sees by itself; SwiftPM asks Homebrew for it.
  prefix=$(brew --prefix 2>/dev/null || echo /nowhere)
  kept() { [ -e "$prefix/opt/$1/include/$2" ]; }
  header expat.h || kept expat expat.h || want expat
  header archive.h || kept libarchive archive.h || want libarchive
  header zlib.h || kept zlib zlib.h || want zlib
  header lzma.h || kept xz lzma.h || want xz
  header brotli/decode.h || kept brotli brotli/decode.h || want brotli
  header zstd.h || kept zstd zstd.h || want zstd
  header pcap/pcap.h || kept libpcap pcap/pcap.h || want libpcap
  command -v pkg-config >/dev/null 2>&1 || want pkg-config
  command -v python3 >/dev/null 2>&1 || want python3
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
  # The static libarchive, which the release program takes, refers to these.
  header lz4.h || want liblz4-dev
  header bzlib.h || want libbz2-dev
  header pcap/pcap.h || want libpcap-dev
  command -v pkg-config >/dev/null 2>&1 || want pkg-config
  command -v python3 >/dev/null 2>&1 || want python3
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
  echo "setup: everything is there"
  exit 0
fi
echo "setup: missing:$need"
if ! command -v "$manager" >/dev/null 2>&1; then
  echo "setup: there is no $manager here; install by hand (Debian's names):$need" >&2
  exit 1
fi
echo "setup: installing with $manager"
# Names of packages hold no blanks.
# shellcheck disable=SC2086
install $need
echo "setup: done"
