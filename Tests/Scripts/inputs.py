#!/usr/bin/env python3
"""Checks that atscope reads a capture the same way from every kind of input, and as other readers do.

  inputs.py ATSCOPE [CORPUS]

Checks that a capture gives the same session lines, byte for byte, uncompressed, compressed, from a pipe (also a slow one) and from an
archive; that a rotated capture gives the lines of the whole capture; that no option, filter or command makes the program open a socket
(strace); that by default, progress is shown only on a terminal; that a run ended by a signal leaves no temporary file (Linux); and that
packets and times agree with capinfos, for the captures of this repository and of CORPUS. A check whose program is not installed is
skipped with a message.
"""
import bz2
import concurrent.futures
import datetime
import gzip
import io
import json
import lzma
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

from folders import files_below

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SAMPLES = ["captures/tls12/ecdhe-rsa-gcm.pcap", "captures/variants/format/big-endian.pcapng"]
ENDINGS = (".pcap", ".pcapng", ".cap", ".ntar")


def external(*command):
    """Returns a function that compresses data with a program, or None if the program is not installed."""
    if shutil.which(command[0]) is None:
        return None
    return lambda data: subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


COMPRESSORS = {
    "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
    "zst": external("zstd", "-q", "-c"), "lz4": external("lz4", "-q", "-c"),
}

# Filters with words that could be looked up as names: hosts, networks, ports, protocols, and keywords that only some compilers know.
FILTERS = [
    "host localhost", "host www.example.com or host 203.0.113.7", "src host a", "dst net loopback", "net example", "net 10",
    "ip6 host localhost", "ip6 host ::ffff:example", "host ::1.2.3.4", "host fe80::1%eth0", "host 1.2.3.4.5", "host 256.1.1.1",
    "host 1:2:3:4:5:6:7::", "net 1.2.3.4 mask example", "gateway router", "ip gateway 203.0.113.7", "ether host localhost",
    "ether src server", "ether host aa:bb:cc:dd:ee:ff", "wlan host printer", "port http-alt", "port nosuch", "tcp port mail",
    "udp port domain or port bootps", "portrange http-https", "portrange a-b", "port 99999", "proto example", "ip proto tcp",
    "ip proto \\udp", "ip proto nosuch", "ip protochain example", "ether proto \\arp", "ether proto nosuch", "link proto x",
    "ip6 proto nosuch", "decnet host 1.2", "iso proto clnp", "atalk or aarp", "vlan example", "mpls nosuch", "pppoes x", "geneve x",
    "type mgt subtype beacon", "ifname en0", "on en0", "rulenum x", "lane", "tcp[nosuch] = 1", "tcp[tcpflags] & tcp-syn != 0",
    "ip[0:x] = 1", "icmp[icmptype] = icmp-echo", "len > nosuch", "less ten", "nosuch", "HOST 203.0.113.7", "\\example", "a.b.c.d",
    "$host", "host (example)", "not host example", "host example and port 443", "host 203.0.113.7 or example.com", "",
]

# Options with values that could be looked up as names or fetched from the network.
NAMES = [
    *(["--filter", text] for text in FILTERS),
    ["--filter", "tcp port https"], ["--filter", "host 203.0.113.7 and portrange 1-1000"], ["--filter", "host 2001:db8::1"],
    ["--filter", "ip proto \\tcp or ether proto \\ip6"], ["--filter", "net 203.0.113.0/24 or ip6 net 2001:db8::/32"],
    ["--filter", "host www.example.com"], ["--filter", "port nosuchservice"], ["--filter", "ether host server"],
    ["--host", "*.example.com"], ["--host", "203.0.113.7"], ["--os", "ios15.4"], ["--context", "web"],
    ["--at", "2026-05-01T00:00:00Z"], ["--from", "2020-01-01T00:00:00Z", "--to", "2030-01-01T00:00:00+02:00"],
    ["--digest", "--format", "json"], ["--series", "always", "--progress", "always"],
    ["--process", "www.example.com"], ["--direct", "no"], ["--system-anchors", "https://example.com/roots.pem"],
    ["--anchors", "//example.com/roots.pem"], ["--keylog", "http://example.com/keys"], ["--ct-log-list", "https://example.com/l"],
    ["--revocations", "http://crl.example.com/a.crl"], ["--chain", "www.example.com=https://example.com/chain.pem"],
    ["--info-plist", "https://example.com/Info.plist"], ["--assume", "app-overrides-trust"],
    ["--group-by", "process", "--only-failures"], ["--format", "html"], ["--format", "sarif"], ["--format", "junit"],
    ["--format", "csv"], ["--format", "markdown"], ["--format", "ndjson"], ["--fail-on", "unknown", "--strict"],
]

