#!/usr/bin/env python3
"""Writes a large capture of TLS traffic for benchmarks, made from the handshakes recorded in captures/.

  make_capture.py --class bulk|mixed|handshakes --size 512M FILE

Each session is a recorded connection with new addresses, ports and randoms; `bulk` and `mixed` have application data added
until the handshake makes up 0.5 % or 10 % of the payload. The same options give the same bytes. Checksums and TLS messages other
than the randoms stay those of the recording, so checksums and handshake signatures are wrong.
"""
import argparse
import glob
import os
import random
import struct
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDERS = ["tls10", "tls12", "tls13", "resumption"]
# Bytes of application data for each byte of handshake.
DATA = {"bulk": 199, "mixed": 9, "handshakes": 0}
ETHERNET, IP = 14, 20
SEGMENT = 1448
RECORD = 16 * 1024
# 2026-01-01 as a Unix time, and the microseconds from one packet to the next.
START, STEP = 1_767_225_600, 10
# The random that identifies a HelloRetryRequest (RFC 8446 section 4.1.3).
RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")


class Packet:
    """A packet of a recorded connection."""

    def __init__(self, data, from_client):
        self.data = data
        self.from_client = from_client
        self.header = ETHERNET + IP + (data[ETHERNET + IP + 12] >> 4) * 4
        self.length = ETHERNET + struct.unpack_from(">H", data, ETHERNET + 2)[0]
        self.payload = data[self.header:self.length]
        self.flags = data[ETHERNET + IP + 13]
        # The offset of each random in the packet, with 0 for the client's and 1 for the server's.
        self.randoms = []


