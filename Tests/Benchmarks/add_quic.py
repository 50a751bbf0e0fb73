#!/usr/bin/env python3
"""Inserts QUIC packets into a capture: handshakes as recorded, then packets with short headers.

  add_quic.py [--percent 20] [--length 600] IN.pcap OUT.pcap

IN is a little-endian pcap file of Ethernet packets. `--percent` of the packets in OUT are QUIC. Each connection is the handshake of
captures/quic/version-1.pcap between new addresses and ports, then `--length` packets: repeatedly two of about
1,200 bytes from the server and one of 40 bytes from the client, like an acknowledgment.
"""
import argparse
import itertools
import os
import random
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "..", "..", "captures", "quic", "version-1.pcap")
OPEN_CONNECTIONS = 64
# The size of writes determines the layout of a file in the page cache, and so the cost of reading it. Large writes give the layout of a
# file read from disk.
PIECE = 1 << 22


def records(file):
    """Yields the header and the bytes of each packet of a pcap file whose file header has been read."""
    while len(head := file.read(16)) == 16:
        yield head, file.read(struct.unpack("<I", head[8:12])[0])


def template():
    """Returns the datagrams of the recorded handshake with their direction, and the connection ID that each side chose for itself."""
    datagrams, names = [], {}
    with open(RECORDED, "rb") as file:
        file.read(24)
        for _, packet in records(file):
            payload, from_client = packet[42:], packet[36:38] == b"\x01\xbb"
            if payload[0] & 0x80 == 0:
                break
            datagrams.append((from_client, payload))
            start = 6 + payload[5]
            names[from_client] = payload[start + 1 : start + 1 + payload[start]]
    return datagrams, names


def packet(number, from_client, payload):
    """Returns a datagram of connection `number`, in Ethernet and IPv4."""
    client = struct.pack(">BBBB", 10, number >> 16 & 255, number >> 8 & 255, number & 255)
    server = struct.pack(">BBBB", 203, 0, 113, 1 + number % 200)
    ends = (client, server) if from_client else (server, client)
    port = 1024 + number % 60000
    ports = (port, 443) if from_client else (443, port)
    udp = struct.pack(">HHHH", *ports, 8 + len(payload), 0)
    head = struct.pack(">BBHHHBBH", 0x45, 0, 28 + len(payload), number & 0xFFFF, 0x4000, 64, 17, 0)
    words = struct.unpack(">10H", head + ends[0] + ends[1])
    total = sum(words)
    check = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    return bytes(12) + b"\x08\x00" + head[:10] + struct.pack(">H", check) + ends[0] + ends[1] + udp + payload


def connection(number, datagrams, names, length, noise):
    """Yields the packets of one connection."""
    for from_client, payload in datagrams:
        yield packet(number, from_client, payload)
    for count in range(length):
        from_client = count % 3 == 2
        start = random.randrange(len(noise) - 1200)
        body = noise[start : start + (30 if from_client else 1190)]
        yield packet(number, from_client, bytes([0x40 | count & 0x3F]) + names[not from_client] + body)


def traffic(length):
    """Yields packets of many concurrent connections, without end."""
    random.seed(1)
    noise = random.randbytes(1 << 16)
    datagrams, names = template()
    fresh = (connection(number, datagrams, names, length, noise) for number in itertools.count())
    running = [next(fresh) for _ in range(OPEN_CONNECTIONS)]
    # Skips a different part of each connection, so that they do not all end together.
    for number, one in enumerate(running):
        for _ in range(number * length // OPEN_CONNECTIONS):
            next(one)
    while True:
        for place, one in enumerate(running):
            found = next(one, None)
            if found is None:
                running[place] = next(fresh)
                found = next(running[place])
            yield found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--percent", type=float, default=20)
    parser.add_argument("--length", type=int, default=600)
    parser.add_argument("source")
    parser.add_argument("target")
    options = parser.parse_args()
    share = options.percent / (100 - options.percent)
    due = 0.0
    quic = traffic(options.length)
    with open(options.source, "rb") as source, open(options.target, "wb", buffering=PIECE) as target:
        target.write(source.read(24))
        for head, bytes_ in records(source):
            target.write(head + bytes_)
            due += share
            while due >= 1:
                due -= 1
                inserted = next(quic)
                target.write(head[:8] + struct.pack("<II", len(inserted), len(inserted)) + inserted)


if __name__ == "__main__":
    main()
