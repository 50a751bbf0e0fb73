#!/usr/bin/env python3
"""Tests atscope with generated captures of cleartext HTTP/1.x whose contents are known.

  cleartext.py ATSCOPE [--captures N] [--seed N] [--keep FOLDER] [--extracts]

Each connection is generated from a seed: both endpoints send messages built from RFC 9112 and RFC 9110, which are divided into
segments. Segments may be reordered, retransmitted, lost, truncated, or captured in one direction only. The expected report follows
from how the connection was made and from the policy text, never from atscope's own output. With --extracts, every capture is also
compared with its extract.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

CLIENT, SERVER = 0, 1
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
# Data that looks like messages but only appears in bodies and WebSocket frames; none of it may be reported.
DECOYS = [b"GET /decoy HTTP/1.1\r\nHost: decoy.example\r\n\r\n", b"HTTP/1.1 302 Found\r\nLocation: https://decoy.example/\r\n\r\n",
          b"CONNECT decoy.example:443 HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\x05hello", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
# Hosts as sent, as reported, and whether ATS allows cleartext to them without an exception (policy text A.4, B.9, C.2).
HOSTS = [
    ("api.example.com", "api.example.com", False), ("www.example.org", "www.example.org", False),
    ("API.Example.COM", "api.example.com", False), ("api.example.com:8080", "api.example.com", False),
    ("cdn.example.net:", "cdn.example.net", False), ("xn--bcher-kva.example", "xn--bcher-kva.example", False),
    ("dotted.example.", "dotted.example.", False), ("Under_score.example", "under_score.example", False),
    ("nas", "nas", True), ("NAS:5000", "nas", True), ("printer.local", "printer.local", True), ("Printer.Local.", "printer.local.", True),
    ("nas.", "nas.", False), ("local", "local", True), ("notlocal.localx", "notlocal.localx", False),
    ("192.168.1.4", "192.168.1.4", True), ("10.9.8.7:81", "10.9.8.7", True), ("172.31.0.1", "172.31.0.1", True),
    ("172.32.0.1", "172.32.0.1", False), ("203.0.113.9", "203.0.113.9", False), ("100.64.0.1", "100.64.0.1", False),
    ("127.0.0.1:3000", "127.0.0.1", True), ("[::1]", "::1", True), ("[fe80::1]:8080", "fe80::1", True),
    ("[2001:db8::7]", "2001:db8::7", False), ("[2001:DB8::7]:80", "2001:db8::7", False),
    ("captive.apple.com", "captive.apple.com", True), ("apple.com", "apple.com", True), ("pineapple.com", "pineapple.com", False),
]
REASONS = {200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 304: "Not Modified",
           307: "Temporary Redirect", 308: "Permanent Redirect", 400: "", 404: "Not Found", 500: "Oh: dear HTTP/1.1"}


class Connection:
    """The data that both endpoints of one connection send, in order, and what must be reported."""

    def __init__(self, chance, server_port=None):
        self.chance = chance
        self.server_port = server_port or chance.choice([80, 80, 8080, 3128, 443, 8443, 12345])
        self.flights = []  # (direction, bytes)
        self.requests = []  # the requests to be reported, in order
        self.tunnels = []  # the tunnels to be reported, outermost first
        self.target = None  # the host of the innermost CONNECT, and its offset in the stream
        self.tls_name = None  # the server of the TLS handshake in the tunnel
        self.safe = {CLIENT: [], SERVER: []}  # ranges whose loss does not hide where the next message begins
        self.length = [0, 0]

    def say(self, direction, data, safe=False):
        if safe and data:
            self.safe[direction].append((self.length[direction], self.length[direction] + len(data)))
        if self.flights and self.flights[-1][0] == direction:
            self.flights[-1] = (direction, self.flights[-1][1] + data)
        else:
            self.flights.append((direction, data))
        self.length[direction] += len(data)

    # Messages

    def field(self, name, value):
        """Returns a header field with a random choice of valid case and whitespace."""
        chance = self.chance
        name = chance.choice([name, name, name.lower(), name.upper()])
        blank = chance.choice([" ", " ", "", "  ", "\t"])
        return f"{name}:{blank}{value}{chance.choice(['', '', ' '])}\r\n".encode("latin-1")

    def other_fields(self):
        chance = self.chance
        some = [("User-Agent", "App/1 (x; y)"), ("Accept", "*/*"), ("Cookie", "host: decoy.example"), ("X-Host", "decoy.example"),
                ("Referer", "http://decoy.example/"), ("X-Forwarded-Host", "decoy.example"), ("Accept-Language", "de"), ("Empty", "")]
        return b"".join(self.field(*pair) for pair in chance.sample(some, chance.randrange(4)))

    def body(self, direction):
        """Returns the header fields that frame a random body, and its parts: data, and whether its loss hides no message."""
        chance = self.chance
        size = chance.choice([0, 1, 10, 200, 1400, 5000])
        data = b""
        while len(data) < size:
            data += chance.choice(DECOYS + [bytes(chance.randrange(256) for _ in range(37))])
        kind = chance.choice(["length", "length", "chunked", "chunked", "both"])
        if kind == "length":
            return self.field("Content-Length", len(data)), [(data, True)]
        fields = self.field("Transfer-Encoding", chance.choice(["chunked", "Chunked", "gzip, chunked"]))
        if kind == "both":
            fields += self.field("Content-Length", chance.choice([3, 0, 99999]))
        parts = []
        position = 0
        while position < len(data):
            count = min(len(data) - position, chance.choice([1, 7, 100, 1000]))
            size_line = chance.choice(["%x", "%X", "000%x", '%x;a="b"', "%x ; ext=1"]) % count
            parts += [(size_line.encode() + b"\r\n", False), (data[position:position + count], True), (b"\r\n", False)]
            position += count
        trailer = chance.choice([b"", b"", b"Host: decoy.example\r\nContent-Length: 5\r\n"])
        parts.append((b"0\r\n" + trailer + b"\r\n", False))
        return fields, parts

    def request(self, host, is_proxy=False, method=None, connection=None, upgrade=None):
        """Sends the head of a request for a host; returns what must be reported, and the parts of the body."""
        chance = self.chance
        method = method or chance.choice(["GET", "GET", "GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH"])
        path = chance.choice(["/", "/a/b", "/index.html", "/%7Euser", "/" + "x" * chance.randrange(300)])
        query = chance.choice(["", "", "?q=1&u=http://decoy.example/", "?a?b#c"])
        # In a tunnel, a target in absolute-form would be for another proxy.
        form = "absolute" if is_proxy else chance.choice(["origin"] * 12 + ["origin" if self.target else "absolute"])
        if method == "OPTIONS" and chance.random() < 0.3:
            form, path, query = "asterisk", "*", ""
        target = path + query
        sent_host = host[0] if host else None
        version = "1.1"
        if form == "absolute" and host:
            user = chance.choice(["", "", "me:secret@"])
            target = chance.choice(["http", "HTTP", "ws"]) + "://" + user + host[0] + target
            # A target in absolute-form overrides the Host field (RFC 9112 §3.2.2).
            sent_host = chance.choice([host[0], host[0], "decoy.example", None])
        if host is None or sent_host is None:
            version = chance.choice(["1.0", "1.1"])
        head = chance.choice([b"", b"", b"", b"\r\n"]) if self.requests else b""
        start = self.length[CLIENT] + len(head)
        head += f"{method} {target} HTTP/{version}\r\n".encode("latin-1")
        fields = [self.field("Host", sent_host)] if sent_host is not None else []
        if chance.random() < 0.03 and not fields:
            fields.append(self.field("Host", ""))
        if connection:
            fields.append(self.field("Connection", connection))
        elif version == "1.0" and chance.random() < 0.7:
            fields.append(self.field("Connection", chance.choice(["keep-alive", "Keep-Alive", "foo, keep-alive"])))
        if upgrade:
            fields += [self.field("Connection", "keep-alive, Upgrade"), self.field("Upgrade", upgrade)]
        parts = []
        if method in ("POST", "PUT", "PATCH") or chance.random() < 0.05:
            if version == "1.1":
                framing, parts = self.body(CLIENT)
            else:
                data = chance.choice(DECOYS)
                framing, parts = self.field("Content-Length", len(data)), [(data, True)]
            fields.append(framing)
        chance.shuffle(fields)
        head += b"".join(self.other_fields() + one for one in fields) + self.other_fields() + b"\r\n"
        self.say(CLIENT, head)
        asked = {"method": method, "host": host[1] if host else None, "allowed": bool(host and host[2]), "path": path, "status": None,
                 "scheme": None, "redirect": None, "type": None, "start": start, "end": self.length[CLIENT], "upgrade": upgrade,
                 "clean": all(r["status"] for r in self.requests), "stage": len(self.tunnels),
                 "target": self.target}
        self.requests.append(asked)
        asked["parts"] = parts
        return asked

    def send_body(self, direction, parts):
        for data, safe in parts:
            self.say(direction, data, safe)

    def answer(self, asked, status=None, ends=False):
        """Sends the response to a request; returns whether the connection stays open."""
        chance = self.chance
        for _ in range(chance.choice([0, 0, 0, 1, 2])):
            self.say(SERVER, chance.choice([b"HTTP/1.1 102 Processing\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLocation: https://decoy.example/\r\n\r\n"]))
        status = status or chance.choice([200, 200, 200, 204, 206, 301, 302, 304, 307, 308, 404, 500, 400])
        fields = []
        asked["status"] = status
        if status in (301, 302, 307, 308) or chance.random() < 0.03:
            fields += self.location(asked)
        if chance.random() < 0.5:
            kind, written = chance.choice([("text/html", "text/html; charset=utf-8"), ("application/json", "Application/JSON"),
                                           ("application/ocsp-response", "application/ocsp-response"),
                                           ("application/pkix-crl", "application/pkix-crl"), ("text/plain", "text/plain")])
            fields.append(self.field("Content-Type", written))
            asked["type"] = kind
        parts, lives = [], True
        if asked["method"] == "HEAD" or status in (204, 304):
            if chance.random() < 0.7:
                fields.append(chance.choice([self.field("Content-Length", 4711), self.field("Transfer-Encoding", "chunked")]))
        elif ends or chance.random() < 0.04:
            parts, lives = [(b"".join(chance.sample(DECOYS, 3)), True)], False
        else:
            framing, parts = self.body(SERVER)
            fields.append(framing)
        chance.shuffle(fields)
        reason = REASONS[status]
        self.say(SERVER, f"HTTP/1.{chance.choice('1110')if not parts and lives else 1} {status}{' ' + reason if reason or chance.random() < .5 else ''}\r\n".encode() + b"".join(fields)
                 + self.other_fields() + b"\r\n")
        self.send_body(SERVER, parts)
        return lives

    def location(self, asked):
        """Returns a random Location field; records the scheme and the host that must be reported for it."""
        chance = self.chance
        other = chance.choice(["login.example.com", "Other.Example", "nas"])
        same = asked["host"] or "api.example.com"
        written = f"[{same}]" if ":" in same else same
        choices = [
            (f"https://{written}/x", "https", same), (f"HTTPS://{other}/y?z=http://decoy.example", "https", other),
            (f"http://{other}:8080/", "http", other), ("/relative?u=https://decoy.example/", None, None), ("other.html", None, None),
            (f"//{other}/z", None, other), (f"https://me:pw@{other}", "https", other), ("?q=https://decoy.example", None, None),
            (f"https://[2001:db8::9]:8443/", "https", "2001:db8::9"), ("itms-apps://apps.example/app", "itms-apps", "apps.example"),
            ("#top", None, None), (f"https://{other}#f", "https", other),
        ]
        value, asked["scheme"], asked["redirect"] = chance.choice(choices)
        fields = [self.field("Location", value)]
        return fields

    # Whole connections

    def converse(self, hosts, count, is_proxy=False):
        """Sends requests and responses on one connection, sometimes pipelined; returns whether it stays open."""
        chance = self.chance
        left = count
        while left > 0:
            # Pipelining (RFC 9112 §9.3.2): several requests may be sent before their responses.
            batch = []
            for _ in range(min(left, chance.choice([1, 1, 1, 2, 4]))):
                asked = self.request(chance.choice(hosts), is_proxy)
                self.send_expected(asked)
                batch.append(asked)
            left -= len(batch)
            for index, asked in enumerate(batch):
                if not self.answer(asked, ends=left == 0 and index + 1 == len(batch) and chance.random() < 0.2):
                    # The body ends with the connection, so the remaining requests get no response.
                    return False
        return True

    def send_expected(self, asked):
        """Sends the body of a request, sometimes after a 100 (Continue) response."""
        if asked["parts"] and self.chance.random() < 0.3 and not any(r["status"] is None for r in self.requests[:-1]):
            self.say(SERVER, b"HTTP/1.1 100 Continue\r\n\r\n")
        self.send_body(CLIENT, asked["parts"])

    def connect(self, host, is_open, port=443, body=b""):
        """Sends a CONNECT request and its response."""
        chance = self.chance
        target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        fields = self.field("Host", chance.choice([target, target, "proxy.example:3128"])) + self.other_fields()
        if body:
            fields += self.field("Content-Length", len(body))
        start = self.length[CLIENT]
        self.say(CLIENT, f"CONNECT {target} HTTP/1.1\r\n".encode() + fields + b"\r\n" + body)
        if is_open:
            # A client ignores both fields in a successful response to CONNECT (RFC 9110 §9.3.6).
            self.say(SERVER, b"HTTP/1.1 200 Connection established\r\n" + chance.choice([b"", b"", self.field("Content-Length", 5), self.field("Transfer-Encoding", "chunked")]) + b"\r\n")
            self.tunnels.append("http-connect " + target)
            self.target = (host, start)
        else:
            data = chance.choice([b"", b"Sorry: GET / HTTP/1.1\r\n\r\n"])
            self.say(SERVER, b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: %d\r\n\r\n" % len(data) + data)

    def handshake(self, name, named=True):
        """Sends the ClientHello and the ServerHello of a TLS 1.2 handshake."""
        extensions = b""
        if named:
            entry = b"\x00" + struct.pack(">H", len(name)) + name.encode()
            extensions += struct.pack(">HHH", 0, len(entry) + 2, len(entry)) + entry
        extensions += struct.pack(">HHH", 10, 4, 2) + b"\x00\x1d"
        hello = b"\x03\x03" + self.chance.randbytes(32) + b"\x00" + b"\x00\x02\xc0\x2f" + b"\x01\x00" + struct.pack(">H", len(extensions)) + extensions
        self.say(CLIENT, record(1, hello))
        self.say(SERVER, record(2, b"\x03\x03" + self.chance.randbytes(32) + b"\x00\xc0\x2f\x00"))
        self.tls_name = name


def is_name(host):
    return bool(host) and not re.fullmatch(r"[0-9.]+|[0-9a-f:]*:[0-9a-f:]*", host)


def judged_host(asked):
    """Returns the host by which a request is judged: in a tunnel, the host of the CONNECT, unless that is an address and the request
    has a name (policy text A.3)."""
    target = asked["target"]
    return target[0] if target and (is_name(target[0]) or not is_name(asked["host"])) else asked["host"]


def record(kind, message):
    body = bytes([kind]) + struct.pack(">I", len(message))[1:] + message
    return b"\x16\x03\x03" + struct.pack(">H", len(body)) + body


# Kinds of connections

def plain(one):
    hosts = one.chance.sample(HOSTS, one.chance.choice([1, 1, 1, 2, 3]))
    if one.chance.random() < 0.05:
        hosts = [None]
    one.converse(hosts, one.chance.choice([1, 1, 2, 3, 6, 20]))


def proxied(one):
    one.converse(one.chance.sample(HOSTS, 3), one.chance.choice([1, 3, 6]), is_proxy=True)


def tunneled(one):
    """Sends a CONNECT, sometimes after a refused one or inside another tunnel, then TLS or cleartext HTTP through it."""
    chance = one.chance
    if chance.random() < 0.2:
        # The client sent another request to the proxy on the same connection before.
        if not one.converse([chance.choice(HOSTS)], 1, is_proxy=True):
            return
    if chance.random() < 0.2:
        one.connect("refused.example", False, body=chance.choice([b"", b"", DECOYS[0]]))
    if chance.random() < 0.2:
        one.connect("inner-proxy.example", True, 3128)
    name = chance.choice(["api.example.com", "203.0.113.9", "2001:db8::7"])
    tls = chance.random() < 0.6
    one.connect(name, True, 443 if tls else 80, body=chance.choice([b"", b"", b"", b"abcdef"]))
    if tls:
        one.handshake(name, named=name[0].isalpha())
    else:
        one.converse([chance.choice(HOSTS)], chance.choice([1, 2]))


def upgraded(one):
    """Sends a request to upgrade to WebSocket or h2c, which the server accepts or ignores."""
    chance = one.chance
    host = chance.choice(HOSTS)
    if chance.random() < 0.3 and not one.converse([host], 1):
        return
    asked = one.request(host, method="GET", upgrade=chance.choice(["websocket", "WebSocket", "h2c"]))
    one.send_body(CLIENT, asked["parts"])
    if chance.random() < 0.7:
        asked["status"] = 101
        one.say(SERVER, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: " + asked["upgrade"].encode() + b"\r\nConnection: Upgrade\r\n\r\n")
        if asked["upgrade"] == "h2c":
            one.say(CLIENT, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0")
            one.say(SERVER, b"\0\0\0\4\0\0\0\0\0" + chance.randbytes(300))
        for direction in (CLIENT, SERVER, CLIENT):
            # A text frame; a client masks its frames (RFC 6455 §5.3).
            data = chance.choice(DECOYS)[:125]
            mask = chance.randbytes(4) if direction == CLIENT else b""
            data = bytes(b ^ mask[i % 4] for i, b in enumerate(data)) if mask else data
            one.say(direction, bytes([0x81, len(data) | (0x80 if mask else 0)]) + mask + data, True)
    else:
        lives = one.answer(asked, status=chance.choice([200, 404]))
        if lives:
            one.converse([host], 2)


KINDS = [plain, plain, plain, proxied, tunneled, tunneled, upgraded]


# Packets

class Segment:
    def __init__(self, direction, position, data, flags=PSH | ACK):
        self.direction, self.position, self.data, self.flags = direction, position, data, flags
        self.captured = len(data)

    @property
    def end(self):
        return self.position + len(self.data)


def segments(one, chance):
    """Returns the segments of a connection's flights, in order; position 0 is the first byte of a direction."""
    result, position = [], [0, 0]
    style = chance.choice(["whole", "mss", "small", "odd"])
    for direction, data in one.flights:
        start = 0
        while start < len(data):
            count = {"whole": 1460, "mss": 1460, "small": chance.randrange(1, 40), "odd": chance.randrange(1, 1460)}[style]
            if style == "small" and len(data) > 2000:
                count *= 20
            piece = data[start:start + count]
            result.append(Segment(direction, position[direction], piece))
            position[direction] += len(piece)
            start += len(piece)
    return result


