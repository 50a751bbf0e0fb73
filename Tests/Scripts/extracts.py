#!/usr/bin/env python3
"""Shows for every capture below captures/ that nothing is lost: a comparison of it with itself, with its saved sessions, and with
its extracts finds no change, and an extract gives every session the verdict that the capture gives it.

  extracts.py ATSCOPE [CAPTURE...]
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
faults = []


def run(program, *arguments):
    result = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode not in (0, 1, 2):
        faults.append(f"{' '.join(arguments)}: exit status {result.returncode}")
    return result


def verdicts(program, path):
    """The verdict of each session, with what a session is known by."""
    lines = run(program, path, "--format", "ndjson").stdout.decode().splitlines()
    found = []
    for line in lines:
        record = json.loads(line)
        if record["schema"] == "atscope.session/1":
            rules = [(rule["id"], rule["outcome"]) for rule in record["ats"]["rules"] if rule["required"]]
            found.append((record["serverName"], record["server"]["port"], record["application"], record["ats"]["verdict"], rules))
    return found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    os.chdir(ROOT)
    captures = sys.argv[2:] or sorted(
        os.path.join(parent, name) for parent, _, names in os.walk("captures") for name in names
        if name.endswith((".pcap", ".pcapng")))
    sizes = [0, 0]
    for capture in captures:
        with tempfile.TemporaryDirectory() as folder:
            saved, extract, hidden = (os.path.join(folder, name) for name in ("saved.ndjson", "extract.pcapng", "hidden.pcapng"))
            run(program, capture, "--format", "ndjson", "-o", saved)
            run(program, "extract", capture, "-o", extract)
            fragments = b"fragments left out" in run(program, "extract", capture, "--anonymize", "-o", hidden).stderr
            kept = os.path.join(folder, "kept.json")
            run(program, "diff", capture, capture, "--write-baseline", kept)
            expected = verdicts(program, capture)
            others = {"itself": capture, "its saved sessions": saved, "its extract": extract, "its extract without addresses": hidden}
            if fragments:
                # A tunnel in pieces: its addresses cannot be replaced, so it is not copied, and that is said.
                del others["its extract without addresses"]
            for what, other in others.items():
                if not os.path.exists(other):
                    faults.append(f"{capture}: there is no {what}")
                    continue
                if what == "itself" and os.path.exists(kept):
                    result = run(program, "diff", kept, capture, "--format", "json", "--allow-incomplete")
                    if not json.loads(result.stdout)["isEmpty"]:
                        faults.append(f"{capture}: differs from its kept baseline")
                result = run(program, "diff", capture, other, "--format", "json", "--allow-incomplete")
                # Without addresses, sessions that only an address names keep it; all others keep their names.
                found = json.loads(result.stdout)
                if not found["isEmpty"]:
                    changes = [(c["host"], c["subject"], c["before"], c["after"]) for key in
                               ("regressions", "noLongerVisible", "improvements", "moved") for c in found[key]]
                    faults.append(f"{capture}: differs from {what}: {changes[:3]} {found['newHosts'][:2]} {found['vanishedHosts'][:2]}")
            for what in ("its extract", "its extract without addresses"):
                if os.path.exists(others.get(what, "")) and verdicts(program, others[what]) != expected:
                    faults.append(f"{capture}: {what} gives other verdicts")
            sizes[0] += os.path.getsize(capture)
            sizes[1] += os.path.getsize(extract) if os.path.exists(extract) else 0
    for line in faults:
        print("extracts: " + line)
    print(f"extracts: {len(captures)} captures, {sizes[0]} bytes, extracts of {sizes[1]} bytes, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
