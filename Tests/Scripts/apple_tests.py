#!/usr/bin/env python3
"""Runs the test vectors made from Apple's trust tests, and compares the differences with the table in docs/apple-tests.md.

  apple_tests.py ATSCOPE [FOLDER]

FOLDER contains run.py and vectors-given.json; the default is ../shared/apple-tests. Without the vectors, nothing is run.
Fails if a vector differs and has no row in the table, or if the vector of a row does not differ.
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def explained(path):
    """Returns the identifiers of the vectors in the first column of the table."""
    with open(path, encoding="utf-8") as file:
        return {line.split("`")[1] for line in file if line.startswith("| `")}


def main():
    program = sys.argv[1]
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "..", "shared", "apple-tests")
    vectors = os.path.join(folder, "vectors-given.json")
    if not os.path.exists(vectors):
        print("apple-tests: skipped: no vectors in %s" % folder)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        results = os.path.join(temporary, "results.json")
        run = subprocess.run(
            [sys.executable, os.path.join(folder, "run.py"), program, vectors, "--results", results], check=False)
        if not os.path.exists(results):
            print("apple-tests: run.py wrote no results; exit status %d" % run.returncode)
            return 1
        with open(results, encoding="utf-8") as file:
            outcomes = {result["id"]: result["agrees"] for result in json.load(file)}
    rows = explained(os.path.join(ROOT, "docs", "apple-tests.md"))
    differing = {name for name, agrees in outcomes.items() if not agrees}
    failed = False
    for name in sorted(differing - rows):
        print("apple-tests: not explained in docs/apple-tests.md: %s" % name)
        failed = True
    for name in sorted(rows - differing):
        print("apple-tests: in docs/apple-tests.md, but does not differ: %s" % name)
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
