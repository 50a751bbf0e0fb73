#!/usr/bin/env python3
"""Measures how time grows with the input, and how much memory and output hostile captures cost; exits with 1 if a limit is exceeded.

  growth.py [--only PATTERN] [--no-memory] ATSCOPE

Each row is measured with a number of items and with twice as many. The time is the user time without that of starting the program: the
minimum of three runs, or of up to twelve if the limit is exceeded. The number grows until the time exceeds the noise. Inputs are made in a
temporary folder and removed. docs/performance.md explains the figures.
"""
import argparse
import base64
import fnmatch
import io
import json
import os
import resource
import signal
import struct
import sys
import tarfile
import tempfile
import time
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import traffic as t  # noqa: E402

# The largest allowed ratio of times for twice the items; the shortest time above the noise, and the longest allowed run, in seconds.
MOST, LEAST, LONGEST = 2.3, 0.25, 60
RUNS, AGAIN = 3, 3


def usage(command):
    """Returns the exit status of a command, its user and elapsed time in seconds, and its peak memory and output in bytes."""
    reading, writing = os.pipe()
    begin = time.monotonic()
    # This process uses little memory (see `made`), because Linux counts it towards the program's peak.
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, writing, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_CLOSE, reading)])
    os.close(writing)
    count = 0
    while piece := os.read(reading, 1 << 20):
        count += len(piece)
        if time.monotonic() - begin > LONGEST:
            os.kill(child, signal.SIGKILL)
            break
    os.close(reading)
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return code, used.ru_utime, time.monotonic() - begin, peak, count


def made(make, count, folder):
    """Returns the result of `make`, run in a separate process: memory allocated here would count towards the peak of programs."""
    reading, writing = os.pipe()
    if not (child := os.fork()):
        with os.fdopen(writing, "w") as pipe:
            json.dump(make(count, folder), pipe)
            pipe.flush()
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        result = pipe.read()
    _, status = os.waitpid(child, 0)
    if status:
        sys.exit(f"growth: cannot make the input: {make.__name__}")
    return json.loads(result)


# MARK: Inputs. Each function takes a number of items and a folder, and returns the arguments of the program.

