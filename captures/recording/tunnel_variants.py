"""Variants with tunnels below TCP, and with IP fragments."""

import struct

from .capturefile import Packet, write_pcap
from .frames import IPV4, IPV6, ethernet, ipv4, ipv4_header, ipv6, ipv6_addresses, packets, tcp
from .layer_variants import snap, wlan
from .link_variants import IPV6_NOTE, TUNNEL_CLIENT, TUNNEL_SERVER, framed, tunnelled
from .variant import Variant, base_parts, segments

TEB = 0x6558


def frame(s):
    return ethernet(s, ipv4(s))


def over_udp(s, port, payload, *, source=50000):
    """A UDP datagram between the endpoints of a tunnel."""
    return tunnelled(s, 17, struct.pack(">HHHH", source, port, 8 + len(payload), 0) + payload)


def over_ipv6(s, protocol, body):
    """An outer IPv6 packet."""
    source, destination = ipv6_addresses(s)
    head = struct.pack(">IHBB", 0x60000000, len(body), protocol, 64) + source + destination
    return ethernet(s, head + body, IPV6)


def gre(s, flags, kind, rest):
    return tunnelled(s, 47, struct.pack(">HH", flags, kind) + rest)


def nvgre(s):
    return gre(s, 0x2000, TEB, struct.pack(">I", 5001 << 8 | 7) + frame(s))


def pptp(s):
    body = b"\xff\x03\0\x21" + ipv4(s)
    return gre(s, 0x3001, 0x880B, struct.pack(">HHI", len(body), 77, s.identification) + body)


def erspan(s):
    """An ERSPAN type II packet of session 99."""
    return gre(s, 0x1000, 0x88BE, struct.pack(">IHHI", 1, 0x1000 | 12, 0x0000 | 99, 0) + frame(s))


def erspan_three(s):
    """An ERSPAN type III packet of session 99, without the optional subheader."""
    return gre(s, 0x1000, 0x22EB, struct.pack(">IHHIHH", 1, 0x2000 | 12, 99, 0, 0, 0) + frame(s))


def authenticated(s):
    """An IPsec Authentication Header before TCP (transport mode)."""
    body = ipv4(s)[20:]
    head = struct.pack(">BBHII12s", 6, 4, 0, 0x1001, s.identification, bytes(12))
    return ethernet(s, ipv4_header(s.source, s.destination, 51, len(head) + len(body)) + head + body)


def authenticated_tunnel(s):
    """An IPsec Authentication Header around a whole packet (tunnel mode)."""
    return tunnelled(s, 51, struct.pack(">BBHII12s", 4, 4, 0, 0x1001, s.identification, bytes(12)) + ipv4(s))


def secured(s):
    """An IPsec ESP packet, with noise as its encrypted payload."""
    noise = bytes((byte * 167 + 13) & 0xFF for byte in ipv4(s))
    return tunnelled(s, 50, struct.pack(">II", 0x2002, s.identification) + noise)


def pseudowire(control):
    def encode(s):
        label = struct.pack(">I", 3000 << 12 | 0x100 | 64)
        return ethernet(s, label + (bytes(4) if control else b"") + frame(s), 0x8847)

    return encode


def geneve(s):
    options = struct.pack(">HBB4s", 0x0102, 3, 1, b"test")
    return over_udp(s, 6081, struct.pack(">BBHI", 2, 0, TEB, 42 << 8) + options + frame(s))


def vxlan_gpe(s):
    return over_udp(s, 4790, struct.pack(">BHBI", 0x0C, 0, 1, 42 << 8) + ipv4(s))


def nsh(s):
    """A Network Service Header with path 42 in VXLAN-GPE."""
    head = struct.pack(">HBBI", 0x0FC2, 2, 1, 42 << 8 | 255)
    return over_udp(s, 4790, struct.pack(">BHBI", 0x0C, 0, 4, 43 << 8) + head + ipv4(s))


def gtp(s):
    """A GTP-U packet of a mobile device, with the extension header of 5G."""
    extension = bytes([1, 0x10 if s.from_client else 0, 9, 0])
    inner = struct.pack(">HBB", 0, 0, 0x85) + extension + ipv4(s)
    return over_udp(s, 2152, struct.pack(">BBHI", 0x34, 0xFF, len(inner), 0x1234) + inner, source=2152)


