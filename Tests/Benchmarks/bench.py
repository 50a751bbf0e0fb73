#!/usr/bin/env python3
"""Compares the CPU time of atscope with that of libpcap reading the same capture with an empty callback.

  bench.py [--size 512M] [--runs 5] [--generator DIR] ATSCOPE

For each kind of traffic, both programs run in turn, and the table shows the medians of their user and system times and of the ratio of each
pair of runs; the first pair is discarded. Captures are made once and kept in .build-bench. docs/performance.md explains the figures.
"""
import argparse
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
SCRATCH = os.path.join(ROOT, ".build-bench")
# Kind of capture, what is measured, options, and the largest ratio allowed.
ROWS = [
    ("bulk", "bulk", [], 0.95),
    ("bulk-quic", "bulk, a fifth QUIC", [], 0.95),
    ("mixed", "mixed", [], 1.3),
    ("handshakes", "handshakes", [], 3.0),
    ("handshakes", "handshakes, a line each", ["--format", "ndjson"], 5.0),
]


def build(name, *libraries):
    """Compiles one of the C programs in this folder and returns its path."""
    program = os.path.join(SCRATCH, name)
    command = [os.environ.get("CC", "cc"), "-O2", "-o", program, os.path.join(HERE, name + ".c"), *libraries]
    subprocess.run(command, check=True)
    return program


def capture(kind, size, generator):
    """Returns the path of the capture of a kind, which is made if it does not exist."""
    shared = os.path.join(generator, "make_capture.py") if generator else ""
    script = shared if os.path.isfile(shared) else os.path.join(HERE, "make_capture.py")
    name = f"{kind}-{size}{'' if script == shared else '-own'}.pcap"
    path = os.path.join(SCRATCH, name)
    if not os.path.exists(path):
        print(f"bench: making {name}", file=sys.stderr)
        if kind == "bulk-quic":
            add = os.path.join(HERE, "add_quic.py")
            subprocess.run([sys.executable, add, capture("bulk", size, generator), path + ".part"], check=True)
            os.rename(path + ".part", path)
            return path
        subprocess.run([sys.executable, script, "--class", kind, "--size", size, path + ".part"], check=True)
        os.rename(path + ".part", path)
    return path


def measure(usage, command):
    """Returns the CPU time in seconds and the peak memory in bytes of a command."""
    status, time, peak = map(int, subprocess.run([usage, *command], stdout=subprocess.PIPE, check=True).stdout.split())
    if status not in (0, 1):
        sys.exit(f"bench: exit status {status}: {' '.join(command)}")
    return time / 1e6, peak


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", default="512M")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--generator", default="")
    parser.add_argument("program")
    options = parser.parse_args()

    os.makedirs(SCRATCH, exist_ok=True)
    usage = build("usage")
    loop = build("pcap_loop", "-lpcap")
    program = os.path.abspath(options.program)
    print(f"{'traffic':25}{'size':>8}{'libpcap':>10}{'atscope':>10}{'MB/s':>8}{'ratio':>8}{'at most':>9}{'memory':>10}")
    for kind, name, arguments, bar in ROWS:
        path = capture(kind, options.size, options.generator)
        with open(path, "rb") as file:
            while file.read(1 << 20):
                pass
        pairs = []
        for _ in range(options.runs + 1):
            yardstick, _ = measure(usage, [loop, path])
            ours, peak = measure(usage, [program, *arguments, path])
            pairs.append((ours / max(yardstick, 1e-6), yardstick, ours, peak))
        pairs = pairs[1:]
        ratio, yardstick, ours = (statistics.median(pair[i] for pair in pairs) for i in range(3))
        peak = max(pair[3] for pair in pairs)
        megabytes = os.path.getsize(path) / 1e6
        print(f"{name:25}{options.size:>8}{yardstick:>8.3f} s{ours:>8.3f} s{megabytes / max(ours, 1e-6):>8.0f}{ratio:>8.2f}"
              f"{bar:>9.2f}{peak / (1 << 20):>6.1f} MiB", flush=True)


if __name__ == "__main__":
    main()