def put(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def part(number):
    """Returns a capture of one ClientHello, as one file of a series."""
    return t.pcap([t.tcp(number, t.record(22, t.client_hello(f"h{number % 50}.example", number)))], start=t.START + number)


def zip_series(count, folder):
    path = os.path.join(folder, "series.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(count):
            archive.writestr(f"trace_{number:05}_{20260101000000 + number % 60}.pcap", part(number))
    return [path]


def tar_series(count, folder):
    path = os.path.join(folder, "series.tar")
    with tarfile.open(path, "w") as archive:
        for number in range(count):
            entry, data = tarfile.TarInfo(f"trace{number:05}.pcap"), part(number)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return [path]


def folder_series(count, folder):
    for number in range(count):
        put(folder, f"trace{number:05}.pcap", part(number))
    return [folder]


def named_files(count, folder):
    return [put(folder, f"trace{number:05}.pcap", part(number)) for number in range(count)]


def zip_members(count, folder):
    """Captures that do not form a rotated series."""
    path = os.path.join(folder, "members.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(count):
            archive.writestr(f"{chr(97 + number % 26)}{number * 7919 % 1000003}x/capture.pcap", part(number))
    return [path]


def warnings(count, folder):
    """Truncated captures."""
    path = os.path.join(folder, "warnings.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(count):
            archive.writestr(f"{number}/capture.pcap", part(number)[:-3])
    return [path]


def link_types(count, folder):
    """Packets of interfaces with a different link type each."""
    kinds = [t.interface(20000 + number % 40000) for number in range(count)]
    packets = [t.enhanced(bytes(60), number, number) for number in range(count)]
    return [put(folder, "links.pcapng", t.section() + b"".join(kinds + packets))]


def link_types_of_files(count, folder):
    path = os.path.join(folder, "links.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(count):
            archive.writestr(f"{number}/capture.pcap", t.pcap([bytes(60)], 20000 + number % 40000))
    return [path]


def interfaces(count, folder):
    kinds = [t.interface(1, f"en{number}") for number in range(count)]
    packets = [t.enhanced(t.tcp(number, b""), number, number) for number in range(count)]
    statistics = [t.block(5, struct.pack("<III", number, 0, 0) + t.option(4, struct.pack("<Q", 9)) + t.option(5, struct.pack("<Q", 1))
                          + bytes(4)) for number in range(count)]
    return [put(folder, "interfaces.pcapng", t.section() + b"".join(kinds + packets + statistics))]


def comments(count, folder):
    packets = [t.block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + t.option(1, f"comment {number}".encode()) + bytes(4))
               for number in range(count)]
    return [put(folder, "comments.pcapng", b"".join(packets) + t.interface() + t.enhanced(bytes(60), 0))]


def hellos(count, folder, name="hosts.pcap", text="h{}.example"):
    return [put(folder, name, t.pcap(t.tcp(number, t.record(22, t.client_hello(text.format(number), number)))
                                     for number in range(count)))]


def answered(count, folder, name="answered.pcap", version=b""):
    """Hosts whose servers send a different chain each."""
    def frames():
        for number in range(count):
            host = f"h{number}.example"
            chain = [t.certificate(host, serial=number)]
            yield from t.conversation(number, t.record(22, t.client_hello(host, number)), t.flight(chain, number))
    return [put(folder, name, t.pcap(frames()))]


def one_host(count, folder):
    """Sessions with one host that sends a different chain in each."""
    def frames():
        for number in range(count):
            chain = [t.certificate("www.example.com", serial=number)]
            yield from t.conversation(number, t.record(22, t.client_hello("www.example.com", number)), t.flight(chain, number))
    return [put(folder, "host.pcap", t.pcap(frames()))]


def names_of_certificate(count, folder):
    """Certificates with many names each."""
    def frames():
        for number in range(20):
            chain = [t.certificate("www.example.com", [f"h{each}.example" for each in range(count)], serial=number)]
            yield from t.conversation(number, t.record(22, t.client_hello(f"www{number}.example.com", number)), t.flight(chain, number))
    return [put(folder, "names.pcap", t.pcap(frames()))]


def long_chains(count, folder):
    """Chains of many certificates, each issued by the next."""
    def frames():
        for number in range(10):
            chain = [t.certificate(f"CA {each}" if each else "www.example.com", issuer=f"CA {each + 1}", serial=each)
                     for each in range(count)]
            yield from t.conversation(number, t.record(22, t.client_hello("www.example.com", number)), t.flight(chain, number))
    return [put(folder, "chains.pcap", t.pcap(frames()))]


def like_issuers(count, folder):
    """Chains whose issuers all have the same name."""
    def frames():
        for number in range(10):
            chain = [t.certificate("CA" if each else "www.example.com", issuer="CA", serial=each) for each in range(count)]
            yield from t.conversation(number, t.record(22, t.client_hello("www.example.com", number)), t.flight(chain, number))
    return [put(folder, "issuers.pcap", t.pcap(frames()))]


def anchors(count, folder):
    pem = "".join("-----BEGIN CERTIFICATE-----\n" + base64.encodebytes(t.certificate(f"Root {number}", issuer=f"Root {number}",
                  serial=number)).decode() + "-----END CERTIFICATE-----\n" for number in range(count))
    return ["--anchors", put(folder, "anchors.pem", pem.encode()), *answered(10, folder)]


def dns_names(count, folder):
    """DNS responses, each with a different name and address."""
    def frames():
        for number in range(count):
            question = b"".join(t.counted(1, each) for each in [b"h%d" % number, b"example", b""]) + b"\0\1\0\1"
            address = bytes([10, 77, number >> 8 & 255, number & 255])
            body = struct.pack(">HHHHHH", number & 0xFFFF, 0x8180, 1, 1, 0, 0) + question + b"\xc0\x0c\0\1\0\1\0\0\1\0\0\4" + address
            yield t.udp(number, body, up=False)
    return [put(folder, "dns.pcap", t.pcap(frames()))]


def fragments(count, folder):
    """Fragments of datagrams that are never complete, all pending at once."""
    frames = (t.ipv4(t.client(number >> 3), t.SERVER, 17, bytes(64), number & 0xFFFF, 0x2000 | number % 8 * 9) for number in range(count))
    return [put(folder, "fragments.pcap", t.pcap(frames))]


def fragments_of_one(count, folder):
    """Datagrams in many fragments each, in reverse order."""
    frames = (t.ipv4(t.client(number), t.SERVER, 17, bytes(8), number, (0x2000 if place < count - 1 else 0) | place)
              for number in range(100) for place in reversed(range(count)))
    return [put(folder, "datagram.pcap", t.pcap(frames))]


def segments_out_of_order(count, folder):
    """Connections whose segments are in reverse order."""
    def frames():
        for number in range(20):
            yield t.tcp(number, b"", sequence=999, acknowledged=0, flags=2)
            pieces = list(t.segments(number, t.record(22, t.client_hello("a.example", number, t.extension(21, bytes(count)))), True, 1000,
                                     5000, size=8))
            yield from reversed(pieces)
    return [put(folder, "segments.pcap", t.pcap(frames()))]


def hello_in_bytes(count, folder):
    """ClientHellos in segments of one byte."""
    def frames():
        for number in range(20):
            yield t.tcp(number, b"", sequence=999, acknowledged=0, flags=2)
            yield from t.segments(number, t.record(22, t.client_hello("a.example", number, t.extension(21, bytes(count)))), True, 1000,
                                  5000, size=1)
    return [put(folder, "bytes.pcap", t.pcap(frames()))]


def extensions(count, folder):
    further = b"".join(t.extension(0x4000 + number % 0xB000, b"") for number in range(count))
    return [put(folder, "extensions.pcap", t.pcap(frame for number in range(50) for frame in t.conversation(
        number, t.record(22, t.client_hello("a.example", number, further)), b"")))]


def key_log(count, folder):
    lines = "".join(f"CLIENT_RANDOM {t.seeded(number).hex()} {(t.seeded(number) + bytes(16)).hex()}\n" for number in range(count))
    return ["--keylog", put(folder, "keys.log", lines.encode()), *answered(10, folder)]


def requests(count, folder):
    """Cleartext requests on one connection, each for a different host."""
    stream = b"".join(b"GET / HTTP/1.1\r\nHost: h%d.example\r\n\r\n" % number for number in range(count))
    answers = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" * count
    return [put(folder, "requests.pcap", t.pcap(t.conversation(1, stream, answers, port=80)))]


def connections_of_requests(count, folder):
    frames = (frame for number in range(count) for frame in t.conversation(
        number, b"GET / HTTP/1.1\r\nHost: h%d.example\r\n\r\n" % number, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", port=80))
    return [put(folder, "http.pcap", t.pcap(frames))]


def header_fields(count, folder):
    head = b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: 1\r\n" % number for number in range(count)) + b"Host: a.example\r\n\r\n"
    return [put(folder, "fields.pcap", t.pcap(frame for number in range(50) for frame in t.conversation(number, head, b"", port=80)))]


def saved(count, folder):
    """Saved sessions, read again."""
    path = os.path.join(folder, "saved.ndjson")
    os.spawnvp(os.P_WAIT, PROGRAM, [PROGRAM, "--format", "ndjson", "-o", path, *answered(count, folder)])
    return [path]


def domains(count, folder):
    """Entries in NSExceptionDomains of an Info.plist."""
    entries = "".join(f"<key>h{number}.example</key><dict><key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string></dict>"
                      for number in range(count))
    plist = ('<?xml version="1.0"?><plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key>'
             f"<dict>{entries}</dict></dict></dict></plist>")
    return ["--info-plist", put(folder, "Info.plist", plist.encode()), *answered(10, folder)]


def two_sides(count, folder):
    """A comparison of two captures."""
    return ["diff", *hellos(count, folder), *hellos(count, folder, "other.pcap", "g{}.example")]


def with_command(command, make):
    return lambda count, folder: [*command, *make(count, folder)]


def as_format(name, make=answered):
    return with_command(["--format", name], make)


ROWS = [
    ("series parts in a zip", zip_series, 1000), ("series parts in a tar", tar_series, 1000), ("series parts in a folder", folder_series, 1000),
    ("files named one by one", named_files, 1000), ("captures in a zip", zip_members, 1000),
    ("link types", link_types, 4000), ("link types of files", link_types_of_files, 1000), ("interfaces", interfaces, 4000),
    ("comments", comments, 4000),
    ("hosts, hello only", hellos, 8000), ("hosts, text", answered, 2000),
    *((f"hosts, {name}", as_format(name), 2000) for name in ["json", "html", "sarif", "junit", "markdown", "csv"]),
    ("hosts, recommend", with_command(["recommend"], answered), 500), ("hosts, diagnose", with_command(["diagnose"], answered), 500),
    ("hosts, certificates", with_command(["certificates"], answered), 500), ("hosts, diff", two_sides, 4000),
    ("names in certificates", names_of_certificate, 1000), ("names in DNS", dns_names, 8000),
    ("warnings", warnings, 1000),
    ("certificates of one host", one_host, 1000), ("certificates in chains", long_chains, 50), ("issuers of one name", like_issuers, 50),
    ("anchors", anchors, 1000),
    ("fragments of datagrams", fragments, 8000), ("fragments of one datagram", fragments_of_one, 500),
    ("segments out of order", segments_out_of_order, 1000), ("segments of one byte", hello_in_bytes, 1000),
    ("extensions", extensions, 500), ("key log lines", key_log, 8000),
    ("requests of a connection", requests, 4000), ("requests", connections_of_requests, 2000), ("header fields", header_fields, 500),
    ("saved sessions", saved, 1000), ("entries of Info.plist", domains, 1000),
]
# The largest number of items for each input on which atscope has a limit, so that the number stays below that.
CEILINGS = {"fragments of one datagram": 4000, "segments out of order": 6000, "segments of one byte": 6000, "extensions": 3000,
            "names in certificates": 12000, "certificates in chains": 400, "issuers of one name": 400, "header fields": 4000,
            "interfaces": 64000, "link types": 20000, "link types of files": 20000, "series parts in a zip": 40000}


def long_names(count, folder):
    """ClientHellos with host names of 16,000 bytes."""
    def frames():
        for number in range(count):
            yield from t.conversation(number, t.record(22, t.client_hello(f"{number:06}" + "x" * 15986 + ".example", number)), b"")
    return [put(folder, "long.pcap", t.pcap(frames()))]


def hosts(count, folder, name="hosts.pcap", text="host-{:06}.names.example.com"):
    """Hosts with one ClientHello each, in a packet of about 230 bytes."""
    padding = t.extension(21, bytes(45))
    return [put(folder, name, t.pcap(t.tcp(number, t.record(22, t.client_hello(text.format(number), number, padding)))
                                     for number in range(count)))]


def requested(count, folder):
    """Hosts with one cleartext request each; the verdict is fail."""
    return [put(folder, "requested.pcap", t.pcap(t.tcp(number, b"GET / HTTP/1.1\r\nHost: host-%06d.example.com\r\n\r\n" % number, port=80)
                                                 for number in range(count)))]


FORMATS = ["text", "json", "ndjson", "html", "sarif", "junit", "markdown", "csv"]
# Title, input, number of items, commands, the limit of memory in MiB, and that of output bytes for each input byte (None: no limit).
COSTS = [
    ("hosts", hosts, 100_000, [["--format", name] for name in FORMATS], 260, None),
    ("failing hosts", requested, 100_000, [["--format", name] for name in FORMATS], 260, None),
    ("hosts", lambda count, folder: hosts(count, folder) + hosts(count, folder, "other.pcap", "other-{:06}.names.example.com"), 100_000,
     [["diff", "--format", name] for name in ["text", "json", "html", "sarif"]], 520, None),
    ("long names", long_names, 4000, [["--format", name] for name in FORMATS], 120, 4),
]
# The number of captures of a series in a zip, and the seconds that reading them may take.
SERIES, SERIES_SECONDS = 20_000, 10


def costs():
    print(f"\n{'read':16}{'as':24}{'memory':>12}{'at most':>9}{'output':>12}{'at most':>9}")
    missed = 0
    for title, make, count, commands, most, times in COSTS:
        with tempfile.TemporaryDirectory() as folder:
            paths = made(make, count, folder)
            size = sum(map(os.path.getsize, paths))
            for command in commands:
                code, _, _, peak, output = usage([PROGRAM, *command, *paths])
                is_missed = code not in (0, 1) or peak > most << 20 or times is not None and output > times * size
                missed += is_missed
                bar = f"{times * size / 1e6:6.0f} MB" if times else ""
                print(f"{title:16}{' '.join(command):24}{peak / (1 << 20):8.0f} MiB{most:9}{output / 1e6:9.1f} MB{bar:>9}"
                      f"{'  missed' if is_missed else ''}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        code, _, taken, _, _ = usage([PROGRAM, *made(zip_series, SERIES, folder)])
        is_missed = code not in (0, 1) or taken > SERIES_SECONDS
        missed += is_missed
        print(f"a zip of {SERIES:,} captures as a series: {taken:.1f} s, at most {SERIES_SECONDS}{'  missed' if is_missed else ''}")
    return missed


def seconds(make, count):
    """Returns the minimum user time of several runs with `count` items; None if one failed."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = made(make, count, folder)
        best = None
        for _ in range(RUNS):
            code, used, *_ = usage([PROGRAM, *arguments])
            if code not in (0, 1, 2):
                return None
            best = used if best is None else min(best, used)
            if best > 5:
                break
        return best


def growth(pattern):
    with tempfile.TemporaryDirectory() as folder:
        empty = put(folder, "empty.pcap", t.pcap([]))
        start = min(usage([PROGRAM, empty])[1] for _ in range(10))
    def ratio_of(once, twice):
        # The lower bound keeps a time within the noise of the clock from giving a large ratio.
        return (twice - start) / max(once - start, LEAST / 10)

    print(f"{'items':28}{'number':>8}{'time':>9}{'twice':>9}{'ratio':>8}{'at most':>9}")
    missed = 0
    for title, make, count in ROWS:
        if not fnmatch.fnmatch(title, pattern):
            continue
        ceiling = CEILINGS.get(title, 64000)
        once = seconds(make, count)
        while once is not None and once - start < LEAST and count * 2 <= ceiling:
            count = min(ceiling, count * (4 if once - start < LEAST / 4 else 2))
            once = seconds(make, count)
        twice = once and seconds(make, 2 * count)
        if once is None or twice is None:
            print(f"{title:28}{count:8}  ended by a signal, or took longer than {LONGEST} s  missed", flush=True)
            missed += 1
            continue
        ratio = ratio_of(once, twice)
        # Other work on the machine can only lengthen a run, so a row that misses is measured again, and the minimum of all runs counts.
        for _ in range(AGAIN):
            if ratio <= MOST:
                break
            once = min(once, seconds(make, count) or once)
            twice = min(twice, seconds(make, 2 * count) or twice)
            ratio = ratio_of(once, twice)
        is_missed = ratio > MOST
        missed += is_missed
        print(f"{title:28}{count:8}{once - start:7.2f} s{twice - start:7.2f} s{ratio:8.2f}{MOST:9.1f}{'  missed' if is_missed else ''}",
              flush=True)
    return missed


def main():
    global PROGRAM
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="*", help="measure only rows whose title matches")
    parser.add_argument("--no-memory", action="store_true", help="measure time only")
    parser.add_argument("program")
    options = parser.parse_args()
    PROGRAM = os.path.abspath(options.program)
    missed = growth(options.only)
    if not options.no_memory and options.only == "*":
        missed += costs()
    if missed:
        sys.exit(f"growth: {missed} missed")


if __name__ == "__main__":
    main()