# Commands with a host or a URL that could be connected to; {sample} is a capture.
COMMANDS = [
    ["sessions", "{sample}"], ["recommend", "{sample}"], ["diagnose", "{sample}"], ["certificates", "{sample}"],
    ["policy", "www.example.com"], ["policy", "203.0.113.7"], ["explain", "-1200"], ["diff", "{sample}", "{sample}"],
    ["chain", "https://example.com/chain.pem", "--host", "www.example.com", "--at", "2026-01-01T00:00:00Z"],
    ["lint", "https://example.com/Info.plist"], ["audit", "https://example.com/trace.pcap"], ["audit", "tcp@192.0.2.1:19000"],
    ["audit", "rpcap://192.0.2.1/eth0"], ["audit", "/dev/tcp/192.0.2.1/80"], ["audit", "example.com:443"],
]


class Check:
    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.complaints = []
        self.skipped = []
        self.checked = 0

    def run(self, arguments, data=None, prefix=()):
        return subprocess.run([*prefix, self.program, *arguments], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=120, check=False)

    def records(self, arguments, data=None):
        """Returns the session lines without the names of files, the summary, and the exit status."""
        done = self.run(["sessions", "--format", "ndjson", *arguments], data)
        sessions, summary = [], None
        for line in done.stdout.splitlines():
            record = json.loads(line)
            if record["schema"].startswith("atscope.session/"):
                # Lines are compared byte for byte, so names are replaced in the text rather than in the parsed record.
                name = json.dumps(record["capture"]["file"], ensure_ascii=False).encode()
                line = line.replace(b'"file":' + name, b'"file":null', 1)
                parts = record["capture"].get("parts")
                if parts:
                    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()
                    line = line.replace(b',"parts":' + text, b"", 1)
                sessions.append(line)
            elif record["schema"].startswith("atscope.summary/"):
                summary = record
        return sessions, summary, done.returncode

    def expect(self, what, condition, detail=""):
        self.checked += 1
        if not condition:
            self.complaints.append(f"{what} {detail}".strip())

    # One capture, compressed and in archives.

    def packings(self, sample, scratch):
        with open(os.path.join(ROOT, sample), "rb") as file:
            data = file.read()
        expected, _, _ = self.records([os.path.join(ROOT, sample)])
        self.expect(sample, expected, "contains no session")

        def same(what, arguments, given=None, status=0):
            sessions, _, code = self.records(arguments, given)
            self.expect(f"{sample}: {what}:", sessions == expected, "other sessions than the uncompressed file")
            self.expect(f"{sample}: {what}:", code == status, f"exit status {code}")

        same("from a pipe", ["-"], data)
        self.slowly(sample, data, expected)
        packed = {}
        for ending, compress in COMPRESSORS.items():
            if compress is None:
                self.skipped.append(f".{ending}: no program to compress with")
                continue
            packed[ending] = compress(data)
            path = os.path.join(scratch, "packed." + ending)
            with open(path, "wb") as file:
                file.write(packed[ending])
            same(f"as .{ending}", [path])
            same(f"as .{ending} from a pipe", ["-"], packed[ending])
            cut = packed[ending][: len(packed[ending]) // 2]
            _, _, code = self.records(["-"], cut)
            self.expect(f"{sample}: .{ending} truncated to half:", code == 2, f"exit status {code}")
        tar = io.BytesIO()
        with tarfile.open(fileobj=tar, mode="w") as archive:
            for name, content in (("logs/notes.txt", b"notes"), ("logs/trace.pcap", data)):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        zipped = io.BytesIO()
        with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("logs/notes.txt", "notes")
            archive.writestr("logs/trace.pcap", data)
        for name, content in (("b.tar", tar.getvalue()), ("b.tgz", gzip.compress(tar.getvalue())), ("b.zip", zipped.getvalue())):
            path = os.path.join(scratch, name)
            with open(path, "wb") as file:
                file.write(content)
            same(f"in {name}", [path])
            same(f"in {name} from a pipe", ["-"], content)
            lines = self.run(["sessions", "--format", "ndjson", path]).stdout.splitlines()
            named = {json.loads(line)["capture"]["file"] for line in lines if b'"atscope.session/' in line}
            self.expect(f"{sample}: in {name}:", named == {path + "!logs/trace.pcap"}, f"the capture is named {named}")
            summary = json.loads(lines[-1])
            skipped = sum(entry["health"].get("skippedFiles", 0) for entry in summary["inputs"])
            self.expect(f"{sample}: in {name}:", skipped == 1, f"{skipped} files counted as skipped")

    def slowly(self, sample, data, expected):
        """Checks a capture that arrives slowly in a pipe, in pieces that do not end at packet boundaries."""
        command = [self.program, "sessions", "--format", "ndjson", "-"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            for start in range(0, len(data), 97):
                process.stdin.write(data[start: start + 97])
                process.stdin.flush()
                time.sleep(0.002)
            out, _ = process.communicate(timeout=60)
        found = [line.replace(b'"file":"-"', b'"file":null', 1) for line in out.splitlines()
                 if line.startswith(b'{"schema":"atscope.session/')]
        self.expect(f"{sample}: from a slow pipe:", found == expected, "other sessions than the uncompressed file")
        self.expect(f"{sample}: from a slow pipe:", process.returncode == 0, f"exit status {process.returncode}")

    # Progress, on a terminal and elsewhere.

    def progress(self, scratch):
        sample = os.path.join(ROOT, SAMPLES[0])
        for choice, shows in (("auto", False), ("never", False), ("always", True)):
            done = self.run(["sessions", "--progress", choice, sample])
            self.expect(f"--progress {choice}, no terminal:", bool(done.stderr) == shows, f"standard error: {done.stderr[:60]}")

        # On a terminal, the progress line is shown and erased at the end; the total size of standard input is unknown.
        long = os.path.join(scratch, "long.pcap")
        with open(sample, "rb") as file:
            data = file.read()
        with open(long, "wb") as file:
            file.write(data[:24] + data[24:] * (16_000_000 // len(data)))
        for inputs, feed, shown in (([long], None, rb"\r\x1b\[K\d+ \w+ of \d"), (["-"], long, rb"\r\x1b\[K\d+ \w+, ")):
            told = self.on_terminal(["sessions"] + inputs, feed)
            fits = re.search(shown, told) is not None and told.endswith(b"\r\x1b[K")
            self.expect(f"progress on a terminal, {inputs[0] == '-' and 'standard input' or 'a file'}:", fits, f"{told[-80:]!r}")

    def on_terminal(self, arguments, feed):
        """Returns what a run writes to standard error if that is a terminal."""
        reader, terminal = pty.openpty()
        with open(feed or os.devnull, "rb") as standard_input:
            done = subprocess.Popen(
                [self.program, *arguments], stdin=standard_input, stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        told = b""
        while True:
            try:
                part = os.read(reader, 4096)
            except OSError:
                break
            if not part:
                break
            told += part
        os.close(reader)
        done.wait()
        return told

    # A rotated capture.

    def series(self, scratch):
        with open(os.path.join(ROOT, SAMPLES[0]), "rb") as file:
            data = file.read()
        expected, whole, _ = self.records([os.path.join(ROOT, SAMPLES[0])])
        records = []
        offset = 24
        while offset < len(data):
            length = struct.unpack_from("<I", data, offset + 8)[0]
            records.append(data[offset: offset + 16 + length])
            offset += 16 + length
        folder = os.path.join(scratch, "rotated")
        os.makedirs(folder)
        third = max(1, len(records) // 3)
        # A ring buffer that has wrapped, so that the order of names is not that of the packets.
        for name, part in (("t.pcap1", records[:third]), ("t.pcap2", records[third: 2 * third]), ("t.pcap0", records[2 * third:])):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data[:24] + b"".join(part))
        sessions, summary, code = self.records([folder])
        self.expect("a rotated capture:", sessions == expected, "other sessions than the whole capture")
        self.expect("a rotated capture:", code == 0, f"exit status {code}")
        entry = summary["inputs"][0]
        self.expect("a rotated capture:", entry["packets"] == whole["inputs"][0]["packets"], "other number of packets than the whole")
        self.expect("a rotated capture:", len(entry.get("parts", [])) == 3, "not three parts")
        _, summary, _ = self.records(["--series", "never", folder])
        self.expect("--series never:", len(summary["inputs"]) == 3, "not three inputs")
        # In a pipe the parts cannot be compared before they are read.
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            archive.add(folder, "rotated")
        done = self.run(["sessions", "-"], packed.getvalue())
        self.expect("a rotated capture in a pipe:", b"look like the parts of one rotated capture" in done.stderr, "no warning")
        done = self.run(["sessions", "--series", "always", "-"], packed.getvalue())
        self.expect("--series always in a pipe:", done.returncode == 2, f"exit status {done.returncode}")

    # A run that a signal ends.

    def ended(self, scratch):
        folder = os.path.join(scratch, "ended")
        os.makedirs(folder)
        try:
            os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
        except (AttributeError, OSError):
            self.skipped.append("a run ended by a signal: O_TMPFILE is not supported here")
            return
        names = ["out.ndjson", "out.html"]
        out, page = (os.path.join(folder, name) for name in names)
        command = [self.program, "audit", "--no-system-anchors", "--format", "ndjson", "-o", out, "--report", f"html={page}", "-"]
        with open(os.path.join(ROOT, SAMPLES[0]), "rb") as file:
            data = file.read()
        for way in ("SIGHUP", "SIGKILL"):
            # Under nohup the signal would be ignored.
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
            process.stdin.write(data[:-1])
            process.stdin.flush()
            files = f"/proc/{process.pid}/fd"
            limit = time.monotonic() + 20
            while sum(folder in target(os.path.join(files, name)) for name in os.listdir(files)) < 2:
                if time.monotonic() > limit:
                    break
                time.sleep(0.01)
            self.expect(f"{way}:", not os.listdir(folder), f"{os.listdir(folder)} before the output is complete")
            process.send_signal(getattr(signal, way))
            process.communicate()
            self.expect(f"{way}:", process.returncode == -getattr(signal, way), f"exit status {process.returncode}")
            self.expect(f"{way}:", not os.listdir(folder), f"{os.listdir(folder)} remain")
        expected = self.run([word for word in command[1:] if word not in ("-o", out)], data).stdout
        for what in ("a new file:", "a replaced file:"):
            self.run(command[1:], data)
            self.expect(what, sorted(os.listdir(folder)) == sorted(names), f"{os.listdir(folder)}")
            with open(out, "rb") as file:
                self.expect(what, file.read() == expected, "differs from standard output")
            mask = os.umask(0)
            os.umask(mask)
            self.expect(what, os.stat(out).st_mode & 0o777 == 0o666 & ~mask, "other permissions than those of a new file")
            with open(out, "wb") as file:
                file.write(b"old")
        # /dev/fd/1 names an open file, which is written to and not replaced.
        with open(out, "w+b") as file:
            file.write(b"before\n")
            file.flush()
            subprocess.run([*command[:5], "-o", "/dev/fd/1", "--report", f"html={page}", "-"], input=data, stdout=file, check=False)
            file.seek(0)
            self.expect("-o /dev/fd/1:", file.read() == b"before\n" + expected, "differs from standard output")
        other = os.path.join(folder, "..", "ended", "out.ndjson")
        refused = self.run([*command[1:-3], "--report", f"html={other}", "-"], data)
        self.expect("two reports in one file:", refused.returncode == 64, f"exit status {refused.returncode}")

    # No socket.

    def sockets(self, scratch):
        if shutil.which("strace") is None:
            self.skipped.append("sockets: strace is not installed")
            return
        trace = os.path.join(scratch, "trace")
        sample = os.path.join(ROOT, SAMPLES[0])
        runs = [[*options, sample] for options in NAMES]
        runs += [[word.format(sample=sample) for word in command] for command in COMMANDS]
        # The system's name tables must not be read either.
        tables = ("/etc/hosts", "/etc/services", "/etc/protocols", "/etc/networks", "/etc/ethers", "/etc/resolv.conf")
        for arguments in runs:
            done = self.run(arguments, prefix=("strace", "-f", "-e", "trace=network,openat", "-o", trace))
            with open(trace, encoding="utf-8", errors="replace") as file:
                lines = [line for line in file if "(" in line and "+++" not in line and "---" not in line]
            calls = [line for line in lines if "openat(" not in line]
            opened = [line for line in lines if any(f'"{table}"' in line for table in tables)]
            what = f"atscope {' '.join(arguments)}:"
            self.expect(what, not calls, f"uses the network: {calls[:1]}")
            self.expect(what, not opened, f"looks up names: {opened[:1]}")
            self.expect(what, done.returncode in (0, 1, 2, 64), f"exit status {done.returncode}")
        print(f"inputs: {len(runs)} runs under strace")

    # Packets and times, compared with capinfos.

    def capinfos(self, path):
        known = subprocess.run(["capinfos", "-T", "-M", "-r", "-c", "-a", "-e", "-S", path], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, check=False)
        fields = known.stdout.decode(errors="replace").strip().split("\t")
        if known.returncode != 0 or len(fields) < 4:
            return False
        _, summary, _ = self.records(["--series", "never", path])
        if summary is None or not summary["inputs"]:
            self.expect(path, False, "no summary")
            return True
        entry = summary["inputs"][0]
        self.expect(f"{path}:", entry["packets"] == int(fields[1]), f"{entry['packets']} packets, capinfos {fields[1]}")
        for key, field in (("firstTime", fields[2]), ("lastTime", fields[3])):
            if entry[key] is None or field == "n/a":
                continue
            self.expect(f"{path}:", same_second(entry[key], field), f"{key} {entry[key]}, capinfos {field}")
        return True

    def compare_with_capinfos(self, folders):
        if shutil.which("capinfos") is None:
            self.skipped.append("packets and times: capinfos is not installed")
            return
        paths = [path for folder in folders for path in files_below(folder, ENDINGS)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            compared = sum(pool.map(self.capinfos, paths))
        print(f"inputs: {compared} of {len(paths)} captures compared with capinfos")


def same_second(text, seconds):
    """Returns whether an ISO 8601 time equals the seconds since 1970 that capinfos prints, to the microsecond at most."""
    base, _, fraction = text.rstrip("Z").partition(".")
    moment = datetime.datetime.fromisoformat(base).replace(tzinfo=datetime.timezone.utc)
    ours = int((moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)).total_seconds())
    whole, _, part = seconds.partition(".")
    return ours == int(whole) and fraction.ljust(9, "0").startswith(part[:6])


def target(link):
    """Returns the path of the file that a descriptor in /proc is open on, or an empty string if the program has closed it."""
    try:
        return os.readlink(link)
    except FileNotFoundError:
        return ""


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    check = Check(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        for index, sample in enumerate(SAMPLES):
            folder = os.path.join(scratch, str(index))
            os.makedirs(folder)
            check.packings(sample, folder)
        check.series(scratch)
        check.progress(scratch)
        check.ended(scratch)
        check.sockets(scratch)
        check.compare_with_capinfos([os.path.join(ROOT, "captures"), *(os.path.join(sys.argv[2], "captures") for _ in sys.argv[2:])])
    for reason in sorted(set(check.skipped)):
        print("inputs: skipped: " + reason)
    for complaint in check.complaints:
        print("inputs: " + complaint)
    print(f"inputs: {check.checked} checks, {len(check.complaints)} complaints")
    return 1 if check.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
