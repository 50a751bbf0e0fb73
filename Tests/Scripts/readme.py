#!/usr/bin/env python3
"""Keeps the examples in the documents what the tool really prints.

  readme.py [--check] ATSCOPE

An example stands between `<!-- example: atscope … -->` and `<!-- end of example -->`. It is written anew; with --check it is only
compared, and the exit status is 1 if one differs.
"""
import glob
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXAMPLE = re.compile(r"<!-- example: (atscope[^\n]*?) -->\n.*?<!-- end of example -->", re.S)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    program = os.path.abspath(arguments[0])
    checks = "--check" in sys.argv
    os.chdir(ROOT)
    count = 0
    stale = []

    def run(match):
        nonlocal count
        count += 1
        command = match.group(1)
        result = subprocess.run([program, *shlex.split(command)[1:]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                text=True)
        lines = [line.rstrip() for line in result.stdout.rstrip("\n").split("\n")]
        text = "\n".join(["```console", f"$ {command}", *lines, "```"])
        return f"<!-- example: {command} -->\n{text}\n<!-- end of example -->"

    for path in sorted(["README.md", *glob.glob("docs/**/*.md", recursive=True)]):
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after = EXAMPLE.sub(run, before)
        if after == before:
            continue
        stale.append(path)
        if not checks:
            with open(path, "w", encoding="utf-8") as file:
                file.write(after)
    for path in stale:
        print(f"readme: {path}: {'differs from what the tool prints; run make readme' if checks else 'written anew'}")
    print(f"readme: {count} examples")
    return 1 if checks and stale else 0


if __name__ == "__main__":
    sys.exit(main())
