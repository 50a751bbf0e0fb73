#!/bin/sh
# Installs PySpark and the packages that the tests of Spark/ need into a virtual environment: setup.sh FOLDER
# Prints the reason and exits with status 0 if that is not possible; `make spark` is then skipped.
set -eu

folder=$1
python=${PYTHON:-python3}
needed="pyspark, pyarrow, pandas, moto, flask, duckdb, psutil, pytest, mypy, setuptools"
if ! command -v java >/dev/null 2>&1 || ! java -version >/dev/null 2>&1; then
  echo "spark-setup: skipped: Java is missing (17 or later)"
  exit 0
fi
if "$folder/bin/python" -c "import $needed" 2>/dev/null; then
  exit 0
fi
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
if ! { "$python" -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check \
  'pyspark>=4.0' 'pyarrow>=15' 'pandas>=2.2,<3' 'moto[server,s3]' duckdb psutil pytest mypy 'setuptools>=68'; } >&2; then
  rm -rf "$folder"
  echo "spark-setup: skipped: PySpark cannot be installed"
fi
