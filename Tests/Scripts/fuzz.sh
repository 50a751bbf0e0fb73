#!/bin/sh
# Builds the package Tests/Fuzzing and lets every target of it run for $1 seconds. Stops at the first finding, whose input then
# lies in .build-fuzz/NAME/.
set -eu
seconds=${1:-60}
package=Tests/Fuzzing
scratch=.build-fuzz

if [ ! -f "$package/Package.swift" ]; then
  echo "fuzz: there is no $package" >&2
  exit 1
fi
# -use-ld=lld: with libFuzzer other linkers of Linux fail.
linker=""
[ "$(uname -s)" = Darwin ] || linker="-Xswiftc -use-ld=lld"
# A file that is new in the main package is not seen as long as the plan of the last build is there.
rm -f "$scratch/release.yaml"
# shellcheck disable=SC2086
swift build --package-path "$package" --scratch-path "$scratch" -c release -Xswiftc -sanitize=fuzzer,address $linker
targets=$(swift package --package-path "$package" --scratch-path "$scratch" dump-package | python3 -c '
import json, sys
print("\n".join(t["name"] for t in json.load(sys.stdin)["targets"] if t["type"] == "executable"))')
for target in $targets; do
  echo "fuzz: $target, $seconds s"
  mkdir -p "$scratch/$target"
  # The backtracer trips over the address sanitizer and never ends; what that keeps of memory that was freed is no parser's.
  ASAN_OPTIONS=quarantine_size_mb=64 SWIFT_BACKTRACE=enable=no "$scratch/release/$target" "$scratch/$target" -max_total_time="$seconds" \
    -timeout=5 -rss_limit_mb=512 -artifact_prefix="$scratch/$target/" -print_final_stats=1 -verbosity=0
done
echo "fuzz: no findings"
