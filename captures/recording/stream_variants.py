"""Variants of the TCP stream: order, loss, overlap, truncation, port reuse."""

from .capturefile import Packet, Section, write_pcap, write_pcapng
from .frames import FIN, ethernet, ipv4, ipv4_header, packets
from .variant import BASE, SEEN, Variant, base_parts, segments

MICROSECOND = 1000
SERVER_SEEN = "0303 c02f certs=2 valid trusted"


def swapped():
    found, _, first, second = base_parts()
    early, late = found[first], found[second]
    found[first], found[second] = late.but(time=early.time), early.but(time=late.time)
    return write_pcap(packets(found))


def lost(which):
    """Leaves out the first or second segment of the server's flight."""
    found, _, first, second = base_parts()
    del found[(first, second)[which]]
    return write_pcap(packets(found))


def cut_packets():
    short = [Packet(p.time, p.data[:256], p.length) for p in packets(segments())]
    return write_pcap(short, snaplen=256)


def truncated_copies():
    """Two copies of the server's first segment, truncated to 150 and to 600 bytes, as at two points with different snapshot lengths."""
    found, _, first, _ = base_parts()
    whole = packets(found)
    copies = [Packet(whole[first].time + n * MICROSECOND, whole[first].data[:size], whole[first].length) for n, size in ((0, 150), (1, 600))]
    return write_pcap(whole[:first] + copies + whole[first + 1 :])


def starting_at(choose):
    """Leaves out the segments before the index that `choose` picks."""
    found, hello, first, _ = base_parts()
    data = next(i for i, s in enumerate(found) if s.payload[:1] == b"\x17")
    return write_pcap(packets(found[choose(hello, first, data) :]))


def one_direction(from_client):
    return write_pcap(packets([s for s in segments() if s.from_client == from_client]))


def overlap(agrees):
    """A retransmission between the two segments of the flight, which overlaps both.

    Unless it agrees, the bytes that had already arrived differ; the new ones are correct.
    """
    found, _, first, second = base_parts()
    early, late = found[first], found[second]
    old = early.payload[-400:]
    if not agrees:
        old = bytes(byte ^ 0x55 for byte in old)
    again = early.but(
        time=late.time - MICROSECOND,
        sequence=early.sequence + len(early.payload) - 400,
        payload=old + late.payload[:300],
    )
    found.insert(second, again)
    return write_pcap(packets(found))


def wrapped():
    """Shifts both initial sequence numbers so that they wrap around within the ClientHello and the server's flight."""
    found, hello, first, _ = base_parts()
    client = (1 << 32) - 50 - found[hello].sequence
    server = (1 << 32) - 700 - found[first].sequence
    moved = []
    for s in found:
        own, other = (client, server) if s.from_client else (server, client)
        acknowledgement = 0 if s.acknowledgement == 0 else s.acknowledgement + other
        moved.append(s.but(sequence=s.sequence + own, acknowledgement=acknowledgement))
    return write_pcap(packets(moved))


def tiny():
    """Splits every payload into segments of 1 to 100 bytes, by a fixed sequence of sizes."""
    state, pieces = 1, []
    for s in segments():
        at, number = 0, 0
        while at < len(s.payload) or number == 0:
            state = (state * 1103515245 + 12345) % (1 << 31)
            end = min(at + 1 + (state >> 16) % 100, len(s.payload))
            pieces.append(s.part(at, end).but(time=s.time + number * MICROSECOND))
            at, number = end, number + 1
    pieces.sort(key=lambda piece: piece.time)
    return write_pcap(packets(pieces))


def duplicated():
    return write_pcap([p for packet in packets(segments()) for p in (packet, packet)])


def reused(closed):
    """A later connection with the same addresses and ports, with or without the close of the first."""
    first, second = segments(), segments("tls12/tls13-offered")
    port = first[0].source_port
    shift = first[0].time - second[0].time + 60 * 1_000_000_000
    again = [
        s.but(time=s.time + shift, **{"source_port" if s.from_client else "destination_port": port})
        for s in second
    ]
    if not closed:
        first = [s for s in first if not s.flags & FIN][:-3]
    return write_pcap(packets([*first, *again]))


