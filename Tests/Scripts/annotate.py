#!/usr/bin/env python3
"""Compares every capture with the copy that `atscope annotate` writes.

  annotate.py [--all] ATSCOPE FOLDER...

An audit of the copy must give the same session records except for the file name, and the copy must have a comment for each verdict and
each failing rule at its frames. If tshark is installed, it must read the same packets from both files (number, time, lengths, link type,
interface, bytes, existing comments) and every added comment; this is checked for every third pcapng file and every eighth other file,
with --all for every file. Annotating a copy again must not change it, and under another policy must replace the comments.
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from folders import files_below

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ANCHORS = ["--no-system-anchors", "--anchors", "captures/anchors/example-ca.pem"]
SUFFIXES = (".pcap", ".pcapng", ".cap", ".dmp", ".trace", ".gz", ".zst", ".xz", ".zip", ".tgz")
FIELDS = ["frame.number", "frame.time_epoch", "frame.len", "frame.cap_len", "frame.encap_type", "frame.interface_id", "frame.interface_name",
          "frame.md5_hash", "frame.comment"]
COUNTS = re.compile(r"(\d+) packets? copied, (\d+) comments? on (\d+) sessions?")
faults = []


def sessions(program, path):
    """Returns the session records of a capture without its file name, and the exit status."""
    result = subprocess.run([program, path, *ANCHORS, "--format", "ndjson"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    found = []
    for line in result.stdout.decode().splitlines():
        record = json.loads(line)
        if record["schema"] == "atscope.session/1":
            name = record["capture"]["file"]
            record["capture"].pop("parts", None)
            found.append(unnamed(record, name))
    return found, result.returncode


def unnamed(value, name):
    if isinstance(value, dict):
        return {key: unnamed(item, name) for key, item in value.items()}
    if isinstance(value, list):
        return [unnamed(item, name) for item in value]
    return "FILE" if value == name else value


def packets(path):
    """Returns the rows of FIELDS that tshark reads and whether it reads to the end, or None if it reads no packet."""
    arguments = [argument for field in FIELDS for argument in ("-e", field)]
    result = subprocess.run(["tshark", "-n", "-r", path, "-o", "frame.generate_md5_hash:TRUE", "-T", "fields", *arguments],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    rows = [line.split("\t") for line in result.stdout.decode(errors="replace").splitlines()]
    return (rows, result.returncode == 0) if rows else None


def compare_packets(capture, copy, own):
    """Compares the packets that tshark reads from both files; returns the numbers of packets and of added comments that it reads."""
    before = packets(capture)
    if before is None:
        return 0, 0
    after = packets(copy)
    if after is None:
        faults.append(f"{capture}: tshark reads no packet from the copy")
        return 0, 0
    read = 0
    if len(before[0]) != len(after[0]):
        faults.append(f"{capture}: {len(before[0])} packets, {len(after[0])} in the copy, according to tshark")
    for old, new in zip(before[0], after[0]):
        # A pcap file has no interfaces; its pcapng copy has one, which tshark numbers.
        columns = range(5) if old[5] == "" or new[5] == "" else range(7)
        if [old[c] for c in columns] + [old[7]] != [new[c] for c in columns] + [new[7]]:
            faults.append(f"{capture}: tshark reads {old[:8]}, from the copy {new[:8]}")
            break
        if old[8] and not new[8].startswith(old[8]):
            faults.append(f"{capture}: the comment of packet {old[0]} is missing: {old[8][:60]}")
        read += len(re.findall(r"(?:^|,)atscope [A-Z]", new[8])) - len(re.findall(r"(?:^|,)atscope [A-Z]", old[8]))
    if own is not None and read != own:
        faults.append(f"{capture}: {own} comments, tshark reads {read}")
    return len(before[0]), read


def compare_comments(capture, copy, records):
    """Checks with tshark that every verdict and every failing rule has its comment."""
    text = {row[0]: row[8] for row in (packets(copy) or ([], True))[0]}
    for record in records:
        frames = record["evidence"]["frames"]["clientHello"] or [record["capture"]["firstFrame"]]
        found = text.get(str(frames[0]), "")
        if f"session {record['id']}" not in found or f"atscope {record['ats']['verdict'].upper()}" not in found:
            faults.append(f"{capture}: no comment with the verdict of {record['id']} at frame {frames[0]}")
        for rule in record["ats"]["rules"]:
            if rule["outcome"] != "fail":
                continue
            word = "FAIL" if rule["required"] else "(ADVICE|REFUSED)"
            for frame in rule.get("frames") or frames[:1]:
                if not re.search(f"atscope {word} [^,]*: {rule['id']}: ", text.get(str(frame), "")):
                    faults.append(f"{capture}: no comment for {rule['id']} at frame {frame}")


def check(program, capture, uses_tshark):
    """Compares a capture with its copy; returns the numbers of packets copied, comments added, packets and comments read by tshark."""
    with tempfile.TemporaryDirectory() as folder:
        copy, again = os.path.join(folder, "copy.pcapng"), os.path.join(folder, "again.pcapng")
        result = subprocess.run([program, "annotate", capture, *ANCHORS, "-o", copy], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        errors = result.stderr.decode()
        records, status = sessions(program, capture)
        if not os.path.exists(copy):
            if status != 2 or result.returncode != 2:
                if "annotate writes one capture" not in errors:
                    faults.append(f"{capture}: no copy: {errors.strip()[-200:]}")
            return 0, 0, 0, 0
        if result.returncode not in (0, 2):
            faults.append(f"{capture}: exit status {result.returncode}: {errors[-200:]}")
        copied, status_of_copy = sessions(program, copy)
        if copied != records:
            differing = [a["id"] for a, b in zip(records, copied) if a != b][:3]
            faults.append(f"{capture}: {len(records)} sessions, {len(copied)} in the copy; records differ: {differing}")
        counts = COUNTS.search(errors)
        number, comments = (int(counts[1]), int(counts[2])) if counts else (0, 0)
        if "omitted: these packets were copied" in errors:
            faults.append(f"{capture}: comments omitted: {errors.strip()[-200:]}")
        read = (0, 0)
        if uses_tshark:
            is_plain = not capture.endswith((".zip", ".tgz"))
            if is_plain:
                read = compare_packets(capture, copy, comments)
            if read[0] and "omitted" not in errors:
                compare_comments(capture, copy, records)
        if status_of_copy != 2:
            subprocess.run([program, "annotate", copy, *ANCHORS, "-o", again], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if not os.path.exists(again) or open(again, "rb").read() != open(copy, "rb").read():
                faults.append(f"{capture}: annotating the copy again changes it")
        return number, comments, *read


def replacement(program):
    """Checks that annotating a copy under another policy gives what annotating the capture does, and counts the replaced comments."""
    demo = "captures/demo/demo.pcapng"
    with tempfile.TemporaryDirectory() as folder:
        first, again, fresh = (os.path.join(folder, name + ".pcapng") for name in ("first", "again", "fresh"))
        subprocess.run([program, "annotate", demo, "-o", first], stderr=subprocess.DEVNULL)
        result = subprocess.run([program, "annotate", first, *ANCHORS, "-o", again], stderr=subprocess.PIPE)
        subprocess.run([program, "annotate", demo, *ANCHORS, "-o", fresh], stderr=subprocess.DEVNULL)
        with open(again, "rb") as one, open(fresh, "rb") as other:
            if one.read() != other.read():
                faults.append(f"{demo}: annotating a copy under another policy leaves comments of the earlier run")
        if not re.search(rb"; \d+ comments? of an earlier run replaced", result.stderr):
            faults.append(f"{demo}: the summary does not count replaced comments: {result.stderr.decode()[-200:]}")


def refusals(program):
    """Checks the exit status of annotate, show, diff and lint for valid and invalid arguments, and that no copy is written."""
    demo = "captures/demo/demo.pcapng"
    with open(demo, "rb") as file:
        before = file.read()
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "target.pcapng")
        saved = os.path.join(folder, "saved.ndjson")
        fifo = os.path.join(folder, "fifo")
        subprocess.run([program, demo, "--format", "ndjson", "-o", saved], stderr=subprocess.DEVNULL)
        os.mkfifo(fifo)
        for arguments, status in ((["annotate", "-", "-o", target], 64), (["annotate", demo, "-o", demo], 64), (["annotate", demo], 64),
                                  (["annotate", demo, demo, "-o", target], 2), (["annotate", saved, "-o", target], 2),
                                  (["annotate", fifo, "-o", target], 2), (["annotate", "nowhere.pcap", "-o", target], 2),
                                  (["annotate", "README.md", "-o", target], 2), (["show", "xyz", demo], 64), (["show", "2a48"], 64),
                                  (["show", "--frame", "0", demo], 64), (["show", "--frame", "4", "-"], 64), (["show", "0000", demo], 1),
                                  (["show", "--frame", "99999", demo], 1), (["show", "2a48", "nowhere.pcap"], 2),
                                  (["show", "2A48", demo], 0), (["show", "--frame", "39", demo], 0), (["show", "2a48", saved], 0),
                                  (["diff", demo, demo, "--format", "ecs"], 64), (["lint", "docs/examples/Info.plist", "--format", "ecs"], 64)):
            result = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if result.returncode != status or status and not result.stderr:
                faults.append(f"{' '.join(arguments)}: exit status {result.returncode}, not {status}: {result.stderr.decode()[-200:]}")
            if os.path.exists(target):
                faults.append(f"{' '.join(arguments)}: an output file was written")
    with open(demo, "rb") as file:
        if file.read() != before:
            faults.append(f"{demo}: the input has changed")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--all"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(arguments[0])
    folders = [os.path.abspath(folder) for folder in arguments[1:]]
    os.chdir(ROOT)
    captures = []
    for folder in folders:
        captures += sorted(os.path.relpath(path) for path in files_below(folder, SUFFIXES))
    has_tshark = shutil.which("tshark") is not None
    if not has_tshark:
        print("annotate: tshark is not installed: packets and comments are not read back")
    all_of_them = "--all" in sys.argv
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = list(pool.map(
            lambda item: check(program, item[1],
                               has_tshark and (all_of_them or item[0] % (3 if item[1].endswith(".pcapng") else 8) == 0)),
            enumerate(captures)))
    refusals(program)
    replacement(program)
    for line in faults:
        print("annotate: " + line)
    total = [sum(column) for column in zip(*counts)]
    print(f"annotate: {len(captures)} captures, {total[0]} packets, {total[1]} comments; tshark read {total[2]} packets and {total[3]} "
          f"comments back; {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