def packets_of(path):
    """Yields the packets of a little-endian pcap file of Ethernet with microseconds, or none for another kind of file."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\xd4\xc3\xb2\xa1" or struct.unpack_from("<I", data, 20)[0] != 1:
        return
    offset = 24
    while offset + 16 <= len(data):
        length = struct.unpack_from("<I", data, offset + 8)[0]
        yield data[offset + 16:offset + 16 + length]
        offset += 16 + length


def connections_of(path):
    """Yields the TCP connections over IPv4 of a capture that begin with a SYN and contain a TLS handshake."""
    found = {}
    for data in packets_of(path):
        if len(data) < 54 or data[12:15] != b"\x08\x00\x45" or data[23] != 6:
            continue
        ends = (data[26:30] + data[34:36], data[30:34] + data[36:38])
        key = tuple(sorted(ends))
        if data[47] & 0x12 == 0x02:
            found[key] = (ends[0], [])
        if key in found:
            client, packets = found[key]
            packets.append(Packet(data, ends[0] == client))
    for _, packets in found.values():
        hello = random_of(packets, True)
        answer = random_of(packets, False)
        if hello and answer:
            mark(packets, hello, answer)
            yield packets


def random_of(packets, from_client):
    """Returns the random in the hello of one side, or None if its first data is not a hello."""
    for packet in packets:
        if packet.payload and packet.from_client == from_client:
            kind = 1 if from_client else 2
            is_hello = packet.payload[0] == 22 and packet.payload[5:6] == bytes([kind])
            return packet.payload[11:43] if is_hello else None
    return None


def mark(packets, hello, answer):
    for packet in packets:
        for owner, value in ((0, hello), (1, answer)):
            at = packet.data.find(value, packet.header)
            if at >= 0 and value != RETRY:
                packet.randoms.append((at, owner))


class Template:
    """A recorded connection, and the application data to add to it."""

    def __init__(self, packets, data_share, pool):
        self.packets = packets
        wanted = sum(len(packet.payload) for packet in packets) * data_share
        # The data comes before the first FIN or RST.
        self.cut = next((i for i, packet in enumerate(packets) if packet.flags & 0x05), len(packets))
        self.data = []
        remaining = wanted
        while remaining > 0:
            length = min(remaining, RECORD)
            start = len(self.data) * 997 % (len(pool) - RECORD)
            record = b"\x17\x03\x03" + struct.pack(">H", length) + pool[start:start + length]
            self.data += [record[i:i + SEGMENT] for i in range(0, len(record), SEGMENT)]
            remaining -= length
        self.added = sum(len(piece) for piece in self.data)

    def play(self, number, source):
        """Yields the frames of one session."""
        client = struct.pack(">I", 0x0A00_0000 | (number * 2_654_435_761 & 0xFF_FFFF))
        server = struct.pack(">I", 0xC612_0000 | source.randrange(0x1_0000))
        port = struct.pack(">H", 1024 + number % 64_000)
        randoms = (source.randbytes(32), source.randbytes(32))
        for packet in self.packets[:self.cut]:
            yield self.frame(packet, client, server, port, randoms, 0)
        if self.data:
            yield from self.bulk(client, server, port)
        for packet in self.packets[self.cut:]:
            yield self.frame(packet, client, server, port, randoms, self.added)

    def frame(self, packet, client, server, port, randoms, shift):
        data = bytearray(packet.data)
        if packet.from_client:
            data[26:30], data[30:34], data[34:36] = client, server, port
        else:
            data[26:30], data[30:34], data[36:38] = server, client, port
        for at, owner in packet.randoms:
            data[at:at + 32] = randoms[owner]
        if shift:
            # The added bytes raise the server's sequence numbers and the client's acknowledgment numbers.
            at = 42 if packet.from_client else 38
            struct.pack_into(">I", data, at, struct.unpack_from(">I", data, at)[0] + shift & 0xFFFF_FFFF)
        return bytes(data)

    def bulk(self, client, server, port):
        """Yields application data from the server, with an acknowledgment for every second segment."""
        last = [packet for packet in self.packets[:self.cut] if not packet.from_client][-1]
        sequence = struct.unpack_from(">I", last.data, 38)[0] + len(last.payload)
        other = [packet for packet in self.packets[:self.cut] if packet.from_client][-1]
        received = struct.unpack_from(">I", other.data, 38)[0] + len(other.payload) & 0xFFFF_FFFF
        ethernet = last.data[:ETHERNET]
        for index, piece in enumerate(self.data):
            yield ethernet + struct.pack(
                ">BBHHHBBH4s4s2s2sIIBBHHH", 0x45, 0, 40 + len(piece), index & 0xFFFF, 0x4000, 64, 6, 0, server, client,
                last.data[34:36], port, sequence & 0xFFFF_FFFF, received, 0x50, 0x18, 512, 0, 0) + piece
            sequence += len(piece)
            if index % 2:
                yield ethernet + struct.pack(
                    ">BBHHHBBH4s4s2s2sIIBBHHH", 0x45, 0, 40, index & 0xFFFF, 0x4000, 64, 6, 0, client, server, port,
                    last.data[34:36], received, sequence & 0xFFFF_FFFF, 0x50, 0x10, 512, 0, 0)


def size_of(text):
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    return int(text[:-1]) * units[text[-1]] if text[-1:] in units else int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--class", dest="kind", choices=sorted(DATA), default="mixed")
    parser.add_argument("--size", type=size_of, default=size_of("64M"))
    parser.add_argument("file")
    options = parser.parse_args()

    source = random.Random(1)
    pool = source.randbytes(1 << 20)
    paths = [p for folder in FOLDERS for p in sorted(glob.glob(os.path.join(ROOT, "captures", folder, "*.pcap")))]
    templates = [Template(packets, DATA[options.kind], pool) for path in paths for packets in connections_of(path)]
    if not templates:
        sys.exit("make_capture: captures/ contains no handshakes")
    begun = 0

    def begin():
        nonlocal begun
        begun += 1
        return templates[source.randrange(len(templates))].play(begun, source)

    # The connections that are open at once.
    flows = [begin() for _ in range(1000)]
    time = written = 0
    # Large writes: their size determines the layout of the file in the page cache, and so the cost of reading it.
    with open(options.file, "wb", buffering=1 << 22) as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2_C3D4, 2, 4, 0, 0, 262_144, 1))
        while written < options.size:
            turn = source.randrange(len(flows))
            for _ in range(source.randrange(1, 8)):
                frame = next(flows[turn], None)
                if frame is None:
                    flows[turn] = begin()
                    break
                time += STEP
                file.write(struct.pack("<IIII", START + time // 1_000_000, time % 1_000_000, len(frame), len(frame)))
                file.write(frame)
                written += 16 + len(frame)


if __name__ == "__main__":
    main()
