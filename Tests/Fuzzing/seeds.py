#!/usr/bin/env python3
"""Makes the seed corpora of the fuzz targets again, in Tests/Fuzzing/Seeds/TARGET, from captures/ and from bytes written here.

A seed has the SHA-1 of its bytes for a name. Findings, which tests and fuzz.sh name crash-…, are left alone.
"""
import glob
import hashlib
import json
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
SEEDS = os.path.join(HERE, "Seeds")
sys.path.insert(0, os.path.join(ROOT, "Tests", "Benchmarks"))
import traffic  # noqa: E402

# How many seeds of a target there are at most, and how long one is and all are at most.
COUNT, LENGTH, TOTAL = 12, 4096, 16 * 1024
found = {}


def add(target, data):
    """Adds a seed; those of one length and beginning are taken for the same."""
    if 0 < len(data) <= LENGTH:
        found.setdefault(target, {}).setdefault((len(data), data[:2]), bytes(data))


def packets(path):
    """Link type and bytes of each packet of a pcap file with microseconds."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\xd4\xc3\xb2\xa1":
        return
    link, offset = struct.unpack_from("<I", data, 20)[0], 24
    while offset + 16 <= len(data):
        length = struct.unpack_from("<I", data, offset + 8)[0]
        yield link & 0xFFFF, data[offset + 16:offset + 16 + length]
        offset += 16 + length


def transport(link, frame):
    """Protocol, ends, sequence number and payload of a packet over IPv4 on Ethernet; nil for any other."""
    if link != 1 or len(frame) < 42 or frame[12:14] != b"\x08\0" or frame[20] & 0x3F or frame[21]:
        return None
    start = 14 + (frame[14] & 15) * 4
    end = 14 + struct.unpack_from(">H", frame, 16)[0]
    ends = (frame[26:30] + frame[start:start + 2], frame[30:34] + frame[start + 2:start + 4])
    if frame[23] == 17:
        return "udp", ends, 0, frame[start + 8:end]
    if frame[23] == 6 and len(frame) > start + 12:
        return "tcp", ends, struct.unpack_from(">I", frame, start + 4)[0], frame[start + (frame[start + 12] >> 4) * 4:end]
    return None


def messages(stream):
    """Kind and body of the handshake messages that a stream of TLS records begins with."""
    body = b""
    while len(stream) >= 5 and stream[0] == 22:
        length = struct.unpack_from(">H", stream, 3)[0]
        body += stream[5:5 + length]
        stream = stream[5 + length:]
    while len(body) >= 4 and (length := int.from_bytes(body[1:4], "big")) <= len(body) - 4:
        yield body[0], body[4:4 + length]
        body = body[4 + length:]


# An encoded inner hello (RFC 9849 section 5.1) that takes supported_groups and key_share from the outer one.
INNER = (b"\x03\x03" + bytes(range(32)) + b"\0" + b"\0\2\x13\x01" + b"\1\0" + struct.pack(">H", 40)
         + b"\xfe\x0d\0\1\1" + b"\xfd\0\0\5\4\0\x0a\0\x33" + b"\0\0\0\x16\0\x14\0\0\x11inner.example.com")


def of_handshake(kind, body):
    if kind == 1:
        add("ClientHello", body)
        if b"\xfe\x0d" in body:
            add("InnerHello", struct.pack(">H", len(INNER)) + INNER + body)
    elif kind == 2:
        add("ServerHello", body)
    elif kind == 11:
        add("CertificateMessage", body)
        rest = body[3:]
        while len(rest) > 3:
            length = int.from_bytes(rest[:3], "big")
            add("Certificate", rest[3:3 + length])
            add("Revocation", bytes([min(255, length // 16 + 1)]) + rest[3:3 + length] + bytes(-length % 16) + b"0\0")
            rest = rest[3 + length:]
    elif kind == 12:
        for version in (1, 3):
            add("ServerKeyExchange", b"\xc0\x2f" + bytes([version]) + body)
    elif kind == 22:
        add("CertificateMessage", body)
        add("OCSP", body[4:])
    elif kind == 25:
        add("CertificateDecompression", body)


def of_datagram(payload):
    if payload[0] & 0xC0 == 0xC0:
        add("QUICPacket", payload)
        add("QUICReduction", b"\x88\0\0" + payload[6:14] + bytes(8) + payload)
        add("QUICDatagrams", struct.pack(">H", len(payload)) + payload)
    elif payload[0] in (20, 21, 22, 23, 25) and payload[1:2] == b"\xfe":
        add("DTLS", payload)


def of_capture(path):
    streams, conversations = {}, {}
    for link, frame in packets(path):
        add("PacketHeaders", (b"\0\1" if link == 1 else struct.pack(">H", 0x8000 | link)) + frame)
        parts = transport(link, frame)
        if not parts or not parts[3]:
            continue
        kind, ends, sequence, payload = parts
        if kind == "udp":
            of_datagram(payload)
            if b"\0\x35" in (ends[0][4:], ends[1][4:]):
                add("DNSMessage", payload)
            continue
        streams.setdefault(ends, {})[sequence] = payload
        talk = conversations.setdefault(tuple(sorted(ends)), [ends[0], b""])
        up = ends[0] == talk[0]
        talk[1] += struct.pack(">H", (0 if up else 0x8000) | min(len(payload), 0x1FFF)) + payload[:0x1FFF]
    for segments in streams.values():
        stream = b"".join(segments[sequence] for sequence in sorted(segments))
        for kind, body in messages(stream):
            of_handshake(kind, body)
        if stream[:1].isalpha():
            add("HTTPHead", stream[:stream.find(b"\r\n\r\n") + 4])
        if stream.startswith(b"PRI * HTTP/2.0"):
            add("HTTP2Fields", stream[24 + 9 + int.from_bytes(stream[24:27], "big") + 9:])
    for _, talk in conversations.values():
        add("Conversation", talk)


def written():
    """Seeds of targets of which captures show nothing, or little."""
    # Commands of Fragments: datagram, place, length and flags, time.
    add("Fragments", bytes.fromhex("0000070000014700 0101470001000700"))
    add("Fragments", bytes.fromhex("00020f8000000f8000014f80 0000078001"))
    add("QUICFrames", bytes.fromhex("06000a") + b"clienthello"[:10] + b"\x01\0\0\x02\x05\0\0\0\x1c\0\0\0")
    log = b"".join(bytes([number]) * 32 + bytes(15) for number in (1, 2))
    entry = b"\0" + bytes(range(32)) + (1_767_225_600_000).to_bytes(8, "big") + b"\0\0\4\3\0\4abcd"
    add("SCTList", traffic.counted(2, traffic.counted(2, entry) * 2))
    add("CertificateDecompression", b"\0\1" + (64).to_bytes(3, "big") + traffic.counted(3, bytes.fromhex("789c63601874000000400001")))
    add("OCSP", traffic.der(0x30, traffic.der(0x0A, b"\0"), traffic.der(0xA0, traffic.der(0x30, traffic.der(
        6, bytes.fromhex("2b0601050507300101")), traffic.der(4, log)))))
    name = traffic.der(0x30, traffic.der(0x31, traffic.der(0x30, traffic.der(6, b"\x55\4\3"), traffic.der(0x0C, b"Example CA"))))
    algorithm = traffic.der(0x30, traffic.der(6, bytes.fromhex("2a8648ce3d040302")))
    entry = traffic.der(0x30, traffic.der(2, b"\1"), traffic.der(0x17, b"260101000000Z"))
    add("CRL", traffic.der(0x30, traffic.der(0x30, traffic.der(2, b"\1"), algorithm, name, traffic.der(0x17, b"260101000000Z"),
        traffic.der(0x17, b"260201000000Z"), traffic.der(0x30, entry)), algorithm, traffic.der(3, b"\0abcd")))
    add("Certificate", traffic.certificate("www.example.com"))
    listed = {"description": "log", "log_id": "A" * 43 + "=", "key": "MFkw", "url": "https://log.example/", "mmd": 86400,
              "state": {"usable": {"timestamp": "2024-01-01T00:00:00Z"}}}
    add("LogList", json.dumps({"version": "1", "operators": [{"name": "x", "email": [], "logs": [listed]}]}).encode())
    entry = "<key>example.com</key><dict><key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string></dict>"
    keys = f"<key>NSAllowsArbitraryLoads</key><true/><key>NSExceptionDomains</key><dict>{entry}</dict>"
    add("InfoPlist", (f'<?xml version="1.0"?><plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict>{keys}</dict></dict>'
                      "</plist>").encode())
    add("InfoPlist", b"bplist00\xd1\x01\x02_\x10\x16NSAppTransportSecurity\xd0\x08\x0b\x24\0\0\0\0\0\0\1\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0"
                     b"\0\0\0\0\0\0\0\x25")
    for stream in (b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", b"HTTP/1.1 301 Moved\r\nLocation: https://a.example/\r\n\r\n",
                   b"5\r\nhello\r\n0\r\n\r\n"):
        add("HTTPHead", stream)


def main():
    for path in sorted(glob.glob(os.path.join(ROOT, "captures", "**", "*"), recursive=True), key=lambda path: (len(path), path)):
        name = os.path.relpath(path, ROOT)
        if not os.path.isfile(path) or name.endswith((".json", ".py", ".md")):
            continue
        with open(path, "rb") as file:
            data = file.read(1 << 20)
        if ".pcap" in name:
            add("Capture", data)
            add("Audit", data)
            of_capture(path)
        elif name.endswith(".keylog"):
            add("KeyLog", data[:LENGTH])
        elif name.endswith(".pem"):
            add("PEM", data)
    written()
    total = 0
    for target, seeds in sorted(found.items()):
        folder = os.path.join(SEEDS, target)
        os.makedirs(folder, exist_ok=True)
        for old in glob.glob(os.path.join(folder, "*")):
            if not os.path.basename(old).startswith("crash-"):
                os.remove(old)
        # Spread over all lengths.
        ordered = sorted(seeds.values(), key=lambda seed: (len(seed), seed))
        count = min(COUNT, len(ordered))
        size = 0
        for seed in (ordered[index * (len(ordered) - 1) // max(1, count - 1)] for index in range(count)):
            if size + len(seed) > TOTAL:
                break
            size += len(seed)
            with open(os.path.join(folder, hashlib.sha1(seed).hexdigest()), "wb") as file:
                file.write(seed)
        total += size
        print(f"{target:26}{min(len(ordered), COUNT):4}{size:8}")
    print(f"{'in all':26}{'':4}{total:8}")


if __name__ == "__main__":
    main()
