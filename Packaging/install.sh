#!/bin/sh
# Installs the program, its man page, completions, schemas and licenses into a folder: install.sh ATSCOPE PREFIX
set -eu

program=$1
prefix=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
python=${PYTHON:-python3}

mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/doc/atscope" \
  "$prefix/share/bash-completion/completions" "$prefix/share/zsh/site-functions" "$prefix/share/fish/vendor_completions.d"
install -m 755 "$program" "$prefix/bin/atscope"
# Removes symbols and the .comment section. Apple's strip has other options.
if ! command -v strip >/dev/null 2>&1; then
  echo "install: strip is missing; the program keeps its symbols" >&2
elif [ "$(uname -s)" = Linux ]; then
  strip --strip-all --remove-section=.comment "$prefix/bin/atscope"
else
  strip "$prefix/bin/atscope"
fi
"$python" "$here/manual.py" "$program" >"$prefix/share/man/man1/atscope.1"
"$python" "$here/completions.py" "$program" bash >"$prefix/share/bash-completion/completions/atscope"
"$python" "$here/completions.py" "$program" zsh >"$prefix/share/zsh/site-functions/_atscope"
"$python" "$here/completions.py" "$program" fish >"$prefix/share/fish/vendor_completions.d/atscope.fish"
if ! "$python" "$here/licenses.py" "$root/.build/static/inputs.d" >"$prefix/share/doc/atscope/LICENSES.txt"; then
  # Archives and packages require it (LICENSES_REQUIRED). `make install` does not: only on Debian are the licenses of libraries found.
  [ -z "${LICENSES_REQUIRED:-}" ] || exit 1
  rm "$prefix/share/doc/atscope/LICENSES.txt"
  echo "install: LICENSES.txt omitted" >&2
fi
cp "$root/LICENSE" "$root/README.md" "$root/CHANGELOG.md" "$prefix/share/doc/atscope/"
cp -R "$root/docs/schemas" "$prefix/share/doc/atscope/"