def swapped(parts, chance):
    parts = list(parts)
    for _ in range(chance.randrange(1, 4)):
        places = [i for i in range(len(parts) - 1) if parts[i].direction == parts[i + 1].direction]
        if places:
            place = chance.choice(places)
            parts[place], parts[place + 1] = parts[place + 1], parts[place]
    return parts


def repeated(parts, chance):
    parts = list(parts)
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(parts))
        again = parts[place]
        before = [p for p in parts[:place] if p.direction == again.direction and p.end == again.position]
        copy = Segment(again.direction, again.position, again.data)
        if before and chance.random() < 0.5:
            # Retransmits the bytes before this segment together with its own.
            joined = Segment(again.direction, before[-1].position, before[-1].data + again.data)
            parts[place] = joined
        else:
            parts.insert(min(len(parts), place + chance.randrange(1, 4)), copy)
    return parts


def turned(parts, chance, first, second):
    """Swaps two adjacent segments, the one of direction `first` and the one of direction `second` after it."""
    parts = list(parts)
    places = [i for i in range(len(parts) - 1) if parts[i].direction == first and parts[i + 1].direction == second]
    if places:
        place = chance.choice(places)
        parts[place], parts[place + 1] = parts[place + 1], parts[place]
    return parts


def late_answers(parts, chance):
    """Moves a response in the capture after the client's next segment."""
    return turned(parts, chance, SERVER, CLIENT)


