#!/usr/bin/env python3
"""Checks what a release needs: release_check.py ATSCOPE

The program and the files in MENTIONS must have the version of the source, and the changelog a dated heading for it; the $id of every schema
must end with its file name; the work tree must have no uncommitted changes. Prints one line for each fault, and exits with 1 if there is
one.
"""
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
# Where the version of the source must be repeated: the file, and a pattern that captures the version.
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
    """Yields a fault for each mention of another version, and for each file that does not mention the version."""
    for path, pattern in MENTIONS:
        found = re.findall(pattern, read(path), re.MULTILINE)
        if not found:
            yield f"{path} has no version: the pattern {pattern} does not match"
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
        yield f"the program has version {shown}, the source {version}: build it again"
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
