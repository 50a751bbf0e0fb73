#!/usr/bin/env python3
"""Runs atscope with faked system times and compares its output, which must not depend on the clock.

  clock.py ATSCOPE

Requires faketime (Debian: faketime; Homebrew: libfaketime); without it nothing is run. Audits captures/ in every report format and also
with this machine's root store, lists their sessions and certificates, and runs `diagnose`, `recommend` and `chain` on some of them.
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ANCHORS = ["--no-system-anchors", "--anchors", "captures/anchors/example-ca.pem"]
# Before all certificates of the captures, a leap day, beyond 32-bit seconds since 1970, and after all certificates.
TIMES = ["1999-12-31 23:59:59", "2024-02-29 12:00:00", "2038-01-19 03:14:08", "2077-07-07 07:07:07"]
FORMS = ["text", "json", "ndjson", "csv", "html", "sarif", "junit", "markdown", "ecs"]


def output(arguments, time=None):
    """Runs a command, at a faked time if one is given; returns standard output, standard error and exit status."""
    command = ["faketime", "-f", time, *arguments] if time else arguments
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return result.stdout, result.stderr, result.returncode


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    os.chdir(ROOT)
    if not shutil.which("faketime"):
        print("clock: skipped: faketime is not installed")
        return
    for time in TIMES:
        year, _, _ = output(["date", "-u", "+%Y"], time)
        # faketime reads the time in the local time zone, so the year in UTC may differ by 1.
        if abs(int(year) - int(time[:4])) > 1:
            sys.exit(f"clock: faketime does not work: {time} gives the year {year.decode().strip()}")
    runs = [[program, "audit", "--format", form, *ANCHORS, "captures"] for form in FORMS]
    runs += [[program, "sessions", "--format", "ndjson", "captures"], [program, "audit", "--format", "json", "captures"],
             [program, "certificates", "--format", "json", "captures"], [program, "diagnose", *ANCHORS, "captures/tls12"],
             [program, "recommend", *ANCHORS, "captures/tls12"]]
    with tempfile.TemporaryDirectory() as folder:
        chains = os.path.join(folder, "chains")
        output([program, "certificates", "captures/certificates", "-o", chains])
        runs += [[program, "chain", os.path.join(chains, name), "--host", "www.example.com", "--at", "2026-02-01T00:00:00Z", *ANCHORS]
                 for name in sorted(os.listdir(chains)) if name.endswith(".pem")]
        differences = 0
        for run in runs:
            today = output(run)
            for time in TIMES:
                if output(run, time) != today:
                    differences += 1
                    print(f"clock: at {time} the output differs: {' '.join(run[1:])}")
    if differences:
        sys.exit(1)
    print(f"clock: {len(runs)} runs at {len(TIMES)} other times: the same output")


if __name__ == "__main__":
    main()