def early_answers(parts, chance):
    """Moves a response in the capture before the client's previous segment."""
    return turned(parts, chance, CLIENT, SERVER)


class Plan:
    """A connection as captured: its packets, and the defect that was applied to them."""

    def __init__(self, chance, number, server_port=None):
        self.chance = chance
        self.one = Connection(chance, server_port)
        self.kind = chance.choice(KINDS)
        self.kind(self.one)
        is_six = chance.random() < 0.2
        self.client = ("2001:db8:c::%x" % number) if is_six else f"10.0.{number >> 8}.{number & 255}"
        self.server = "2001:db8:5::50" if is_six else "198.51.100.50"
        self.port = 20000 + number
        parts = segments(self.one, chance)
        self.defect = chance.choice(["none", "none", "none", "swap", "repeat", "early", "behind", "lose", "snap", "client", "server", "late", "cut", "reset"])
        self.lost = []
        self.has_syn, self.has_end = True, chance.random() < 0.7
        apply = getattr(self, "apply_" + self.defect)
        self.parts = apply(parts)
        self.all_packets = self.packets()

    @property
    def frames(self):
        """The frame numbers of the first and the last packet in the capture."""
        return (min(p.frame for p in self.all_packets), max(p.frame for p in self.all_packets)) if self.all_packets else (0, 0)

    # Defects

    def apply_none(self, parts):
        return parts

    def apply_swap(self, parts):
        return swapped(parts, self.chance)

    def apply_repeat(self, parts):
        return repeated(parts, self.chance)

    def apply_early(self, parts):
        return early_answers(parts, self.chance)

    def apply_behind(self, parts):
        return late_answers(parts, self.chance)

    def apply_lose(self, parts):
        chance = self.chance
        victims = chance.sample(range(len(parts)), min(len(parts), chance.choice([1, 1, 2])))
        self.lost = [parts[i] for i in victims]
        return [p for i, p in enumerate(parts) if i not in victims]

    def apply_snap(self, parts):
        limit = self.chance.choice([20, 60, 200, 700])
        for part in parts:
            if len(part.data) > limit:
                part.captured = limit
                self.lost.append(Segment(part.direction, part.position + limit, part.data[limit:]))
        return parts

    def apply_client(self, parts):
        return [p for p in parts if p.direction == CLIENT]

    def apply_server(self, parts):
        return [p for p in parts if p.direction == SERVER]

    def apply_late(self, parts):
        self.has_syn = False
        # A real capture can begin anywhere, but the expected report is only known if it begins where a segment begins a request and
        # all earlier requests have a response.
        starts = [i for i, p in enumerate(parts) if p.direction == CLIENT and len(p.data) > 30 and any(r["start"] == p.position and r["clean"] for r in self.one.requests)]
        self.has_syn = not starts
        place = self.chance.choice(starts) if starts else 0
        self.skipped = parts[place].position if parts else 0
        return parts[place:]

    def apply_cut(self, parts):
        self.has_end = False
        place = self.chance.randrange(len(parts)) + 1
        self.ends_at = sum(len(p.data) for p in parts[:place] if p.direction == CLIENT)
        return parts[:place]

    def apply_reset(self, parts):
        self.has_end = False
        return parts + [Segment(self.chance.choice([CLIENT, SERVER]), self.one.length[CLIENT], b"", RST | ACK)]

    def packets(self):
        """Returns the segments, with the TCP handshake before and the FINs after them, in the captured directions."""
        one_way = {"client": CLIENT, "server": SERVER}.get(self.defect)
        result = []
        if self.has_syn:
            result = [Segment(CLIENT, -1, b"", SYN), Segment(SERVER, -1, b"", SYN | ACK), Segment(CLIENT, 0, b"", ACK)]
        result += self.parts
        if self.defect == "reset" and result[-1].direction == SERVER:
            result[-1].position = self.one.length[SERVER]
        if self.has_end:
            lengths = self.one.length
            result += [Segment(SERVER, lengths[1], b"", FIN | ACK), Segment(CLIENT, lengths[0], b"", FIN | ACK)]
        return [p for p in result if one_way is None or p.direction == one_way]


