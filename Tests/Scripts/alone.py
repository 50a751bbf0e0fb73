#!/usr/bin/env python3
"""Compares the session lines of captures read in separate runs with those of the same captures read in one run.

  alone.py ATSCOPE FOLDER...

Every capture below the folders is audited in a separate run, then all of them in one run: in order, reversed, and shuffled twice.
A session must have the same line in each run, unless the line names another capture that it depends on: `resumedFromCapture` if the
earlier session is in another capture, `otherCaptures` if certificates are. Fields that do not depend on that capture must still be
the same, and that capture must have been read before. The saved sessions of the run in order must give the lines of that run. With
--isolated, one run must give the lines of the separate runs, and so must its saved sessions.
"""
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

from folders import files_below

SHUFFLES = 2
SEED = 23
# The root CA of captures/ is trusted, so that a missing intermediate changes the verdict.
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ANCHORS = ["--anchors", os.path.join(ROOT, "captures", "anchors", "example-ca.pem")]
SESSION = b'{"schema":"atscope.session/1"'
# The endings of files that are not captures.
OTHERS = (".json", ".md", ".py", ".txt", ".ndjson", ".csv", ".html", ".sarif", ".xml", ".pem", ".plist", ".keys", ".log")


def captures_below(folders):
    return [path for folder in folders for path in files_below(folder) if not path.endswith(OTHERS)]


class Check:
    def __init__(self, program):
        self.program = program
        self.complaints = []
        self.links = {"resumedFromCapture": 0, "otherCaptures": 0}

    def lines(self, inputs, *options):
        """Returns the session lines of one run by capture, in the order of the report, and the whole output."""
        result = subprocess.run([self.program, "audit", "--format", "ndjson", "--series", "never", *ANCHORS, *options, *inputs],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if result.returncode not in (0, 1, 2):
            self.complaints.append(f"{len(inputs)} inputs, {inputs[0]} first: exit status {result.returncode}: {result.stderr[:200]}")
        found = {}
        for line in result.stdout.splitlines():
            if line.startswith(SESSION):
                found.setdefault(json.loads(line)["capture"]["file"], []).append(line)
        return found, result.stdout

    def compare(self, what, alone, together, order):
        """Compares the session lines of one run with those of separate runs; returns the number of lines of the one run."""
        positions = {name: position for position, name in enumerate(order)}
        compared = 0
        for name in order:
            before, after = alone.get(name, []), together.get(name, [])
            compared += len(after)
            if len(before) != len(after):
                self.complaints.append(f"{what}: {name}: {len(before)} sessions alone, {len(after)} together")
                continue
            for number, (own, other) in enumerate(zip(before, after)):
                if own != other:
                    self.compare_line(f"{what}: {name}: session {number + 1}", json.loads(own), json.loads(other), positions, name)
        return compared

    def isolated(self, alone, captures):
        """Compares the session lines of an --isolated run, and those of its saved sessions, with those of separate runs."""
        with tempfile.TemporaryDirectory() as scratch:
            names, saved = os.path.join(scratch, "names"), os.path.join(scratch, "saved.ndjson")
            with open(names, "wb") as file:
                file.write(b"".join(os.fsencode(name) + b"\0" for name in captures[::-1]))
            found, output = self.lines(["--files-from", names, "--null"], "--isolated")
            with open(saved, "wb") as file:
                file.write(output)
            for what, lines in (("isolated", found), ("isolated, saved", self.lines([saved], "--isolated")[0])):
                if lines != alone:
                    names = [name for name in captures if lines.get(name) != alone.get(name)]
                    self.complaints.append(f"{what}: {len(names)} captures have other lines than in separate runs, such as {names[:3]}")

    def compare_line(self, what, own, other, positions, name):
        """Compares two lines of one session, except for the fields that another capture can change if the line names it."""
        named = []
        resumed = (other.get("tls") or {}).pop("resumedFromCapture", None)
        if resumed is not None:
            named.append(resumed)
            self.links["resumedFromCapture"] += 1
            # A session linked to an earlier one in its own capture must keep that link.
            if own["tls"].get("resumedFrom") is not None:
                self.complaints.append(f"{what}: linked to another capture, although its own contains the earlier session")
            for record in (own, other):
                record["tls"].pop("resumedFrom", None)
                record.pop("assumedCertificatesFrom", None)
                record["assumedCertificates"] = record["assumedCertificatesSource"] = None
                record["evidence"]["notes"] = []
        others = (other.get("ats") or {}).get("otherCaptures", [])
        if others:
            named += others
            self.links["otherCaptures"] += 1
        for capture in named:
            if positions.get(capture, len(positions)) >= positions[name]:
                self.complaints.append(f"{what}: names {capture}, which was not read before")
        verdicts = [record["ats"].pop("verdict") for record in (own, other)]
        if verdicts[0] != verdicts[1] and not named:
            self.complaints.append(f"{what}: {verdicts[0]} alone, {verdicts[1]} together, and the line names no other capture")
        if named:
            own["ats"] = other["ats"] = None
        if own != other:
            keys = [key for key in own if own[key] != other.get(key)]
            self.complaints.append(f"{what}: {', '.join(keys) or 'the verdict'} differ when read together")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    check = Check(os.path.abspath(sys.argv[1]))
    captures = captures_below(sys.argv[2:])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        single = list(pool.map(lambda path: check.lines([path])[0], captures))
    alone = {}
    for found in single:
        alone.update(found)
    orders = [("forward", captures), ("reversed", captures[::-1])]
    shuffler = random.Random(SEED)
    for number in range(SHUFFLES):
        order = captures[:]
        shuffler.shuffle(order)
        orders.append((f"shuffled {number + 1}", order))
    compared = 0
    for what, order in orders:
        together, output = check.lines(order)
        compared += check.compare(what, alone, together, order)
        if what == "forward":
            with tempfile.TemporaryDirectory() as scratch:
                saved = os.path.join(scratch, "saved.ndjson")
                with open(saved, "wb") as file:
                    file.write(output)
                if check.lines([saved])[0] != together:
                    check.complaints.append("forward: the lines of saved sessions differ from those of the captures")
    check.isolated(alone, captures)
    links = ", ".join(f"{count} by {name}" for name, count in check.links.items())
    print(f"alone: {len(captures)} captures, {compared} lines of {len(orders)} runs compared; linked across captures: {links}")
    for complaint in check.complaints[:40]:
        print(f"alone: {complaint}")
    if check.complaints:
        sys.exit(f"alone: {len(check.complaints)} complaints")


if __name__ == "__main__":
    main()
