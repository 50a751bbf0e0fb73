#!/bin/sh
# Builds the fuzzer and runs each of its targets for $1 seconds, $2 targets at a time, with the seeds in Tests/Fuzzing/Seeds. New
# inputs are written to .build-fuzz/NAME/. The input of a finding is copied to the seeds as crash-…, to be committed with the fix.
set -eu
seconds=${1:-60}
jobs=${2:-1}
sources=Tests/Fuzzing
scratch=.build-fuzz

# One target; called by xargs below.
if [ "${1:-}" = --target ]; then
  target=$2 seconds=$3
  mkdir -p "$scratch/$target" "$sources/Seeds/$target"
  log=$scratch/$target.log
  # Swift's backtracer hangs with AddressSanitizer. Freed memory in the quarantine counts toward -rss_limit_mb, so it is kept small.
  if ASAN_OPTIONS=quarantine_size_mb=64 SWIFT_BACKTRACE=enable=no ATSCOPE_FUZZ_TARGET=$target "$scratch/release/Fuzz" \
    "$scratch/$target" \
    "$sources/Seeds/$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=512 -artifact_prefix="$scratch/$target/" \
    -print_final_stats=1 -verbosity=0 >"$log" 2>&1; then
    printf 'fuzz: %-32s%12s executions\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    exit 0
  fi
  tail -40 "$log" >&2
  for finding in "$scratch/$target"/crash-* "$scratch/$target"/oom-* "$scratch/$target"/timeout-*; do
    [ -f "$finding" ] || continue
    seed=$sources/Seeds/$target/crash-$(basename "$finding")
    cp "$finding" "$seed"
    echo "fuzz: $target: finding: $seed" >&2
  done
  exit 1
fi

# With this variable, the manifest has the fuzzer and no other executables.
export ATSCOPE_FUZZING=1
# On Linux, linkers other than lld fail to link libFuzzer.
linker=""
[ "$(uname -s)" = Darwin ] || linker="-Xswiftc -use-ld=lld"
# shellcheck disable=SC2086
swift build --scratch-path "$scratch" -c release -Xswiftc -sanitize=fuzzer,address $linker
targets=$("$scratch/release/Fuzz")
echo "fuzz: $(echo "$targets" | wc -l | tr -d ' ') targets, $seconds s each, $jobs at once"
echo "$targets" | xargs -P "$jobs" -I '{}' "$0" --target '{}' "$seconds"
echo "fuzz: no findings"
