#!/usr/bin/env python3
"""Compares atscope's packet counts and times of captures with Wireshark's.

  agreement.py ATSCOPE FOLDER...

Compared for every capture below the folders: the number of packets, the earliest and the latest time, and the number of packets
truncated to the snapshot length. One run of capinfos reads all captures; tshark, which takes a quarter of a second to start, reads those
that have truncated packets, and those for which capinfos and atscope differ. If tshark stops before the end of a file, atscope must read
at least as many packets; the rest is compared only if the numbers agree.
"""
import concurrent.futures
import datetime
import json
import os
import shutil
import subprocess
import sys

from folders import files_below

ENDINGS = (".pcap", ".pcapng", ".cap", ".dmp", ".pcap.1", ".pcapng.1")


def epoch(text):
    """Returns the nanoseconds since 1970 of an ISO 8601 time that atscope wrote."""
    if text is None:
        return None
    whole, _, fraction = text.rstrip("Z").partition(".")
    moment = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
    return int(moment.timestamp()) * 1_000_000_000 + int((fraction or "0").ljust(9, "0")[:9])


def nanoseconds(text):
    """Returns the nanoseconds of a number of seconds that tshark wrote."""
    sign = -1 if text.startswith("-") else 1
    whole, _, fraction = text.lstrip("-").partition(".")
    return sign * (int(whole) * 1_000_000_000 + int((fraction or "0").ljust(9, "0")[:9]))


def by_tshark(path):
    """Returns the number of packets, the earliest and the latest time or None, the number of truncated packets, and whether tshark
    read to the end.

    Rows without an encapsulation type are not packets but other pcapng blocks, such as custom blocks.
    """
    fields = ["frame.time_epoch", "frame.len", "frame.cap_len", "frame.encap_type"]
    arguments = [a for field in fields for a in ("-e", field)]
    result = subprocess.run(
        ["tshark", "-n", "-r", path, "-T", "fields", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    times, packets, cut = [], 0, 0
    for line in result.stdout.decode(errors="replace").splitlines():
        time, length, kept, kind = line.split("\t")[:4]
        if not kind:
            continue
        packets += 1
        cut += int(kept) < int(length)
        if time:
            times.append(nanoseconds(time))
    return packets, min(times, default=None), max(times, default=None), cut, result.returncode == 0


def by_capinfos(paths):
    """Returns the number of packets, the earliest and the latest time of each capture that has no truncated packets."""
    result = subprocess.run(["capinfos", "-T", "-r", "-c", "-a", "-e", "-S", "-l", *paths], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)
    found = {}
    for line in result.stdout.decode(errors="replace").splitlines():
        path, _, least, most, packets, first, last = line.split("\t")
        if least == most == "n/a" and first != "n/a":
            found[path] = int(packets), nanoseconds(first), nanoseconds(last), 0
    return found


def by_atscope(program, path):
    result = subprocess.run(
        [program, "sessions", "--format", "json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    found = json.loads(result.stdout)["summary"]["inputs"][0]
    cut = found["health"].get("truncatedBySnaplen", 0)
    return found.get("packets"), epoch(found.get("firstTime")), epoch(found.get("lastTime")), cut


def compare(program, path, by_others):
    """Returns the differences as a list of texts, and whether Wireshark's programs read the capture."""
    if by_others is not None and by_atscope(program, path) == by_others:
        return [], True
    seen, first, last, cut, whole = by_tshark(path)
    if seen == 0 and not whole:
        return ["not read by tshark"], False
    packets, own_first, own_last, own_cut = by_atscope(program, path)
    faults = []
    if packets != seen and (whole or (packets or 0) < seen):
        faults.append(f"{packets} packets, tshark has {seen}")
    elif packets == seen:
        # Simple Packet Blocks have no timestamp; tshark writes 0.
        if first not in (own_first, None, 0):
            faults.append(f"first time {own_first}, tshark has {first}")
        if last not in (own_last, None, 0):
            faults.append(f"last time {own_last}, tshark has {last}")
        if cut != own_cut:
            faults.append(f"{own_cut} truncated packets, tshark has {cut}")
    return faults, True


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if shutil.which("tshark") is None or shutil.which("capinfos") is None:
        print("agreement: skipped: tshark and capinfos are not installed")
        return 0
    program = os.path.abspath(sys.argv[1])
    paths = [path for folder in sys.argv[2:] for path in files_below(folder)
             if path.endswith(ENDINGS) or "." not in os.path.basename(path)]
    by_others = by_capinfos(paths)
    compared = faults = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (found, is_read) in zip(paths, pool.map(lambda path: compare(program, path, by_others.get(path)), paths)):
            if not is_read:
                continue
            compared += 1
            faults += len(found)
            for fault in found:
                print(f"agreement: {path}: {fault}")
    print(f"agreement: {compared} of {len(paths)} captures compared, {faults} differences")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