def teredo(s):
    """A Teredo packet: IPv6 in UDP over IPv4, with the client's Teredo address; an origin indication precedes each SYN."""
    client = bytes.fromhex("20010000c6336407") + bytes.fromhex("8000f22739cdfffd")
    server = ipv6_addresses(s)[1] if s.from_client else ipv6_addresses(s)[0]
    source, destination = (client, server) if s.from_client else (server, client)
    body = tcp(s, source, destination)
    packet = struct.pack(">IHBB", 0x60000000, len(body), 6, 64) + source + destination + body
    if s.flags & 2:
        packet = struct.pack(">HHI", 0, 0x1234, 0x39CDFFFD) + packet
    return over_udp(s, 3544, packet) if s.from_client else over_udp(s, 50000, packet, source=3544)


def capwap(s):
    """An 802.11 frame between access point and controller, with the bytes of its frame control swapped as Cisco does."""
    head = wlan(s)
    body = struct.pack(">IHH", 0x00100300, 0, 0) + head[1::-1] + head[2:] + snap(ipv4(s))
    return over_udp(s, 5247, body) if s.from_client else over_udp(s, 50000, body, source=5247)


def l2tp(s):
    body = b"\xff\x03\0\x21" + ipv4(s)
    return over_udp(s, 1701, struct.pack(">HHHH", 0x4002, 8 + len(body), 1, 5) + body, source=1701)


def l2tp_over_ip(s):
    """An L2TPv3 packet over IP, with a 4-byte cookie."""
    return tunnelled(s, 115, struct.pack(">II", 77, 0xC00C1E) + frame(s))


def nested():
    """GRE in VXLAN 42 in VLAN 12 in service VLAN 100."""

    def encode(s):
        inner = gre(s, 0, IPV4, ipv4(s))
        outer = struct.pack(">HHHH", 50000, 4789, 16 + len(inner), 0) + struct.pack(">II", 0x08000000, 42 << 8) + inner
        ends = (TUNNEL_CLIENT, TUNNEL_SERVER) if s.from_client else (TUNNEL_SERVER, TUNNEL_CLIENT)
        tags = struct.pack(">HHHH", 0x88A8, 100, 0x8100, 12)
        return ethernet(s, ipv4_header(*ends, 17, len(outer)) + outer, tags=tags)

    return framed(encode)


def in_fragments(s, body, source, destination, protocol, pieces, *, number=0x4343):
    """IPv4 fragments of a datagram: `pieces` are (start, end, bytes), in the order of sending."""
    found = []
    for place, (start, end, content) in enumerate(pieces):
        more = 0x2000 if end < len(body) else 0
        head = ipv4_header(
            source, destination, protocol, len(content), identification=number, fragment=more | start // 8
        )
        found.append(Packet.whole(s.time + place * 1000, ethernet(s, head + content)))
    return found


def overlapping():
    """The first segment of the server's flight in fragments that overlap; the second copies of some bytes differ."""
    found, _, first, _ = base_parts()
    result = []
    for index, s in enumerate(found):
        if index != first:
            result += packets([s])
            continue
        body = ipv4(s)[20:]
        wrong = bytes(byte ^ 0x55 for byte in body)
        pieces = [
            (800, 1200, body[800:1200]),
            (0, 480, body[:480]),
            (400, 880, wrong[400:480] + body[480:800] + wrong[800:880]),
            (0, 480, body[:480]),
            (1200, len(body), body[1200:]),
        ]
        result += in_fragments(s, body, s.source, s.destination, 6, pieces)
    return write_pcap(result)


def lost_fragment():
    """A fragment of the server's flight is missing, and the segment is sent again, whole."""
    found, _, first, _ = base_parts()
    result = []
    for index, s in enumerate(found):
        if index == first:
            body = ipv4(s)[20:]
            pieces = [(0, 400, body[:400]), (800, len(body), body[800:])]
            result += in_fragments(s, body, s.source, s.destination, 6, pieces)
            result += packets([s.but(time=s.time + 5000)])
        else:
            result += packets([s])
    return write_pcap(result)


def never_whole():
    """Fragments of the server's flight that cannot be reassembled: the third of four is missing and not sent again."""
    found, _, first, _ = base_parts()
    result = []
    for index, s in enumerate(found):
        if index == first:
            body = ipv4(s)[20:]
            pieces = [(0, 400, body[:400]), (400, 800, body[400:800]), (1200, len(body), body[1200:])]
            result += in_fragments(s, body, s.source, s.destination, 6, pieces)
        else:
            result += packets([s])
    return write_pcap(result)


def tunnel_in_fragments():
    """GRE packets, of which the long ones are in two IP fragments, the last one first."""
    result = []
    for number, s in enumerate(segments()):
        body = struct.pack(">HH", 0, IPV4) + ipv4(s)
        ends = (TUNNEL_CLIENT, TUNNEL_SERVER) if s.from_client else (TUNNEL_SERVER, TUNNEL_CLIENT)
        if len(body) <= 600:
            result.append(Packet.whole(s.time, ethernet(s, ipv4_header(*ends, 47, len(body)) + body)))
            continue
        pieces = [(576, len(body), body[576:]), (0, 576, body[:576])]
        result += in_fragments(s, body, *ends, 47, pieces, number=100 + number)
    return write_pcap(result)


