#!/usr/bin/env python3
"""Checks the Wireshark profile of docs/guide/wireshark with tshark: its column, its coloring rules and its filters.

  wireshark.py ATSCOPE
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PROFILE = "docs/guide/wireshark/atscope"
# Captures that together have every verdict.
CAPTURES = {"captures/demo/demo.pcapng": None, "captures/http/private-address.pcap": None}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    os.chdir(ROOT)
    if shutil.which("tshark") is None:
        print("wireshark: skipped: tshark is not installed")
        return 0
    faults, seen = [], set()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(PROFILE, os.path.join(folder, "profiles", "atscope"))
        environment = dict(os.environ, WIRESHARK_CONFIG_DIR=folder, HOME=folder)

        def tshark(*arguments):
            result = subprocess.run(["tshark", "-n", "-C", "atscope", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    env=environment, text=True)
            if result.returncode or re.search(r"(?i)error|syntax|unknown|isn't", result.stderr.replace("Running as user", "")):
                faults.append(f"tshark {' '.join(arguments)}: {result.stderr.strip()[-200:]}")
            return result.stdout.splitlines()

        copies = []
        for index, capture in enumerate(CAPTURES):
            copies.append(os.path.join(folder, f"{index}.pcapng"))
            subprocess.run([program, "annotate", capture, "--no-system-anchors", "--anchors", "captures/anchors/example-ca.pem", "-o",
                            copies[-1]], stderr=subprocess.DEVNULL, check=True)
        for copy in copies:
            for line in tshark("--color", "-r", copy, "-T", "fields", "-e", "frame.comment", "-e", "frame.coloring_rule.name"):
                comment, rule = (line.split("\t") + [""])[:2]
                words = re.findall(r"(?:^|,)atscope (FAIL|UNKNOWN|EXEMPT|PASS)\b", comment)
                if words:
                    first = min(words, key=["FAIL", "UNKNOWN", "EXEMPT", "PASS"].index)
                    seen.add(first)
                    if first not in rule and "relaxed" not in rule:
                        faults.append(f"a packet with {first} is colored by {rule or 'no rule'}")
            # Without -T fields, tshark prints the profile's columns.
            lines = tshark("-r", copy, "-Y", 'frame.comment contains "atscope"')
            if not lines or not all("atscope " in line for line in lines):
                faults.append("the column with comments is missing")
            with open(f"{PROFILE}/dfilters", encoding="utf-8") as file:
                filters = [line.split('" ', 1)[1].strip() for line in file if line.startswith('"')]
            with open(f"{PROFILE}/dfilter_buttons", encoding="utf-8") as file:
                filters += [line.split('","', 3)[2].replace('\\"', '"') for line in file if line.startswith('"')]
            for expression in filters:
                tshark("-r", copy, "-Y", expression)
    if seen != {"FAIL", "UNKNOWN", "EXEMPT", "PASS"}:
        faults.append(f"verdicts in these captures: {sorted(seen)}")
    for fault in faults:
        print("wireshark: " + fault)
    print(f"wireshark: {len(CAPTURES)} captures, {len(filters)} filters, verdicts {', '.join(sorted(seen))}; {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