def address(text):
    import ipaddress
    return ipaddress.ip_address(text).packed


def packet(plan, part, bases):
    """Returns the captured bytes of an Ethernet packet, and its length on the network."""
    source, destination = (plan.client, plan.server) if part.direction == CLIENT else (plan.server, plan.client)
    ports = (plan.port, plan.one.server_port) if part.direction == CLIENT else (plan.one.server_port, plan.port)
    own, other = bases[part.direction], bases[1 - part.direction]
    tcp = struct.pack(">HHIIBBHHH", *ports, (own + 1 + part.position) & 0xFFFFFFFF, (other + 1) & 0xFFFFFFFF if part.flags & ACK else 0, 0x50,
                      part.flags, 65535, 0, 0) + part.data
    if ":" in source:
        ip = b"\x60\0\0\0" + struct.pack(">HBB", len(tcp), 6, 64) + address(source) + address(destination)
        kind = b"\x86\xdd"
    else:
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + address(source) + address(destination)
        kind = b"\x08\x00"
    whole = b"\2\0\0\0\0\1\2\0\0\0\0\2" + kind + ip + tcp
    return whole[:len(whole) - (len(part.data) - part.captured)], len(whole)


def write(path, plans, chance):
    """Writes a capture of interleaved connections; those between the same endpoints follow one another."""
    queues = []
    for plan in plans:
        bases = (chance.getrandbits(32), chance.getrandbits(32))
        queues.append([(plan, part, bases) for part in plan.all_packets])
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        moment, frame = 1_700_000_000_000_000, 0
        while any(queues):
            ready = [q for q in queues if q and not any(o is not q and o and o[0][0].port == q[0][0].port and o[0][0].client == q[0][0].client
                                                        and queues.index(o) < queues.index(q) for o in queues)]
            queue = chance.choice(ready)
            plan, part, bases = queue.pop(0)
            data, length = packet(plan, part, bases)
            moment += chance.randrange(1, 20_000)
            frame += 1
            part.frame = frame
            file.write(struct.pack("<IIII", moment // 1_000_000, moment % 1_000_000, len(data), length) + data)


# Checks

def text(value):
    return None if value is None else value.lower()


class Judge:
    def __init__(self):
        self.faults = []
        self.checks = 0

    def hold(self, what, where, expected, seen):
        self.checks += 1
        if expected != seen:
            self.faults.append(f"{where}: {what}: {seen!r}, expected {expected!r}")

    def judge(self, name, plan, sessions, silent):
        one = plan.one
        where = f"{name} {plan.kind.__name__}/{plan.defect} port {plan.port}"
        web = [s for s in sessions if s["application"] == "http"]
        seen = [r for s in web for r in s["http"]["requests"] if r["method"] != "CONNECT"]
        lost_requests = any(p.direction == CLIENT for p in plan.lost)
        requests = one.requests
        if plan.defect == "late":
            requests = [dict(r, target=r["target"] if r["target"] and r["target"][1] >= plan.skipped else None)
                        for r in requests if r["start"] >= plan.skipped]
        if plan.defect == "cut":
            requests = [r for r in requests if r["end"] <= plan.ends_at]
        if plan.defect == "server":
            self.hold("sessions", where, 0, len(web))
            self.checks += 1
            if not sessions and not silent:
                self.faults.append(f"{where}: reported neither as a session nor as a connection without handshake")
            return
        for session in web:
            self.verdict(where, requests, session)
        whole = plan.defect not in ("lose", "snap")
        if whole and plan.defect != "cut":
            self.hold("truncated heads", where, [], [r["path"] for r in seen if r.get("truncated")])
        # A loss hides no message where the number of lost bytes is known, such as within a body.
        safe = all(any(a <= p.position and p.end <= b for a, b in one.safe[p.direction]) for p in plan.lost)
        known = [(r["method"], r["host"], r["path"]) for r in requests]
        found = [(r["method"], self.host_of(r["host"]), r["path"]) for r in seen]
        counted = sum(s["http"]["requestCount"] - sum(r["method"] == "CONNECT" for r in s["http"]["requests"]) for s in web)
        if plan.defect == "cut":
            # A request with a truncated head is reported if its request line is complete, with its host if that is complete. The first
            # one is reported from the first byte of its path.
            begun = [r for r in one.requests if r["start"] < plan.ends_at < r["end"]]

            def is_partial(request):
                return any(
                    request[0] == r["method"] and request[1] in (r["host"], None) and r["path"].startswith(request[2]) for r in begun)

            if sum(map(is_partial, found)) > sum(map(is_partial, known)):
                _, host, path = next(f for f in found[::-1] if is_partial(f))
                requests = requests + [dict(begun[0], host=host, path=path)]
                known = [(r["method"], r["host"], r["path"]) for r in requests]
        if whole or not lost_requests or safe:
            # A session lists at most 16 requests.
            by_host = {}
            for asked in requests:
                by_host.setdefault((asked["stage"], judged_host(asked)), []).append((asked["method"], asked["host"], asked["path"]))
            shown = [r for host in by_host for r in by_host[host][:16]]
            self.hold("requests", where, sorted(map(str, shown)), sorted(map(str, found)))
            self.hold("count", where, len(known), counted)
            hosts, told = [host for _, host in by_host], [text(s["serverName"]) for s in web]
            # Sessions are in the order of their first packets, which swapped segments can change.
            if plan.defect == "swap":
                hosts, told = sorted(hosts, key=str), sorted(told, key=str)
            self.hold("hosts", where, hosts, told)
            if len(known) <= 16 and len(by_host) <= 1 or len(shown) == len(known):
                # In a tunnel, a response captured after the client's next data cannot be assigned to a request with certainty.
                self.answers(where, plan, requests, seen, exact=whole and plan.defect not in ("client", "late", "cut")
                             and not (plan.defect == "behind" and one.tunnels))
        else:
            first = min(p.position for p in plan.lost if p.direction == CLIENT)
            for r in found:
                self.checks += 1
                # After a loss that hides where a message ends, a body may look like a message.
                # A truncated head may lack its host, and a truncated line a part of its path.
                partial = any(k[0] == r[0] and r[1] in (k[1], None) and k[2].startswith(r[2]) for k in known)
                if r not in known and not partial and "decoy" not in str(r):
                    self.faults.append(f"{where}: reported but never sent: {r}")
            before = [(r["method"], r["host"], r["path"]) for r in requests if r["end"] <= first]
            for r in before[:16]:
                self.checks += 1
                if r not in found and len(known) <= 16:
                    self.faults.append(f"{where}: not reported, although before any loss: {r}")
        for session in web:
            self.said(where, plan, session)
        if whole or safe:
            self.hold("decoys", where, False, "decoy" in json.dumps(sessions))
        if one.tls_name and whole and plan.defect not in ("client", "cut", "late"):
            secured = [s for s in sessions if s["application"] == "tls"]
            self.hold("TLS sessions", where, [(one.tls_name, "connect")], [(s["serverName"], s["serverNameSource"]) for s in secured])
            tunnels = one.tunnels[-1:] if plan.defect == "behind" and [s["tunnel"] for s in secured] != [one.tunnels] else one.tunnels
            self.hold("tunnel", where, [tunnels], [s["tunnel"] for s in secured])

    def host_of(self, written):
        """Returns the host of a reported request in lower case, without its port."""
        if not written:
            return None
        if written.startswith("["):
            return written[1:written.index("]")].lower()
        return text(written if written.count(":") > 1 else written.split(":")[0])

    def answers(self, where, plan, requests, seen, exact):
        left = list(seen)
        for asked in requests:
            mine = next((r for r in left if (r["method"], self.host_of(r["host"]), r["path"]) == (asked["method"], asked["host"], asked["path"])), None)
            if mine is None:
                continue
            left.remove(mine)
            expected = (asked["status"], text(asked["scheme"]), text(asked["redirect"]), asked["type"])
            got = (mine["status"], text(mine.get("redirectScheme")), text(mine.get("redirectHost")), mine.get("contentType"))
            self.checks += 1
            if plan.defect == "client":
                self.hold(f"response to {asked['path'][:20]}", where, (None, None, None, None), got)
            elif got != expected and (exact or got != (None, None, None, None)):
                self.faults.append(f"{where}: response to {asked['method']} {asked['path'][:20]}: {got}, expected {expected}")

    def verdict(self, where, requests, session):
        host = text(session["serverName"])
        mine = [r for r in requests if judged_host(r) == host]
        if not mine:
            return
        outcomes = {r["id"]: r["outcome"] for r in session["ats"]["rules"]}
        outcomes.update({rule: "pass" for rule in session["ats"]["passed"]})
        outcomes.update({rule: "notApplicable" for rule in session["ats"]["notApplicable"]})
        types = {r.get("contentType") for r in session["http"]["requests"] if r["method"] != "CONNECT"}
        statuses = [r for r in session["http"]["requests"] if r["method"] != "CONNECT"]
        fetches = {"application/ocsp-response", "application/pkix-crl"}
        verdict = session["ats"]["verdict"]
        if host == mine[0]["host"] and mine[0]["allowed"]:
            # A request that the capture lacks may be for any host (policy text A.6).
            lost = "http-request-lost" in session["evidence"]["notes"]
            self.hold("verdict", where, "unknown" if lost else "exempt", verdict)
            self.hold("predicted error", where, None, session["ats"]["predictedError"])
        elif not types & fetches and any(r.get("truncated") and (r["host"] is None or (r["method"], r["path"]) == ("POST", "/")) for r in statuses):
            # It may be for a host that needs no exception, or an OCSP request whose media type is lost.
            self.hold("verdict", where, True, verdict in ("fail", "unknown"))
        elif not types & fetches:
            self.hold("verdict", where, "fail", verdict)
            self.hold("rule", where, "ATS-HTTPS", session["ats"]["primaryRule"])
            self.hold("score", where, 0, session["ats"]["score"])
            self.hold("predicted error", where, -1022, (session["ats"]["predictedError"] or {}).get("code"))
        elif types <= fetches and not any(r.get("upgrade") for r in statuses) and len(statuses) == session["http"]["requestCount"] and all(r["status"] and r["status"] < 400 for r in statuses):
            self.hold("verdict of an OCSP or CRL fetch", where, "exempt", verdict)
        redirects = any(r["status"] in (301, 302, 307, 308) and r.get("redirectScheme") == "https" for r in statuses)
        if "ADV-HTTP-REDIRECT" in outcomes:
            self.hold("redirect", where, redirects, outcomes["ADV-HTTP-REDIRECT"] == "fail")

    def said(self, where, plan, session):
        """Checks that the evidence of a session reports what the capture lacks."""
        evidence = session["evidence"]
        if plan.defect == "client":
            self.hold("incomplete", where, "oneDirection", evidence["incomplete"])
        # Nothing after an upgrade is read.
        is_upgraded = plan.one.requests[-1]["status"] == 101
        if plan.lost and plan.defect == "snap":
            if not is_upgraded:
                self.hold("incomplete", where, "snaplen", evidence["incomplete"])
        elif plan.lost:
            ends = {d: max([p.end for p in plan.parts if p.direction == d], default=0) for d in (CLIENT, SERVER)}
            beyond = all(p.position >= ends[p.direction] for p in plan.lost) and not plan.has_end
            if not beyond and not is_upgraded:
                self.hold("incomplete", where, "loss", evidence["incomplete"])
        if plan.defect == "late" and not plan.has_syn:
            self.hold("started late", where, True, evidence["incomplete"] is not None)
        if plan.defect in ("none", "swap", "repeat", "early", "behind") and plan.has_end:
            self.hold("complete", where, (None, 0), (evidence["incomplete"], evidence["missingBytes"]))


def run(program, *arguments):
    result = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode not in (0, 1):
        raise SystemExit(f"cleartext: {' '.join(arguments)}: exit status {result.returncode}: {result.stderr.decode()[:500]}")
    return result.stdout.decode().splitlines()


def audit(program, path):
    """Returns the sessions of each capture below a folder, and the summary's connections without handshake."""
    sessions, silent = {}, {}
    for line in run(program, path, "--no-system-anchors", "--series", "never", "--format", "ndjson"):
        found = json.loads(line)
        if found["schema"] == "atscope.session/1":
            sessions.setdefault(os.path.basename(found["capture"]["file"]), []).append(found)
        elif found["schema"] == "atscope.summary/1":
            silent["all"] = found.get("withoutHandshake")
    return sessions, silent


def facts(session):
    """Returns the facts of a session that its extract must preserve."""
    kept = {key: value for key, value in session.items() if key not in ("capture", "id", "evidence", "ats", "http")}
    kept["http"] = [{k: v for k, v in r.items() if k not in ("frame", "contentType")} for r in session.get("http", {}).get("requests", [])]
    kept["verdict"] = session["ats"]["verdict"]
    kept["rules"] = [(r["id"], r["outcome"], r["required"], r.get("observed"), r.get("missing"), r.get("notes")) for r in session["ats"]["rules"]]
    kept["rules"] += [session["ats"]["passed"], session["ats"]["notApplicable"]]
    kept["notes"] = session["evidence"]["notes"]
    return kept


def compare_extract(program, folder, name, sessions, judge):
    path = os.path.join(folder, "extract-" + name + "ng")
    run(program, "extract", os.path.join(folder, name), "-o", path)
    found, _ = audit(program, path)
    expected = [facts(s) for s in sessions]
    got = [facts(s) for s in found.get(os.path.basename(path), [])]
    judge.checks += 1
    if expected != got:
        differing = [(k, e[k], g.get(k)) for e, g in zip(expected, got) for k in e if e[k] != g.get(k)]
        judge.faults.append(f"{name}: extract has {len(got)} sessions, expected {len(expected)}; {str(differing[:2])[:300]}")
    with open(path, "rb") as file:
        judge.checks += 1
        if b"secret" in file.read():
            judge.faults.append(f"{name}: the extract contains a password, which it must omit")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--captures", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--extracts", action="store_true")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    judge = Judge()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or scratch
        os.makedirs(folder, exist_ok=True)
        made = {}
        for number in range(options.captures):
            chance = random.Random(options.seed * 1_000_003 + number)
            plans = [Plan(chance, 1 + index) for index in range(chance.choice([1, 1, 2, 4]))]
            if chance.random() < 0.2:
                again = Plan(chance, len(plans), plans[-1].one.server_port)
                if again.client == plans[-1].client and all(p.has_syn and p.defect not in ("client", "server") for p in (again, plans[-1])):
                    plans.append(again)
            name = f"c{options.seed}-{number}.pcap"
            write(os.path.join(folder, name), plans, chance)
            made[name] = plans
        sessions, silent = audit(program, folder)
        for name, plans in made.items():
            for plan in plans:
                # Frame numbers distinguish connections between the same endpoints.
                low, high = plan.frames
                mine = [s for s in sessions.get(name, []) if s["client"]["port"] == plan.port and low <= s["capture"]["firstFrame"] <= high]
                judge.judge(name, plan, mine, plan.server in str(silent))
        if options.extracts:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda name: compare_extract(program, folder, name, sessions.get(name, []), judge), made))
    for fault in judge.faults[:20]:
        print("cleartext: " + fault)
    print(f"cleartext: {options.captures} captures, {judge.checks} checks, {len(judge.faults)} faults")
    return 1 if judge.faults else 0


if __name__ == "__main__":
    sys.exit(main())
