#!/bin/sh
# Builds the release program, .build/release/atscope, with what this toolchain has to make it fast:
#
# - Linux: Swift's own libraries are linked in, which takes half the time to start, and less memory. The program then would export
#   all of its 20,000 names, among which each start would look for those of the system's libraries.
# - Linux: all modules are optimised once more together when they are linked, and no register is kept for stack traces
#   (docs/decisions/0008-optimised-as-a-whole.md).
#
# LTO=off leaves the last one out: it links in seconds, and the program takes up to 28 % more time.
set -eu

swift=${SWIFT:-swift}
lto=${LTO:-full}
build="$swift build -c release --product atscope ${QUIET:-}"
[ "$(uname -s)" = Linux ] || exec $build
build="$build --static-swift-stdlib -Xlinker --no-export-dynamic"

# Only LLVM's linker, which a toolchain has beside its compiler, joins modules that are not machine code yet.
root=$($swift -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift[^/]*".*|\1|p')
[ "$lto" != off ] || exec $build
if [ ! -x "$root/bin/ld.lld" ] || ! $swift build --help-hidden | grep -q -e --experimental-lto-mode; then
  echo "release: this toolchain cannot optimise all modules together: the program will be slower" >&2
  exec $build
fi

$build --experimental-lto-mode "$lto" --omit-frame-pointers -Xlinker --lto-O3 || {
  echo "release: once more, without optimising all modules together" >&2
  exec $build
}
