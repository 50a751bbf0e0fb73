#!/bin/sh
# Installs the program, its man page, completions and licences below a folder: install.sh ATSCOPE PREFIX
set -eu

program=$1
prefix=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)

mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/doc/atscope/licenses" \
  "$prefix/share/bash-completion/completions" "$prefix/share/zsh/site-functions" "$prefix/share/fish/vendor_completions.d"
install -m 755 "$program" "$prefix/bin/atscope"
"${PYTHON:-python3}" "$here/manual.py" "$program" >"$prefix/share/man/man1/atscope.1"
"$program" --generate-completion-script bash >"$prefix/share/bash-completion/completions/atscope"
"$program" --generate-completion-script zsh >"$prefix/share/zsh/site-functions/_atscope"
"$program" --generate-completion-script fish >"$prefix/share/fish/vendor_completions.d/atscope.fish"
cp "$root/LICENSE" "$prefix/share/doc/atscope/licenses/atscope.txt"
# The licences of what is linked in, as the packages bring them.
for package in swift-argument-parser swift-asn1 swift-collections swift-crypto; do
  checkout="$root/.build/checkouts/$package"
  [ -d "$checkout" ] || continue
  for file in LICENSE.txt NOTICE.txt; do
    [ -f "$checkout/$file" ] && cp "$checkout/$file" "$prefix/share/doc/atscope/licenses/$package-$file"
  done
done
swift=$(command -v swift 2>/dev/null || true)
if [ -n "$swift" ] && [ -f "$(dirname "$swift")/../share/swift/LICENSE.txt" ]; then
  cp "$(dirname "$swift")/../share/swift/LICENSE.txt" "$prefix/share/doc/atscope/licenses/swift-LICENSE.txt"
fi
