#!/usr/bin/env python3
"""Tests atscope with the captures of other projects.

  corpus.py ATSCOPE CORPUS

CORPUS contains captures/, expected/, hostile/, captures.tsv and compare.py; docs/corpus.md describes them. Checks that
sessions agree with the expected facts; that an audit of saved sessions gives the lines of the capture's own audit; that
public hosts pass without options; and that no file makes the program crash or exceed its limits of time and memory.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

from folders import files_below
from measured import run

# The share of facts that must agree; docs/corpus.md explains the differences.
AGREEMENT = "0.995"

# Hosts whose chains end at roots that Apple still trusts, with SCTs from logs in Apple's list.
PASSING = {
    "suricata-verify/lua__lua-tlslib-02__input.pcap": "www.google.com",
    "suricata-verify/base64-decode-5885__input.pcap": "redirect.viglink.com",
    "hotplace/tls__http__curl_http1_tls12.pcapng": "www.google.com",
}

TIME_LIMIT = 20
MEMORY_LIMIT = 256 * 1024 * 1024
# Stops a runaway allocation before the machine runs out of memory; well above MEMORY_LIMIT, because a process reserves more address
# space than it uses memory.
ADDRESS_SPACE = 4 * 1024 * 1024 * 1024


def names_below(folder):
    """Returns the paths of all files below a folder, relative to it."""
    return [os.path.relpath(path, folder) for path in files_below(folder)]


def session_lines(path):
    """Returns the session lines of an NDJSON file."""
    with open(path, "rb") as file:
        return [line for line in file if line.startswith(b'{"schema":"atscope.session/')]


class Corpus:
    def __init__(self, program, folder, scratch):
        self.program = os.path.abspath(program)
        self.folder = os.path.abspath(folder)
        self.scratch = scratch
        self.complaints = []
        self.slowest = (0.0, "")
        self.largest = (0, "")
        self.runs = 0

    def atscope(self, arguments, name, out, cwd):
        """Runs the program; for any input, it must exit with 0, 1 or 2 within the limits of time and memory."""
        os.makedirs(os.path.dirname(out), exist_ok=True)
        with open(out, "wb") as stdout, open(out + ".err", "wb") as stderr:
            outcome = run([self.program, *arguments], TIME_LIMIT, stdout, stderr, cwd=cwd, address_space=ADDRESS_SPACE)
        what = f"{name}: atscope {' '.join(arguments[:-1])}"
        if outcome.timed_out:
            self.complaints.append(f"{what}: not done after {TIME_LIMIT} s")
        elif outcome.status not in (0, 1, 2):
            self.complaints.append(f"{what}: exit status {outcome.status}")
        elif outcome.peak > MEMORY_LIMIT:
            self.complaints.append(f"{what}: {outcome.peak >> 20} MiB of memory")
        self.runs += 1
        self.slowest = max(self.slowest, (outcome.cpu, name))
        self.largest = max(self.largest, (outcome.peak, name))

    def read(self, name):
        """Audits a capture and its saved sessions, and compares the session lines."""
        captures = os.path.join(self.folder, "captures")
        saved = os.path.join(self.scratch, "sessions", name + ".ndjson")
        direct = os.path.join(self.scratch, "audit", name + ".ndjson")
        again = os.path.join(self.scratch, "again", name + ".ndjson")
        self.atscope(["sessions", "--format", "ndjson", name], name, saved, captures)
        self.atscope(["audit", "--format", "ndjson", name], name, direct, captures)
        self.atscope(["audit", "--format", "ndjson", saved], name, again, captures)
        if session_lines(direct) != session_lines(again):
            self.complaints.append(f"{name}: the lines of saved sessions differ from those of the capture")
        if name in PASSING:
            sessions = [json.loads(line) for line in session_lines(direct)]
            if not any(one["serverName"] == PASSING[name] and one["ats"]["verdict"] == "pass" for one in sessions):
                self.complaints.append(f"{name}: {PASSING[name]} does not pass without any option")

    def survive(self, name):
        """Audits a hostile file, with text and with NDJSON output."""
        hostile = os.path.join(self.folder, "hostile")
        for form in ("text", "ndjson"):
            out = os.path.join(self.scratch, "hostile", name + "." + form)
            self.atscope(["audit", "--format", form, name], "hostile " + name, out, hostile)

    def compare(self):
        """Compares the sessions with the expected facts; returns whether enough facts agree."""
        command = [
            sys.executable, os.path.join(self.folder, "compare.py"), "--transport", "tcp",
            "--transport", "quic", "--transport", "http", "--require-http", "--manifest", os.path.join(self.folder, "captures.tsv"), "--without", "", "--min", AGREEMENT,
            "--list", "1000", "--tree", os.path.join(self.scratch, "sessions"), os.path.join(self.folder, "expected"),
        ]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(result.stdout, end="")
        self.name_unexplained(result.stdout)
        return result.returncode == 0

    def name_unexplained(self, report):
        """Prints the captures that differ and that docs/corpus.md does not explain."""
        document = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "corpus.md")
        with open(document, encoding="utf-8") as file:
            explained = file.read()
        differing = {line.split()[0] for line in report.splitlines() if line.startswith("  ") and ".ndjson  " in line}
        for name in sorted(differing):
            if name[: -len(".ndjson")] not in explained:
                print(f"corpus: not explained in docs/corpus.md: {name}")

    def check(self):
        captures = names_below(os.path.join(self.folder, "captures"))
        hostile = names_below(os.path.join(self.folder, "hostile"))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.read, captures))
            list(pool.map(self.survive, hostile))
        agrees = self.compare()
        print(f"corpus: {len(captures)} captures and {len(hostile)} hostile files, {self.runs} runs; "
              f"at most {self.slowest[0]:.2f} s ({self.slowest[1]}) and {self.largest[0] >> 20} MiB ({self.largest[1]})")
        for complaint in self.complaints:
            print("corpus: " + complaint)
        whole = agrees and not self.complaints
        print(f"corpus: {'passed' if whole else 'FAILED'}")
        return 0 if whole else 1


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        return Corpus(sys.argv[1], sys.argv[2], scratch).check()


if __name__ == "__main__":
    sys.exit(main())
