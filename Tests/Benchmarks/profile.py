#!/usr/bin/env python3
"""Records how often the parts of the program run, for the compiler: Tests/Benchmarks/release.proftext.

  profile.py [--size 60M] [--generator DIR]

Builds the program once more, with counters, into .build-profile, and reads with it small captures of the kinds that bench.py measures.
What ran seldom is left out. docs/decisions/0009-a-recorded-profile.md tells what for.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

import bench

SWIFT = os.environ.get("SWIFT", "swift")
SCRATCH = os.path.join(bench.ROOT, ".build-profile")
PROFILE = os.path.join(bench.HERE, "release.proftext")
KINDS = ["handshakes", "mixed", "bulk", "bulk-quic"]
# A function is kept if some part of it ran so often.
LEAST = 5_000
HEADER = """\
# How often the parts of the functions that run most have run, as `make profile` recorded it for the compiler: LLVM's text form of
# an IR profile. Of a function that has changed since, the compiler takes no notice.
:ir
"""


def toolchain():
    """The folder of the toolchain that holds bin and lib."""
    info = json.loads(subprocess.run([SWIFT, "-print-target-info"], stdout=subprocess.PIPE, check=True).stdout)
    return os.path.normpath(os.path.join(info["paths"]["runtimeResourcePath"], "..", ".."))


def build(root):
    """The program with counters."""
    runtime = glob.glob(os.path.join(root, "lib/clang/*/lib/linux/libclang_rt.profile-*.a"))
    if not runtime:
        sys.exit("profile: the toolchain has no library for counters (libclang_rt.profile)")
    swiftc = ["-Xswiftc", "-Xfrontend", "-Xswiftc", "-ir-profile-generate"]
    linker = ["--no-export-dynamic", "-u", "__llvm_profile_runtime", runtime[0]]
    command = [SWIFT, "build", "-c", "release", "--product", "atscope", "--static-swift-stdlib", "--omit-frame-pointers",
               "--scratch-path", SCRATCH, *swiftc, *(word for name in linker for word in ("-Xlinker", name))]
    subprocess.run(command, check=True, cwd=bench.ROOT)
    return os.path.join(SCRATCH, "release", "atscope")


def functions(text):
    """The records of a profile in text form, each as its lines."""
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith(("#", ":"))]
        if len(lines) >= 3:
            yield lines


def trimmed(text):
    """What a profile says of the functions that ran often, in a fixed order."""
    kept = []
    for lines in functions(text):
        count = int(lines[2])
        if max(map(int, lines[3:3 + count]), default=0) >= LEAST:
            # Names in Swift begin with $, by which LLVM would take the next one for how many values were recorded: none.
            kept.append("\n".join(lines[:3 + count] + ["$0"]))
    return "\n".join(sorted(kept)) + "\n", len(kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", default="60M")
    parser.add_argument("--generator", default="")
    options = parser.parse_args()
    if not sys.platform.startswith("linux"):
        sys.exit("profile: the profile is recorded and used on Linux alone")

    root = toolchain()
    program = build(root)
    os.makedirs(bench.SCRATCH, exist_ok=True)
    inputs = [bench.capture(kind, options.size, options.generator) for kind in KINDS]
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LLVM_PROFILE_FILE=os.path.join(folder, "%p.profraw"))
        for path in inputs:
            status = subprocess.run([program, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
                                    cwd=bench.ROOT).returncode
            if status not in (0, 1):
                sys.exit(f"profile: exit status {status} for {path}")
        merge = [os.path.join(root, "bin", "llvm-profdata"), "merge", "--text", "-o", os.path.join(folder, "all.proftext")]
        subprocess.run(merge + glob.glob(os.path.join(folder, "*.profraw")), check=True)
        with open(os.path.join(folder, "all.proftext"), encoding="utf-8") as file:
            records, count = trimmed(file.read())
    with open(PROFILE, "w", encoding="utf-8") as file:
        file.write(HEADER + records)
    print(f"profile: {count} functions, {os.path.getsize(PROFILE)} bytes: {os.path.relpath(PROFILE, bench.ROOT)}")


if __name__ == "__main__":
    main()
