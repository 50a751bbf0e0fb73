#!/usr/bin/env python3
"""Runs the queries of docs/guide/zeek-suricata.md in DuckDB and compares their results with the guide.

  join.py [--write] ATSCOPE

A `text` block after an `sql` block shows the result of the last query in it. With --write, the results in the guide are updated.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
GUIDE = "docs/guide/zeek-suricata.md"
LOGS = "docs/guide/join"
CAPTURE = "captures/demo/demo.pcapng"
BLOCK = re.compile(r"```sql\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.S)


def table(result):
    """Returns a query result as lines with aligned columns."""
    rows = [[column[0] for column in result.description]]
    rows += [["" if value is None else ", ".join(value) if isinstance(value, list) else str(value) for value in row]
             for row in result.fetchall()]
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n" for row in rows)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    program = os.path.abspath(arguments[0])
    os.chdir(ROOT)
    try:
        import duckdb
    except ImportError:
        print("join: skipped: the Python package duckdb is not installed")
        return 0
    with open(GUIDE, encoding="utf-8") as file:
        guide = file.read()
    faults, queries = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(LOGS):
            shutil.copy(os.path.join(LOGS, name), folder)
        subprocess.run([program, CAPTURE, "--anchors", "captures/anchors/example-ca.pem", "--format", "ndjson", "-o",
                        os.path.join(folder, "sessions.ndjson")], stderr=subprocess.DEVNULL, check=False)
        os.chdir(folder)
        connection = duckdb.connect()

        def run(match):
            nonlocal queries
            result = connection.execute(match[1])
            if match[2] is None:
                return match[0]
            queries += 1
            found = table(result)
            if found != match[2]:
                faults.append(f"the result differs:\n{match[1]}{found}")
            return f"```sql\n{match[1]}```\n\n```text\n{found}```\n"

        written = BLOCK.sub(run, guide)
        os.chdir(ROOT)
    if "--write" in sys.argv:
        with open(GUIDE, "w", encoding="utf-8") as file:
            file.write(written)
        return 0
    for fault in faults:
        print("join: " + fault)
    print(f"join: {queries} queries, {len(faults)} faults")
    return 1 if faults or not queries else 0


if __name__ == "__main__":
    sys.exit(main())
