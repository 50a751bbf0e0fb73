#!/bin/sh
# Builds the release program, .build/release/atscope, which `make dist` ships.
#
# Linux: the program needs only glibc. Swift's libraries are linked statically, and so are the C libraries, from the static archives of
# the distribution; if one is missing, this script reports it, and the program uses the shared libraries instead. The program exports no
# symbols, has full RELRO and no RUNPATH. The files that the linker reads are listed in .build/static/inputs.d, for their licenses.
#
# LTO=full optimizes all modules together at link time (docs/decisions/0008-optimized-as-a-whole.md). LTO=off links in
# seconds, but the program takes up to 28 % more CPU time. BUILD_OPTIONS is passed to swift build.
set -eu

swift=${SWIFT:-swift}
lto=${LTO:-full}
build="$swift build ${BUILD_OPTIONS:-} -c release --product atscope"
[ "$(uname -s)" = Linux ] || exec $build

static=$PWD/.build/static
mkdir -p "$static"
build="$build --static-swift-stdlib --disable-local-rpath -Xlinker --no-export-dynamic -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now"
build="$build -Xlinker --dependency-file=$static/inputs.d"

# A folder with links to the static archives only, which the pkg-config files list first, so that -lNAME does not find a shared library.
archives="z lzma zstd archive lz4 bz2 brotlidec brotlicommon pcap expat stdc++"
archive() { "${CC:-cc}" -print-file-name="$1"; }
package() { printf 'Name: %s\nDescription: static\nVersion: 0\nLibs: -L%s %s\n' "$1" "$static" "$2" >"$static/$1.pc"; }
missing=
for name in $archives; do [ -f "$(archive "lib$name.a")" ] || missing="$missing lib$name.a"; done
if [ -n "$missing" ]; then
  echo "release: the program will need shared libraries, because these are missing:$missing" >&2
else
  for name in $archives; do ln -sf "$(archive "lib$name.a")" "$static/"; done
  # The unwinder for C++ exceptions, which clang links by this name.
  ln -sf "$(archive libgcc_eh.a)" "$static/libgcc_s.a"
  package zlib -lz
  package liblzma -llzma
  package libzstd -lzstd
  package libarchive "-larchive -llz4 -lbz2"
  package libbrotlidec "-lbrotlidec -lbrotlicommon"
  package libpcap -lpcap
  package expat -lexpat
  # Only libpcap's filter compiler is used. Setting the D-Bus functions to 0 ends libpcap's table of capture devices there, since D-Bus has
  # no static archive.
  build="$build --pkg-config-path $static -Xlinker --defsym=dbus_create=0 -Xlinker --defsym=dbus_findalldevs=0"
fi

# LLVM's linker, which is part of the toolchain, makes a smaller program: identical functions are merged, relocations are packed (read by
# glibc 2.36 and later), and unwinding tables, which only C++ exceptions and debuggers use, are omitted.
root=$($swift -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift[^/]*".*|\1|p')
if [ ! -x "$root/bin/ld.lld" ]; then
  echo "release: this toolchain has no lld: the program will be larger and slower" >&2
  exec $build
fi
# The buffer for backtraces of crashes, 64 KiB of zeros, takes no space in the file.
cat >"$static/sections.ld" <<'END'
SECTIONS { /DISCARD/ : { *(.eh_frame) *(.eh_frame_hdr) } }
INSERT AFTER .text;
SECTIONS { swift5_backtrace (NOLOAD) : { *(swift5_backtrace) } }
INSERT AFTER .bss;
END
build="$build -Xswiftc -use-ld=lld -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs"
build="$build -Xlinker --no-eh-frame-hdr -Xlinker -T$static/sections.ld"
# The linker omits what nothing refers to, but Swift's libraries retain 2 MB of functions: the copies do not (1.1 MB less).
libraries="swiftCore swift_Concurrency swift_StringProcessing swift_RegexParser FoundationEssentials _FoundationCollections"
mkdir -p "$static/swift"
set --
for name in $libraries; do
  [ ! -f "$root/lib/swift_static/linux/lib$name.a" ] || set -- "$@" "$root/lib/swift_static/linux/lib$name.a"
done
if python3 "$(dirname "$0")/collectable.py" "$static/swift" "$@"; then
  for path in "$@"; do build="$build -Xlinker --remap-inputs=$path=$static/swift/${path##*/}"; done
else
  echo "release: the program will be larger, since python3 is missing or Swift's libraries have another format" >&2
fi
# Omits the names of Unicode characters (0.55 MB), which no code here reads: `Unicode.Scalar.Properties.name` is nil in this program.
echo 'short atscope_no_name(unsigned scalar, unsigned char *name, short size) { return 0; }' >"$static/no-name.c"
"$root/bin/clang" -O2 -c "$static/no-name.c" -o "$static/no-name.o"
build="$build -Xlinker $static/no-name.o -Xlinker --defsym=_swift_stdlib_getScalarName=atscope_no_name"
[ "$lto" != off ] || exec $build

# Only LLVM's linker can link LLVM bitcode, which LTO produces.
if ! $swift build --help-hidden | grep -q -e --experimental-lto-mode; then
  echo "release: this toolchain cannot optimize all modules together: the program will be slower" >&2
  exec $build
fi
# All users of a module are part of the program, so that unused public declarations can be omitted too (1.3 MB).
build_whole="$build --experimental-lto-mode $lto --omit-frame-pointers -Xlinker --lto-O2 -Xswiftc -Xfrontend -Xswiftc -internalize-at-link"
# The inlining threshold is about an eighth of the default (0.4 MB less, 1.5 % more instructions).
$build_whole -Xlinker --mllvm=-inline-threshold=30 || {
  echo "release: the build failed; building again without optimizing all modules together" >&2
  exec $build
}
