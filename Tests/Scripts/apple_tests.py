#!/usr/bin/env python3
"""Runs the vectors made from Apple's own trust tests, and compares what differs with the list in docs/apple-tests.md.

  apple_tests.py ATSCOPE [FOLDER]

FOLDER holds run.py and vectors-given.json; without it ../shared/apple-tests is taken, and where that is not there nothing is run.
Fails where a vector differs and has no row, and where a row is no longer true.
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def explained(path):
    """The identifiers of the vectors in the first column of the table."""
    with open(path, encoding="utf-8") as file:
        return {line.split("`")[1] for line in file if line.startswith("| `")}


def main():
    program = sys.argv[1]
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "..", "shared", "apple-tests")
    vectors = os.path.join(folder, "vectors-given.json")
    if not os.path.exists(vectors):
        print("apple-tests: skipped: not here (%s)" % folder)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        results = os.path.join(temporary, "results.json")
        run = subprocess.run(
            [sys.executable, os.path.join(folder, "run.py"), program, vectors, "--results", results], check=False)
        if not os.path.exists(results):
            print("apple-tests: run.py ended with status %d" % run.returncode)
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
        print("apple-tests: in docs/apple-tests.md, and not true: %s" % name)
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