VARIANTS = [
    Variant("tunnel/ip-in-ipv6.pcap", "IPv4 in IPv6", lambda: framed(lambda s: over_ipv6(s, 4, ipv4(s)))),
    Variant(
        "tunnel/gre-key.pcap",
        "GRE with checksum, key 42 and sequence number",
        lambda: framed(lambda s: gre(s, 0xB000, IPV4, struct.pack(">III", 0, 42, 1) + ipv4(s))),
    ),
    Variant(
        "tunnel/gre-over-ipv6.pcap",
        "GRE over IPv6",
        lambda: framed(lambda s: over_ipv6(s, 47, struct.pack(">HH", 0, IPV4) + ipv4(s))),
    ),
    Variant("tunnel/nvgre.pcap", "NVGRE: Ethernet in GRE, network 5001", lambda: framed(nvgre)),
    Variant("tunnel/pptp.pcap", "PPTP: PPP in GRE, call 77", lambda: framed(pptp)),
    Variant("tunnel/erspan.pcap", "a mirrored port (ERSPAN II), session 99", lambda: framed(erspan)),
    Variant(
        "tunnel/erspan-three.pcap",
        "a mirrored port (ERSPAN III), session 99",
        lambda: framed(erspan_three),
    ),
    Variant(
        "tunnel/etherip.pcap",
        "Ethernet in IP",
        lambda: framed(lambda s: tunnelled(s, 97, b"\x30\0" + frame(s))),
    ),
    Variant("tunnel/ipsec-ah.pcap", "IPsec Authentication Header before TCP (transport mode)", lambda: framed(authenticated)),
    Variant(
        "tunnel/ipsec-ah-tunnel.pcap",
        "IPsec Authentication Header around packets (tunnel mode)",
        lambda: framed(authenticated_tunnel),
    ),
    Variant("tunnel/ipsec-esp.pcap", "IPsec ESP: the packets are encrypted", lambda: framed(secured), None),
    Variant(
        "tunnel/mpls-pseudowire.pcap",
        "Ethernet over MPLS with a control word",
        lambda: framed(pseudowire(True)),
        None,
    ),
    Variant(
        "tunnel/mpls-ethernet.pcap",
        "Ethernet over MPLS without a control word",
        lambda: framed(pseudowire(False)),
        None,
    ),
    Variant("tunnel/geneve.pcap", "Geneve with an option, network 42", lambda: framed(geneve)),
    Variant(
        "tunnel/vxlan-gpe.pcap",
        "VXLAN-GPE with IPv4, network 42",
        lambda: framed(vxlan_gpe),
    ),
    Variant("tunnel/nsh.pcap", "a Network Service Header in VXLAN-GPE", lambda: framed(nsh)),
    Variant("tunnel/gtp-u.pcap", "user data of a mobile network (GTP-U)", lambda: framed(gtp)),
    Variant(
        "tunnel/teredo.pcap",
        "Teredo, " + IPV6_NOTE.replace("2001:db8::2", "a Teredo address"),
        lambda: framed(teredo),
    ),
    Variant("tunnel/capwap.pcap", "802.11 frames between access point and controller (CAPWAP)", lambda: framed(capwap)),
    Variant("tunnel/l2tp.pcap", "PPP in L2TP, session 5", lambda: framed(l2tp)),
    Variant(
        "tunnel/l2tp-over-ip.pcap",
        "Ethernet in L2TP, version 3, with a cookie",
        lambda: framed(l2tp_over_ip),
        None,
    ),
    Variant("tunnel/nested-tunnels.pcap", "GRE in VXLAN in two VLAN tags", nested),
    Variant(
        "ip/fragments-overlap.pcap",
        "IP fragments that overlap, some with other bytes; the first copy is correct",
        overlapping,
        None,
    ),
    Variant(
        "ip/fragment-lost.pcap",
        "an IP fragment is missing; the segment is sent again",
        lost_fragment,
    ),
    Variant(
        "ip/fragments-never-whole.pcap",
        "an IP fragment of the server's flight is missing and not sent again; the others are captured",
        never_whole,
        None,
    ),
    Variant(
        "tunnel/fragments-of-tunnel.pcap",
        "GRE packets in IP fragments, the last one first",
        tunnel_in_fragments,
    ),
]
