"""Variants with host and subject names that terminals, spreadsheets, browsers and renderers may interpret."""

import struct

from .capturefile import write_pcap
from .frames import FIN, SYN, Segment, packets
from .variant import BASE, Variant, segments

ACK, PUSH = 0x10, 0x08
NAME = b"api.example.com"

# The names for Host field and SNI.
NAMES = [
    b"\x1b[31mred\x07.example",
    "\u202emoc.elpmaxe\u202c.example".encode(),
    b"=cmd|' /C calc'!A0",
    b"<script>alert(1)</script>",
    b"\"><img src=x onerror=alert(1)>",
    b"caf\xe9\xff\xfe.example",
    b"`tick` **bold** [link](http://evil.example)",
    b"{0} &amp; ]]> \\ back",
]
# The names for the subject's common name, which unlike an HTTP field can contain a line feed.
SUBJECTS = NAMES[:7] + [b"two\r\nlines\x00\xe2\x80\xa8\xef\xbb\xbf"]


def tlv(tag, content):
    """The DER encoding of one element."""
    if len(content) < 128:
        return bytes([tag, len(content)]) + content
    length = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def elements(data):
    """The elements in the content of a DER SEQUENCE, as (whole element, content) pairs."""
    found, at = [], 0
    while at < len(data):
        length, start = data[at + 1], at + 2
        if length & 0x80:
            count = length & 0x7F
            length = int.from_bytes(data[start : start + count], "big")
            start += count
        found.append((data[at:start + length], data[start : start + length]))
        at = start + length
    return found


def renamed(certificate, name):
    """The certificate with another subject; its signature is no longer valid, which does not matter here."""
    ((_, body),) = elements(certificate)
    (_, signed), algorithm, signature = elements(body)
    fields = [whole for whole, _ in elements(signed)]
    attribute = tlv(0x30, bytes.fromhex("0603550403") + tlv(0x0C, name))
    fields[5] = tlv(0x30, tlv(0x31, attribute))
    return tlv(0x30, tlv(0x30, b"".join(fields)) + algorithm[0] + signature[0])


def messages(flight):
    """The handshake messages in unencrypted records, as (type, body) pairs."""
    plain, at = b"", 0
    while at < len(flight):
        length = int.from_bytes(flight[at + 3 : at + 5], "big")
        if flight[at] == 22:
            plain += flight[at + 5 : at + 5 + length]
        at += 5 + length
    found, at = [], 0
    while at < len(plain):
        length = int.from_bytes(plain[at + 1 : at + 4], "big")
        found.append((plain[at], plain[at + 4 : at + 4 + length]))
        at += 4 + length
    return found


def records(kind, content, version=b"\x03\x03"):
    """TLS records of at most 2^14 bytes."""
    return b"".join(
        bytes([kind]) + version + struct.pack(">H", len(part)) + part
        for part in (content[at : at + 16384] for at in range(0, len(content), 16384))
    )


def handshake(kind, body):
    """A handshake message in separate records."""
    return records(22, bytes([kind]) + len(body).to_bytes(3, "big") + body)


def hello(body, name, number):
    """The body of a ClientHello with another server_name and another random."""
    at = 34 + 1 + body[34]
    at += 2 + int.from_bytes(body[at : at + 2], "big")
    at += 1 + body[at]
    head, rest, kept = body[:at], body[at + 2 :], b""
    while rest:
        length = int.from_bytes(rest[2:4], "big")
        extension, rest = rest[: 4 + length], rest[4 + length :]
        if extension[:2] == b"\x00\x00":
            entry = b"\x00" + struct.pack(">H", len(name)) + name
            entries = struct.pack(">H", len(entry)) + entry
            extension = b"\x00\x00" + struct.pack(">H", len(entries)) + entries
        kept += extension
    head = head[:2] + bytes([number]) * 32 + head[34:]
    return head + struct.pack(">H", len(kept)) + kept


def connection(start, port, server_port, turns):
    """The segments of a connection that carries these (from_client, payload) turns."""
    base = segments()[0]
    ends = {
        True: dict(source=base.source, destination=base.destination, source_port=port, destination_port=server_port),
        False: dict(source=base.destination, destination=base.source, source_port=server_port, destination_port=port),
    }
    numbers, found = {True: 1000, False: 5000}, []

    def say(from_client, flags, payload=b""):
        found.append(Segment(
            time=start + len(found) * 1_000_000, sequence=numbers[from_client], acknowledgement=numbers[not from_client],
            flags=flags, window=65535, options=b"", payload=payload, identification=len(found) + 1, **ends[from_client]))
        numbers[from_client] += len(payload) + (1 if flags & (SYN | FIN) else 0)

    say(True, SYN)
    say(False, SYN | ACK)
    say(True, ACK)
    for from_client, payload in turns:
        for at in range(0, len(payload), 1400):
            say(from_client, ACK | PUSH, payload[at : at + 1400])
    say(True, FIN | ACK)
    say(False, FIN | ACK)
    say(True, ACK)
    return found


def tls_turns(name, subject, number):
    """The turns of the base capture's TLS 1.2 session, with another host name and subject."""
    sides = {side: b"".join(s.payload for s in segments() if s.from_client == side) for side in (True, False)}
    client_hello = messages(sides[True][: 5 + int.from_bytes(sides[True][3:5], "big")])[0][1]
    end, flight = 0, sides[False]
    while flight[end] == 22 and end < len(flight):
        end += 5 + int.from_bytes(flight[end + 3 : end + 5], "big")
    server = []
    for kind, body in messages(flight[:end])[:5]:
        if kind == 2:
            body = body[:2] + bytes([0x80 | number]) * 32 + body[34:]
        elif kind == 11:
            chain, at, parts = body[3:], 0, []
            while at < len(chain):
                length = int.from_bytes(chain[at : at + 3], "big")
                parts.append(chain[at + 3 : at + 3 + length])
                at += 3 + length
            parts[0] = renamed(parts[0], subject)
            body = b"".join(len(part).to_bytes(3, "big") + part for part in parts)
            body = len(body).to_bytes(3, "big") + body
        if kind in (2, 11, 12, 14):
            server.append(handshake(kind, body))
    finish = records(20, b"\x01") + records(22, bytes(40))
    return [
        (True, handshake(1, hello(client_hello, name, number))),
        (False, b"".join(server)),
        (True, handshake(16, b"\x20" + bytes(32)) + finish),
        (False, finish),
        (True, records(23, bytes(64))),
        (False, records(23, bytes(64))),
    ]


def hostile_names():
    start = segments()[0].time
    found = []
    for number, (name, subject) in enumerate(zip(NAMES, SUBJECTS)):
        request = b"GET / HTTP/1.1\r\nHost: " + name + b"\r\n\r\n"
        answer = b"HTTP/1.1 301 Moved\r\nLocation: https://" + name.replace(b" ", b"") + b"/\r\nContent-Length: 0\r\n\r\n"
        found += connection(start + number * 100_000_000, 50000 + number, 80, [(True, request), (False, answer)])
        turns = tls_turns(name, subject, number + 1)
        found += connection(start + number * 100_000_000 + 50_000_000, 51000 + number, 443, turns)
    return write_pcap(packets(found))


VARIANTS = [
    Variant(
        "hosts/hostile-names.pcap",
        "host and subject names with escape sequences, right-to-left marks, formulas, markup and invalid UTF-8",
        hostile_names, expect=None, source=BASE),
]
