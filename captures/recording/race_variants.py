"""Variants of how connections begin, idle and end, and of how offloading changes a capture."""

import struct

from .capturefile import Packet, write_pcap
from .frames import FIN, SYN, ethernet, ipv4, packets
from .variant import Variant, base_parts, segments

RST, ACK = 0x04, 0x10
MICROSECOND = 1000


def fast_open():
    """TCP Fast Open (RFC 7413): the SYN carries the ClientHello; the SYN-ACK acknowledges both."""
    found, hello, _, _ = base_parts()
    data = found[hello].payload
    result = []
    for index, s in enumerate(found):
        if index == 0:
            cookie = b"\x22\x0a" + b"cookie!!" + b"\x01\x01"
            s = s.but(payload=data, options=s.options + cookie)
        elif s.flags & SYN:
            s = s.but(acknowledgement=found[0].sequence + 1 + len(data))
        elif index == hello:
            continue
        result.append(s)
    return write_pcap(packets(result))


def simultaneous_open():
    """Both endpoints send a SYN before either receives one (RFC 9293 §3.5)."""
    found, _, _, _ = base_parts()
    client = found[0]
    server = found[1].but(flags=SYN, acknowledgement=0, time=client.time + MICROSECOND)
    answers = [
        client.but(flags=SYN | ACK, acknowledgement=server.sequence + 1, time=client.time + 2 * MICROSECOND),
        found[1].but(time=client.time + 3 * MICROSECOND),
    ]
    return write_pcap(packets([client, server, *answers, *found[2:]]))


def keep_alives():
    """Two keep-alives before the server's flight: one repeats the last sequence number with a byte, one is empty (RFC 9293 §3.8.4)."""
    found, hello, first, _ = base_parts()
    probe = found[hello].but(
        sequence=found[hello].sequence + len(found[hello].payload) - 1, payload=b"\0", flags=ACK
    )
    empty = found[hello].but(
        sequence=found[hello].sequence + len(found[hello].payload) - 1, payload=b"", flags=ACK
    )
    times = [found[first].time - 3 * MICROSECOND, found[first].time - 2 * MICROSECOND]
    kept = [*found[:first], probe.but(time=times[0]), empty.but(time=times[1]), *found[first:]]
    return write_pcap(packets(kept))


def late_reset():
    """The client sends a RST after both FINs; late data of the server and another RST follow."""
    found, _, _, _ = base_parts()
    last = found[-1]
    client = next(s for s in reversed(found) if s.from_client)
    server = next(s for s in reversed(found) if not s.from_client and s.payload)
    reset = client.but(flags=RST, payload=b"", time=last.time + MICROSECOND)
    late = server.but(time=last.time + 2 * MICROSECOND)
    return write_pcap(packets([*found, reset, late, reset.but(time=last.time + 3 * MICROSECOND)]))


def early_fin():
    """The server's FIN arrives before the second segment of its flight."""
    found, _, first, second = base_parts()
    server = [s for s in found if not s.from_client]
    fin = next(s for s in server if s.flags & FIN)
    found.remove(fin)
    found.insert(first + 1, fin.but(time=found[first].time + MICROSECOND))
    return write_pcap(packets(found))


def offloaded():
    """The server's flight as its own machine captures it before segmentation offload: one long packet, total length 0."""
    found, _, first, second = base_parts()
    whole = found[first].but(payload=found[first].payload + found[second].payload, flags=found[second].flags)
    result = []
    for index, s in enumerate(found):
        if index == second:
            continue
        packet = ipv4(whole if index == first else s)
        if index == first:
            packet = packet[:2] + struct.pack(">H", 0) + packet[4:]
        result.append(Packet.whole(s.time, ethernet(s, packet)))
    return write_pcap(result)


def wrong_checksums():
    """Packets without valid checksums, as captured before the network card writes them."""
    result = []
    for s in segments():
        packet = bytearray(ipv4(s))
        packet[10:12] = b"\0\0"
        packet[36:38] = b"\xde\xad"
        result.append(Packet.whole(s.time, ethernet(s, bytes(packet))))
    return write_pcap(result)


VARIANTS = [
    Variant("stream/fast-open.pcap", "TCP Fast Open: the ClientHello on the SYN", fast_open),
    Variant("stream/simultaneous-open.pcap", "both endpoints send a SYN first (simultaneous open)", simultaneous_open, None),
    Variant("stream/keep-alives.pcap", "keep-alives within the handshake, with and without a byte of data", keep_alives),
    Variant("stream/late-reset.pcap", "a RST and late data after both FINs", late_reset),
    Variant(
        "stream/early-fin.pcap",
        "the server's FIN before the second segment of its flight",
        early_fin,
        None,
    ),
    Variant(
        "stream/offloaded.pcap",
        "segmentation offload: a packet longer than the MTU, with a total length of 0",
        offloaded,
    ),
    Variant("stream/wrong-checksums.pcap", "checksums left to the network card", wrong_checksums),
]
