#!/usr/bin/env python3
"""Updates the examples in the documents with the program's output.

  readme.py [--check] ATSCOPE

An example is between `<!-- example: atscope … -->` and `<!-- end of example -->`. A source file of the package Tests/Library is between
`<!-- file: … -->` and `<!-- end of file -->`. Sections or weights of rules, from `atscope explain`, are between `<!-- rules: pages -->` or
`<!-- rules: weights -->` and `<!-- end of rules -->`. All are replaced; with --check, they are only compared, and the exit status is 1 if
one differs.
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXAMPLE = re.compile(r"<!-- example: (atscope[^\n]*?) -->\n.*?<!-- end of example -->", re.S)
FILE = re.compile(r"<!-- file: (Tests/Library/[^\n]*?) -->\n.*?<!-- end of file -->", re.S)
RULES = re.compile(r"<!-- rules: (pages|weights) -->\n.*?<!-- end of rules -->", re.S)


def weights(rules):
    """Returns the table of weights as lines."""
    return ["| rule | weight |", "| --- | --- |", *(f"| [{rule['id']}](rules.md#{rule['id'].lower()}) | {rule['weight']} |" for rule in rules)]


def code(reference):
    """Marks a key and its value as code, but not a condition after them: `NSAllowsArbitraryLoads` down to the system's minimum."""
    return re.sub(r"NS\w+( = \w+)?", r"`\g<0>`", reference)


def pages(rules):
    """Returns a section for each rule, as lines."""
    lines = []
    for rule in rules:
        errors = ", ".join(f"{error['domain']} {error['code']}" for error in rule["errors"])
        lines += [
            f"## {rule['id']}", "", f"**{rule['title']}.** {rule['demand']} {rule['reason']}", "", f"*Fix:* {rule['fix']}", "", "| | |", "| --- | --- |",
            f"| applies since | {rule['since']} |", f"| verdict | {'advice only' if rule['advisory'] else 'decides it'} |", f"| weight | {rule['weight']} |",
            f"| relaxed by | {', '.join(code(key) for key in rule['relaxedBy']) or 'no key'} |", f"| reported as | {errors or 'no error'} |",
            f"| sources | [policy](policy.md), section {rule['section']}; {'; '.join(rule['sources'])} |", "",
        ]
    return lines[:-1]


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

    def show(match):
        with open(match.group(1), encoding="utf-8") as source:
            return f"<!-- file: {match.group(1)} -->\n```swift\n{source.read().rstrip()}\n```\n<!-- end of file -->"

    rules = json.loads(subprocess.run([program, "explain", "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)["rules"]

    def describe(match):
        text = "\n".join((pages if match.group(1) == "pages" else weights)(rules))
        return f"<!-- rules: {match.group(1)} -->\n{text}\n<!-- end of rules -->"

    for path in sorted(["README.md", *glob.glob("docs/**/*.md", recursive=True), *glob.glob("Sources/**/*.docc/*.md", recursive=True)]):
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after = RULES.sub(describe, FILE.sub(show, EXAMPLE.sub(run, before)))
        if after == before:
            continue
        stale.append(path)
        if not checks:
            with open(path, "w", encoding="utf-8") as file:
                file.write(after)
    for path in stale:
        print(f"readme: {path}: {'differs from the output of the program; run make readme' if checks else 'updated'}")
    print(f"readme: {count} examples")
    return 1 if checks and stale else 0


if __name__ == "__main__":
    sys.exit(main())
