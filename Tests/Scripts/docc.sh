#!/bin/sh
# Builds the documentation of the library from the modules of a build ($1, such as .build/debug); warnings are errors. Everything that
# ATScope re-exports is documented as a part of it.
set -eu
build=$1
root=$(swift -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift[^/]*".*|\1|p')
docc=$root/bin/docc
target=$(swift -print-target-info | sed -n 's/.*"triple": "\([^"]*\)".*/\1/p' | head -1)
if [ ! -x "$docc" ]; then
  echo "docc: skipped: this toolchain has no docc"
  exit 0
fi
out=.build/docc
rm -rf "$out"
mkdir -p "$out/symbols"
sources=Sources/Product/ATScope
exported=$(sed -n 's/^@_exported public import //p' $sources/ATScope.swift | paste -sd, -)
maps=$(find -L Sources "$build"/C*.build -name module.modulemap -exec printf -- '-Xcc -fmodule-map-file=%s ' '{}' ';')
# shellcheck disable=SC2086
swift symbolgraph-extract -module-name ATScope -I "$build/Modules" $maps -target "$target" -output-dir "$out/symbols" \
  -minimum-access-level public -skip-synthesized-members -experimental-allowed-reexported-modules="$exported"
"$docc" convert $sources/ATScope.docc --additional-symbol-graph-dir "$out/symbols" --output-path "$out/ATScope.doccarchive" \
  --fallback-display-name ATScope --fallback-bundle-identifier ATScope --warnings-as-errors
echo "docc: $(find "$out/ATScope.doccarchive/data" -name '*.json' | wc -l | tr -d ' ') pages"
