#!/usr/bin/env python3
"""Checks the effect of SIGINT and SIGTERM while atscope reads.

  interrupt.py ATSCOPE

On standard input, the first signal ends the input: everything written to it is reported, including what a recording program flushes after
the signal, a truncated packet is not an error, and the exit status is that of the report. On a named pipe, the report covers what was
read, a message reports the interruption, and the exit status is 2. A second signal ends the program. Files written with -o are complete.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, "captures", "variants", "hosts", "several-hosts.pcap")
failures = []


def heed_signals():
    """Restores the default handling of signals: a caller in the background ignores SIGINT, and its child processes inherit that."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def expect(what, holds, found):
    if not holds:
        failures.append(f"{what}: {found}")


def sessions(text):
    return len(json.loads(text)["sessions"])


def run(program, source, number, first, rest=b"", outputs=()):
    """Runs an audit of `source`; sends the signal after writing `first`, then writes `rest`, and does not close the pipe before the audit
    ends; returns the exit status, standard output and standard error."""
    command = [program, "--no-system-anchors", "--format", "json", *outputs, source]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=heed_signals)
    pipe = process.stdin if source == "-" else open(source, "wb", buffering=0)
    pipe.write(first)
    pipe.flush()
    time.sleep(1)
    process.send_signal(number)
    if rest:
        pipe.write(rest)
        pipe.flush()
    out, err = process.stdout.read(), process.stderr.read()
    status = process.wait(timeout=60)
    pipe.close()
    return status, out, err.decode()


def main():
    program = os.path.abspath(sys.argv[1])
    with open(SAMPLE, "rb") as file:
        data = file.read()
    whole = subprocess.run([program, "--no-system-anchors", "--format", "json", SAMPLE], capture_output=True, check=False)
    count = sessions(whole.stdout)
    with tempfile.TemporaryDirectory() as scratch:
        for number in (signal.SIGINT, signal.SIGTERM):
            name = signal.Signals(number).name
            for what, first, rest in (("whole", data, b""), ("flushed", data[: len(data) // 2], data[len(data) // 2:])):
                status, out, err = run(program, "-", number, first, rest)
                expect(f"{name} {what}", status == whole.returncode, f"status {status}: {err}")
                expect(f"{name} {what}", out and sessions(out) == count, "another number of sessions than the file")
            status, out, err = run(program, "-", number, data[:-7])
            expect(f"{name} truncated", status == whole.returncode, f"status {status}: {err}")
            path = os.path.join(scratch, f"pipe-{name}")
            os.mkfifo(path)
            report = os.path.join(scratch, f"{name}.json")
            status, _, err = run(program, path, number, data, outputs=("-o", report))
            expect(f"{name} pipe", status == 2 and "interrupted" in err, f"status {status}: {err}")
            with open(report, encoding="utf-8") as file:
                expect(f"{name} pipe", sessions(file.read()) > 0, "no session in the report")
            report = os.path.join(scratch, f"{name}-waiting.json")
            path = os.path.join(scratch, f"waiting-{name}")
            os.mkfifo(path)
            process = subprocess.Popen([program, "--format", "json", "-o", report, path], stderr=subprocess.PIPE, preexec_fn=heed_signals)
            time.sleep(1)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            expect(f"{name} waiting", process.returncode == 2 and b"interrupted" in err and os.path.exists(report), err)
        process = subprocess.Popen([program, "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=heed_signals)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        expect("second signal", process.wait(timeout=60) == -signal.SIGINT, f"status {process.returncode}")
        process.stdin.close()
    for failure in failures:
        print(f"interrupt: {failure}")
    print(f"interrupt: {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
