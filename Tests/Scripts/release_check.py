#!/usr/bin/env python3
"""Checks what a release needs: release_check.py ATSCOPE

The version is the same in the program, the changelog, the Spark package, the formula and the example for CI; the changelog has it with a
date; every schema of a record names itself; and the work tree has no uncommitted changes. Prints one line for each fault, and exits with 1
if there are any.
"""
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
# Where the version has to be, besides its one place: the file, and what surrounds it.
MENTIONS = [
    ("Spark/pyproject.toml", r'^version = "(.*)"$'),
    ("Packaging/atscope.rb", r"/download/v([^/]*)/"),
    ("Packaging/atscope.rb", r"/atscope-([^/]*)-source\.tar\.gz"),
    ("docs/ci/pull-request.yml", r"Packaging/action@v(\S+)$"),
    ("docs/ci/pull-request.yml", r"^ +version: (\S+)$"),
    ("docs/ci/pull-request.yml", r"/download/v(\S+)$"),
    ("README.md", r'\.upToNextMinor\(from: "([^"]*)"'),
    ("Sources/Product/ATScope/ATScope.docc/ATScope.md", r'\.upToNextMinor\(from: "([^"]*)"'),
]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def of_version(version):
    """The faults of the places that name the version."""
    for path, pattern in MENTIONS:
        found = re.findall(pattern, read(path), re.MULTILINE)
        if not found:
            yield f"{path} has no version where {pattern} matches"
        for other in found:
            if other != version:
                yield f"{path} has {other}, the source {version}"
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", read("CHANGELOG.md"), re.MULTILINE):
        yield f"CHANGELOG.md has no heading '## [{version}] - YYYY-MM-DD'"


def faults(program):
    source = re.search(r'version = "([^"]+)"', read("Sources/Product/ATScope/Running/Audit.swift"))
    version = source.group(1) if source else "?"
    shown = subprocess.run([program, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()[1]
    if shown != version:
        yield f"the program says {shown}, the source {version}: build it again"
    yield from of_version(version)
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "schemas", "*.json"))):
        name = os.path.basename(path)
        with open(path, encoding="utf-8") as file:
            if not json.load(file).get("$id", "").endswith(name):
                yield f"docs/schemas/{name} has no $id that ends with its name"
    status = subprocess.run(["git", "-C", ROOT, "status", "--porcelain"], stdout=subprocess.PIPE, check=True, text=True).stdout
    if status:
        yield "the work tree has uncommitted changes"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(faults(sys.argv[1]))
    for fault in found:
        print(f"release: {fault}")
    print(f"release: {len(found)} faults")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
