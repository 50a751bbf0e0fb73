#!/usr/bin/env python3
"""Checks that saved sessions, baselines and extracts of every capture below captures/ preserve its sessions.

`atscope diff` must find no change between a capture and itself, its saved sessions, its kept baseline and its extracts, and an extract
must give every session the same verdict and rule outcomes as the capture.

  extracts.py ATSCOPE [CAPTURE...]
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

from folders import files_below

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# The root CA of captures/ is trusted, so that chains are judged too; loading this machine's root store would only take time.
ANCHORS = ["--no-system-anchors", "--anchors", "captures/anchors/example-ca.pem"]
faults = []


def run(program, *arguments):
    result = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode not in (0, 1, 2):
        faults.append(f"{' '.join(arguments)}: exit status {result.returncode}")
    return result


def verdicts(program, path):
    """Returns the verdict and rule outcomes of each session, with the fields that identify it."""
    lines = run(program, path, *ANCHORS, "--format", "ndjson").stdout.decode().splitlines()
    found = []
    for line in lines:
        record = json.loads(line)
        if record["schema"] == "atscope.session/1":
            ats = record["ats"]
            rules = [(rule["id"], rule["outcome"]) for rule in ats["rules"] if rule["required"]]
            rules += [rule for rule in ats["passed"] + ats["notApplicable"] if rule.startswith("ATS-")]
            process = (record.get("process") or {}).get("name")
            unreachable = "icmp-unreachable" in record["evidence"]["notes"]
            hints = sorted(hint["name"] for hint in record["nameHints"])
            found.append((record["serverName"], record["server"]["port"], process, record["application"], unreachable, hints,
                          record["ats"]["verdict"], rules))
    return found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    os.chdir(ROOT)
    captures = sys.argv[2:] or list(files_below("captures", (".pcap", ".pcapng", ".zip", ".tgz", ".gz", ".zst")))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        sizes = list(pool.map(lambda capture: check(program, capture), captures))
    for line in faults:
        print("extracts: " + line)
    print(f"extracts: {len(captures)} captures, {sum(size[0] for size in sizes)} bytes, extracts of "
          f"{sum(size[1] for size in sizes)} bytes, {len(faults)} faults")
    return 1 if faults else 0


def check(program, capture):
    """Compares a capture with its saved sessions, baseline and extracts; returns its size and that of its extract."""
    with tempfile.TemporaryDirectory() as folder:
        saved, extract, hidden, kept = (os.path.join(folder, name) for name in
                                        ("saved.ndjson", "extract.pcapng", "hidden.pcapng", "kept.json"))
        run(program, capture, *ANCHORS, "--format", "ndjson", "-o", saved)
        run(program, "extract", capture, "-o", extract)
        fragments = re.search(rb"fragments? omitted", run(program, "extract", capture, "--anonymize", "-o", hidden).stderr)
        expected = verdicts(program, capture)
        others = {"itself": capture, "its saved sessions": saved, "its extract": extract, "its extract without addresses": hidden}
        if fragments:
            # `extract --anonymize` omits fragments with addresses that it cannot replace because other fragments are missing.
            del others["its extract without addresses"]
        for what, other in others.items():
            if not os.path.exists(other):
                faults.append(f"{capture}: missing: {what}")
                continue
            keeping = ["--write-baseline", kept] if other == capture else []
            compare(program, capture, capture, other, what, *keeping)
        if os.path.exists(kept):
            compare(program, capture, kept, capture, "its kept baseline")
        elif expected and run(program, capture, *ANCHORS, "--allow-incomplete", "--quiet").returncode != 2:
            # A damaged capture and one without sessions give no baseline.
            faults.append(f"{capture}: missing: its kept baseline")
        for what in ("its extract", "its extract without addresses"):
            if os.path.exists(others.get(what, "")) and verdicts(program, others[what]) != expected:
                faults.append(f"{capture}: {what} gives other verdicts")
        return os.path.getsize(capture), os.path.getsize(extract) if os.path.exists(extract) else 0


def compare(program, capture, baseline, current, what, *options):
    """Records a fault if `atscope diff` finds any change."""
    result = run(program, "diff", baseline, current, *ANCHORS, "--format", "json", "--allow-incomplete", *options)
    try:
        found = json.loads(result.stdout)
    except ValueError:
        faults.append(f"{capture}: no comparison with {what}: {result.stderr.decode()[:200]}")
        return
    if not found["isEmpty"]:
        changes = [(c["host"], c["subject"], c["before"], c["after"]) for key in
                   ("regressions", "noLongerVisible", "improvements", "moved") for c in found[key]]
        faults.append(f"{capture}: differs from {what}: {changes[:3]} {found['newHosts'][:2]} {found['vanishedHosts'][:2]}")


if __name__ == "__main__":
    sys.exit(main())
