#!/bin/sh
# Prints a Python that has what reads reports elsewhere: readers.sh FOLDER
# The packages go into FOLDER, once; where they cannot be had, the machine's own Python is printed, and what needs them is skipped.
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
    echo "readers: the packages cannot be had here; what needs them is skipped" >&2
    rm -rf "$folder"
    echo "$python"
    exit 0
  fi
fi
echo "$folder/bin/python"
