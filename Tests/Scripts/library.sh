#!/bin/sh
# Builds the package Tests/Library, which depends on this one, and runs its programs and tests. In the folder of this package's own debug
# build, its modules are not compiled again, provided that it had the same options, which the arguments are.
set -eu
scratch=$PWD/.build
swift build --package-path Tests/Library --scratch-path "$scratch" "$@" --build-tests
cd Tests/Library
# What a program must print at least.
run() {
  output=$("$scratch/debug/$1")
  case $output in *"$2"*) echo "library: $1: ok" ;; *) echo "library: $1 printed: $output" >&2; exit 1 ;; esac
}
run Audit legacy.example.com
run Stream 'fail 2'
run Policy 'legacy.example.com: fail becomes pass'
cd ../..
swift test --package-path Tests/Library --scratch-path "$scratch" "$@" --skip-build
