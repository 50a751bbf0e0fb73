#!/bin/sh
# Prints the path of a Python that has the packages for reading reports: readers.sh FOLDER
# The packages are installed once, into a virtual environment in FOLDER. If that fails, this machine's Python is printed, and checks that
# need the packages are skipped.
set -eu

folder=$1
python=${PYTHON:-python3}
needed="junitparser, sarif, markdown_it, jsonschema, referencing, axe_playwright_python, duckdb, pandas"
if "$python" -c "import $needed" 2>/dev/null; then
  echo "$python"
  exit 0
fi
if ! "$folder/bin/python" -c "import $needed" 2>/dev/null; then
  rm -rf "$folder"
  if ! { "$python" -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check \
    junitparser sarif-tools markdown-it-py jsonschema referencing duckdb pandas \
    && "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps axe-playwright-python; } >&2; then
    echo "readers: the packages cannot be installed; checks that need them are skipped" >&2
    rm -rf "$folder"
    echo "$python"
    exit 0
  fi
fi
echo "$folder/bin/python"