def fragmented():
    """Sends the first segment of the server's flight as four IP fragments, out of order."""
    found, _, first, _ = base_parts()
    result = []
    for index, s in enumerate(found):
        if index != first:
            result += packets([s])
            continue
        body = ipv4(s)[20:]
        for number, at in enumerate([800, 0, 1200, 400]):
            part = body[at : at + 400]
            more = 0x2000 if at + 400 < len(body) else 0
            head = ipv4_header(
                s.source, s.destination, 6, len(part), identification=0x4242, fragment=more | at // 8
            )
            result.append(Packet.whole(s.time + number * MICROSECOND, ethernet(s, head + part)))
    return write_pcap(result)


def padded():
    """Short frames padded with zeros to 60 bytes, as Ethernet requires, and a trailer after long ones."""
    result = []
    for packet in packets(segments()):
        data = packet.data.ljust(60, b"\0") if len(packet.data) < 60 else packet.data + b"\xde\xad\xbe\xef"
        result.append(Packet.whole(packet.time, data))
    return write_pcap(result)


def cut_file(within_handshake, pcapng=False):
    """Truncates the file within a packet record."""
    _, _, _, second = base_parts()
    all_packets = packets(segments())
    keep = second + 1 if within_handshake else len(all_packets)
    content = (write_pcapng if pcapng else write_pcap)(all_packets[:keep])
    return content[: -(len(all_packets[keep - 1].data) // 2 + (16 if pcapng else 0))]


def huge_record():
    """After the handshake, a record header that claims nearly 4 GiB."""
    content = write_pcap(packets(segments()))
    return content + content[-16:-8] + b"\xff\xff\xff\xf0" * 2 + bytes(40)


def resumed_only(name):
    """The second connection of a capture with two."""
    found = segments(name)
    port = found[-1].source_port if found[-1].from_client else found[-1].destination_port
    return write_pcap(packets([s for s in found if port in (s.source_port, s.destination_port)]))


SEVERAL = [
    "tls12/ecdhe-rsa-gcm",
    "tls10/static-rsa",
    "tls13/x25519",
    "certificates/expired",
    "http/redirect",
    "refused/no-shared-suite",
]


def several():
    """The segments of several captures, interleaved as in one trace."""
    start = segments()[0].time
    merged = []
    for number, name in enumerate(SEVERAL):
        found = segments(name)
        shift = start + number * MICROSECOND * 1000 - found[0].time
        merged += [s.but(time=s.time + shift) for s in found]
    merged.sort(key=lambda s: s.time)
    return merged


def series(part):
    """A third of the packets of `several`, as one file of a rotated capture."""
    merged = several()
    size = len(merged) // 3 + 1
    return write_pcap(packets(merged[part * size : (part + 1) * size]))


def link_type(number):
    return write_pcap(packets(segments()), number)


VARIANTS = [
    Variant("stream/swapped-segments.pcap", "the two segments of the server's flight in the wrong order", swapped),
    Variant(
        "stream/lost-certificate.pcap",
        "the segment that ends the Certificate was not captured",
        lambda: lost(1),
        ("sni=api.example.com 0303 c02f !certs=2",),
    ),
    Variant(
        "stream/lost-server-hello.pcap",
        "the segment with the ServerHello was not captured",
        lambda: lost(0),
        ("sni=api.example.com !0303",),
    ),
    Variant(
        "stream/snaplen.pcap",
        "every packet truncated to 256 bytes",
        cut_packets,
        ("sni=api.example.com 0303 c02f !certs=2",),
    ),
    Variant(
        "stream/truncated-copies.pcap",
        "two copies of the server's first segment, truncated to 150 and to 600 bytes",
        truncated_copies,
        ("sni=api.example.com 0303 c02f !certs=2",),
    ),
    Variant(
        "stream/no-syn.pcap",
        "starts after the TCP handshake, with the ClientHello",
        lambda: starting_at(lambda hello, first, data: hello),
    ),
    Variant(
        "stream/after-client-hello.pcap",
        "starts with the server's flight",
        lambda: starting_at(lambda hello, first, data: first),
        (SERVER_SEEN,),
    ),
    Variant(
        "stream/mid-stream.pcap",
        "starts with the application data",
        lambda: starting_at(lambda hello, first, data: data),
        ("data !0303",),
    ),
    Variant(
        "stream/client-only.pcap",
        "the client's direction only",
        lambda: one_direction(True),
        ("sni=api.example.com !0303",),
    ),
    Variant("stream/server-only.pcap", "the server's direction only", lambda: one_direction(False), (SERVER_SEEN,)),
    Variant(
        "stream/overlap.pcap",
        "a retransmission that overlaps the segments before and after it",
        lambda: overlap(True),
    ),
    Variant(
        "stream/overlap-disagrees.pcap",
        "the same, but the repeated bytes differ from the first copy",
        lambda: overlap(False),
        ("sni=api.example.com 0303 c02f",),
    ),
    Variant("stream/sequence-wrap.pcap", "the sequence numbers of both directions wrap around within the handshake", wrapped),
    Variant("stream/tiny-segments.pcap", "segments of 1 to 100 bytes", tiny),
    Variant("stream/duplicates.pcap", "every packet twice", duplicated),
    Variant(
        "stream/port-reuse.pcap",
        "the same ports again a minute later, after a FIN",
        lambda: reused(True),
        (SEEN, "sni=api.example.com 0303 c030 certs=2 data"),
        source=f"{BASE}, tls12/tls13-offered",
    ),
    Variant(
        "stream/port-reuse-unclosed.pcap",
        "the same ports again a minute later; the close of the first connection was not captured",
        lambda: reused(False),
        (SEEN, "sni=api.example.com 0303 c030 certs=2 data"),
        source=f"{BASE}, tls12/tls13-offered",
    ),
    Variant("ip/ip-fragments.pcap", "a segment in four IP fragments that arrive out of order", fragmented),
    Variant("link/ethernet-padding.pcap", "Ethernet padding and trailers after the IP packets", padded),
    Variant(
        "stream/cut-in-handshake.pcap",
        "the file ends within a packet of the server's flight",
        lambda: cut_file(True),
        ("sni=api.example.com 0303 c02f !certs=2",),
    ),
    Variant("format/cut-at-end.pcap", "the file ends within its last packet", lambda: cut_file(False)),
    Variant("format/cut-at-end.pcapng", "the file ends within its last block", lambda: cut_file(False, True)),
    Variant("format/huge-record.pcap", "after the session, a record that claims nearly 4 GiB", huge_record),
    Variant(
        "format/no-packets.pcap", "a file header and nothing else", lambda: write_pcap([]), (), source="nothing"
    ),
    Variant(
        "format/no-interface.pcapng",
        "a section header and nothing else",
        lambda: Section().encoded(),
        (),
        source="nothing",
    ),
    Variant(
        "link/unknown-link-type.pcap",
        "link type 147, reserved for private use: nothing can be decoded",
        lambda: link_type(147),
        (),
    ),
    Variant(
        "tls/resumed-by-session-id.pcap",
        "a resumed session without its first handshake",
        lambda: resumed_only("resumption/tls12-session-id"),
        ("sni=api.example.com 0303 c02f resumed=id data !certs=2",),
        source="resumption/tls12-session-id",
    ),
    Variant(
        "tls/resumed-by-ticket.pcap",
        "a resumed session without its first handshake",
        lambda: resumed_only("resumption/tls12-ticket"),
        ("sni=api.example.com 0303 c02f resumed=ticket data !certs=2",),
        source="resumption/tls12-ticket",
    ),
    Variant(
        "tls/resumed-by-psk.pcap",
        "a resumed TLS 1.3 session without its first handshake",
        lambda: resumed_only("resumption/tls13-psk"),
        ("sni=api.example.com 0304 1302 psk data",),
        source="resumption/tls13-psk",
    ),
    Variant(
        "hosts/several-hosts.pcap",
        "seven connections with several hosts, interleaved",
        lambda: write_pcap(packets(several())),
        (
            SEEN,
            "sni=legacy.example.com 0301 002f certs=2",
            "sni=api.example.com 0304 1302",
            "sni=expired.example.com certs=2 expired",
            "GET=api.example.com/moved",
            "sni=api.example.com 0303 alpn=http/1.1",
            "server-alert=40",
        ),
        source=", ".join(SEVERAL),
    ),
    *[
        Variant(
            f"series/trace_{part + 1:05}_20260501101{part}12.pcap",
            f"part {part + 1} of three of `several-hosts.pcap`, split by packets",
            lambda part=part: series(part),
            None,
            source=", ".join(SEVERAL),
        )
        for part in range(3)
    ],
]
