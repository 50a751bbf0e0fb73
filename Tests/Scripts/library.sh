#!/bin/sh
# Builds the package Tests/Library, which depends on this one, and runs its programs and tests. It uses the scratch folder of this
# package's debug build. Pass the options of that build as arguments; with other options, all modules are compiled again.
set -eu
scratch=$PWD/.build
swift build --package-path Tests/Library --scratch-path "$scratch" "$@" --build-tests
cd Tests/Library
# Runs the program $1, whose output must contain $2.
run() {
  output=$("$scratch/debug/$1")
  case $output in *"$2"*) echo "library: $1: ok" ;; *) echo "library: $1 printed: $output" >&2; exit 1 ;; esac
}
run Audit legacy.example.com
run Stream 'fail 2'
run Policy 'legacy.example.com: fail becomes pass'
cd ../..
swift test --package-path Tests/Library --scratch-path "$scratch" "$@" --skip-build
