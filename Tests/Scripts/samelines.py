#!/usr/bin/env python3
"""Compares the session lines of two builds of atscope for the same captures, to check a change that must not affect them.

  samelines.py BEFORE AFTER FOLDER...

Both programs audit every capture below the folders, each in a separate run. The session records of `--format ndjson` must be the same bytes
in the same order, and the exit status must be the same. Exits with 1 if anything differs.
"""
import concurrent.futures
import os
import subprocess
import sys

from alone import ANCHORS, SESSION, captures_below

TIMEOUT = 600


def session_lines(program, capture):
    """Returns the exit status and the session lines of a run over one capture."""
    result = subprocess.run([program, "audit", "--format", "ndjson", "--series", "never", *ANCHORS, capture],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=TIMEOUT)
    return result.returncode, [line for line in result.stdout.splitlines() if line.startswith(SESSION)]


def difference(before, after):
    """Returns the first difference between two runs in one line; None if there is none."""
    if before == after:
        return None
    if before[0] != after[0]:
        return f"exit status {before[0]} before, {after[0]} after"
    if len(before[1]) != len(after[1]):
        return f"{len(before[1])} sessions before, {len(after[1])} after"
    number, (old, new) = next((number, pair) for number, pair in enumerate(zip(before[1], after[1]), 1) if pair[0] != pair[1])
    offset = next((index for index, pair in enumerate(zip(old, new)) if pair[0] != pair[1]), min(len(old), len(new)))
    context = slice(max(0, offset - 40), offset + 40)
    return f"session {number} at byte {offset}: before {old[context]!r}, after {new[context]!r}"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    before, after = (os.path.abspath(program) for program in sys.argv[1:3])
    captures = captures_below(sys.argv[3:])
    if not captures:
        sys.exit("samelines: no captures")
    compared, complaints = 0, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        old = pool.map(lambda capture: session_lines(before, capture), captures)
        new = pool.map(lambda capture: session_lines(after, capture), captures)
        for capture, one, other in zip(captures, old, new):
            compared += len(one[1])
            if complaint := difference(one, other):
                complaints.append(f"{capture}: {complaint}")
    for complaint in complaints:
        print(f"samelines: {complaint}")
    print(f"samelines: {len(captures)} captures, {compared} session lines, {len(complaints)} differ")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
