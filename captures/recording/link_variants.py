"""Variants of what surrounds the TCP segments: file formats, link types, tags, tunnels, IPv6, process information."""

import struct
import zlib

from .capturefile import Packet, Section, write_pcap, write_pcapng
from .frames import IPV4, IPV6, SYN, ethernet, ipv4, ipv4_header, ipv6, ipv6_addresses, packets
from .variant import SEEN, Variant, segments, source_path

RAW = 101
TUNNEL_CLIENT, TUNNEL_SERVER = bytes([198, 51, 100, 2]), bytes([198, 51, 100, 7])


def framed(encode, link=1, **form):
    """A pcap of the base capture with another encoding of each segment."""
    return write_pcap(packets(segments(), encode), link, **form)


def tagged(*tags):
    """The base capture with these VLAN tags, outermost first, as (EtherType, identifier) pairs."""
    encoded = b"".join(struct.pack(">HH", kind, identifier) for kind, identifier in tags)
    return framed(lambda s: ethernet(s, ipv4(s), tags=encoded))


def pppoe(s):
    body = b"\x00\x21" + ipv4(s)
    return ethernet(s, struct.pack(">BBHH", 0x11, 0, 0x1234, len(body)) + body, 0x8864)


def mpls(s):
    labels = struct.pack(">II", 1000 << 12 | 64, 2000 << 12 | 0x100 | 64)
    return ethernet(s, labels + ipv4(s), 0x8847)


def tunnelled(s, protocol, body):
    """An outer IPv4 packet between the endpoints of a tunnel."""
    ends = (TUNNEL_CLIENT, TUNNEL_SERVER) if s.from_client else (TUNNEL_SERVER, TUNNEL_CLIENT)
    return ethernet(s, ipv4_header(*ends, protocol, len(body)) + body)


def gre(s):
    return tunnelled(s, 47, struct.pack(">HH", 0, IPV4) + ipv4(s))


def vxlan(s):
    inner = struct.pack(">II", 0x08000000, 42 << 8) + ethernet(s, ipv4(s))
    return tunnelled(s, 17, struct.pack(">HHHH", 50000, 4789, 8 + len(inner), 0) + inner)


def cooked(s):
    """A packet of LINKTYPE_LINUX_SLL."""
    kind = 4 if s.from_client else 0
    return struct.pack(">HHH8sH", kind, 1, 6, bytes.fromhex("0200000000020000"), IPV4) + ipv4(s)


def cooked_v2(s):
    """A packet of LINKTYPE_LINUX_SLL2."""
    kind = 4 if s.from_client else 0
    address = bytes.fromhex("0200000000020000")
    return struct.pack(">HHIHBB8s", IPV4, 0, 2, 1, kind, 6, address) + ipv4(s)


def ipv6_extended(s):
    """An IPv6 packet with hop-by-hop options (6 bytes of padding) and destination options (14 bytes of padding)."""
    hop = bytes([0, 1, 4]) + bytes(4)
    destination = bytes([1, 1, 12]) + bytes(12)
    return ethernet(s, ipv6(s, [(0, hop), (60, destination)]), IPV6)


def ipv6_fragments():
    """Every packet with more than 600 bytes of TCP in two IPv6 fragments, the second one first."""
    result = []
    for s in segments():
        whole = ipv6(s)
        body = whole[40:]
        if len(body) <= 600:
            result.append(Packet.whole(s.time, ethernet(s, whole, IPV6)))
            continue
        source, destination = ipv6_addresses(s)
        for number, (start, end, more) in enumerate([(600, len(body), 0), (0, 600, 1)]):
            fragment = struct.pack(">BBHI", 6, 0, start | more, 0x42424242) + body[start:end]
            head = struct.pack(">IHBB", 0x60000000, len(fragment), 44, 64) + source + destination
            result.append(Packet.whole(s.time + number * 1000, ethernet(s, head + fragment, IPV6)))
    return write_pcap(result)


def raw(s):
    return Packet.whole(s.time, ipv4(s))


def cable(s):
    return packets([s])[0]


def alternating(section, found, first=0, second=1):
    """The client's packets on the first interface (Ethernet), the server's on the second (raw IP)."""
    for s in found:
        if s.from_client:
            section.enhanced(cable(s), first)
        else:
            section.enhanced(raw(s), second)
    return section.encoded()


def two_sections():
    """A session per section; the sections differ in byte order and in the order of their interfaces."""
    first = Section("<").interface(1).interface(RAW)
    second = Section(">").interface(RAW).interface(1)
    return alternating(first, segments()) + alternating(second, segments("tls12/tls13-offered"), 1, 0)


def section_break():
    """One session over two sections of different byte order."""
    found = segments()
    half = len(found) // 2
    first = Section("<").interface(1).interface(RAW)
    second = Section(">").interface(1).interface(RAW)
    return alternating(first, found[:half]) + alternating(second, found[half:])


def simple():
    section = Section().interface(1)
    for packet in packets(segments()):
        section.simple(packet)
    return section.encoded()


def obsolete():
    section = Section().interface(1)
    for packet in packets(segments()):
        section.obsolete(packet)
    return section.encoded()


def resolutions():
    """Nanoseconds on one interface, 2^-20 seconds with an offset on the other."""
    start = segments()[0].time // 1_000_000_000 - 1000
    section = Section().interface(1, ticks=1_000_000_000).interface(RAW, ticks=1 << 20, offset=start)
    return alternating(section, segments())


def odd_blocks():
    """A section with comments, statistics, a custom block and a block of unknown type besides the packets."""
    section = Section(options=[(2, "Example hardware"), (3, "Example OS 1.0"), (4, "Example tool")])
    section.interface(1, options=[(2, "en0"), (3, "Example interface"), (12, "Example OS 1.0")])
    for number, packet in enumerate(packets(segments())):
        section.enhanced(packet, options=[(1, f"packet {number + 1}")] if number % 5 == 0 else [])
        if number == 3:
            section.block(0x00000BAD, struct.pack("<I", 32473) + b"private use")
        if number == 6:
            section.block(0x40000042, b"unknown")
    statistics = struct.pack("<III", 0, *section.stamp(packets(segments())[-1], 0))
    drops = [(4, struct.pack("<Q", 22)), (5, struct.pack("<Q", 3))]
    return section.block(5, statistics + section.options(drops)).encoded()


def names():
    section = Section().interface(1)
    section.names([(bytes([203, 0, 113, 7]), "api.example.com")])
    for packet in packets(segments("tls12/no-sni")):
        section.enhanced(packet)
    return section.encoded()


def secrets(late):
    """The key log of a TLS 1.3 session before or after its packets."""
    with open(source_path("tls13/x25519", ".keylog"), "rb") as file:
        keylog = file.read()
    section = Section().interface(1)
    if not late:
        section.secrets(keylog)
    for packet in packets(segments("tls13/x25519")):
        section.enhanced(packet)
    if late:
        section.secrets(keylog)
    return section.encoded()


def pktap(s, service="nsurlsessiond", app="ExampleApp"):
    """A packet with Apple's PKTAP header, version 1: a system service made the transfer for an app."""
    text = lambda value, size: value.encode().ljust(size, b"\0")
    flags = (2 if s.from_client else 1) | 4 | 0x2000 | (0x4000 if s.flags & SYN else 0)
    head = struct.pack("<III", 156, 1, 12) + text("en0", 24)
    head += struct.pack("<IIIIi", flags, 2, 0, 0, 101) + text(service, 17) + bytes(1)
    head += struct.pack("<HIHHi", 0, 0, 6, 0, 412) + text(app, 17) + bytes(3)
    head += struct.pack("<II", 7, 6) + struct.pack("<II", *divmod(s.time // 1000, 1_000_000))
    return head + bytes(32) + ipv4(s)


def system_clients():
    """Connections of system processes, and one of a web view in an app."""
    made = []
    for source, service, app in (
        ("tls10/static-rsa", "com.apple.WebKit", "SafariViewServic"),
        ("tls11/ecdhe-rsa", "com.apple.WebKit", "ExampleApp"),
        ("http/redirect", "captiveagent", "captiveagent"),
    ):
        made += packets(segments(source), lambda s, names=(service, app): pktap(s, *names))
    return write_pcap(sorted(made, key=lambda packet: packet.time), 258)


def pktap_v2(s):
    """A packet with Apple's PKTAP header, version 2: the names follow the fixed part."""
    strings = b"en0\0ExampleApp\0ExampleApp\0"
    start = 40
    length = start + len(strings) + -len(strings) % 4
    flags = (2 if s.from_client else 1) | 0x80000
    head = struct.pack(
        "<BBBBBBHHHHHIIIiiI",
        length,
        0,
        0,
        start,
        start + 4,
        start + 15,
        12,
        0,
        0,
        6,
        6,
        2,
        0,
        7,
        412,
        412,
        flags,
    )
    return head + strings.ljust(length - start, b"\0") + ipv4(s)


def process_blocks():
    """Apple's pcapng: two process information blocks, and packets that refer to them."""
    section = Section(options=[(3, "Example OS 1.0")]).interface(RAW, options=[(2, "en0")])
    section.process(101, "nsurlsessiond").process(412, "ExampleApp")
    for s in segments():
        direction = (2, 2 if s.from_client else 1)
        section.enhanced(raw(s), options=[direction, (0x8001, 0), (0x8003, 1), (0x8005, 7)])
    return section.encoded()


def pymobiledevice3():
    """pymobiledevice3's pcapng: comments name the process; the invented Ethernet header has IPv4's EtherType before IPv6."""
    section = Section(options=[(2, "artificial"), (3, "iOS"), (4, "pymobiledevice3")])
    section.interface(1, options=[(3, "iOS Packet Capture"), (12, "iOS 26.1")])
    header = bytes.fromhex("beefbeefbeef" * 2) + b"\x08\x00"
    comment = "PID: 412, ProcName: Example, App, EPID: 0, EProcName: , SVC: 0"
    for s in segments():
        section.enhanced(Packet.whole(s.time, header + ipv6(s)), options=[(1, comment)])
    return section.encoded()


def pcapdroid():
    """PCAPdroid's pcap: an invented Ethernet header and a trailer that names the app."""

    def encode(s):
        packet = bytes(12) + b"\x08\x00" + ipv4(s)
        packet += bytes(-len(packet) % 4)
        packet += struct.pack(">Ii", 0x01072021, 10123) + b"Example App".ljust(20, b"\0")
        return packet + struct.pack(">I", zlib.crc32(packet))

    return framed(encode)


IPV6_NOTE = "rewritten to IPv6 (2001:db8::2 and 2001:db8::7)"

VARIANTS = [
    Variant("format/big-endian.pcap", "big-endian file header", lambda: framed(None, order=">")),
    Variant("format/nanoseconds.pcap", "time stamps in nanoseconds", lambda: framed(None, nanoseconds=True)),
    Variant(
        "format/nanoseconds-big-endian.pcap",
        "time stamps in nanoseconds, big-endian",
        lambda: framed(None, nanoseconds=True, order=">"),
    ),
    Variant(
        "format/modified.pcap",
        "Kuznetzov's modified format, 24-byte record headers",
        lambda: framed(None, modified=True),
    ),
    Variant(
        "format/plain.pcapng", "pcapng with one section and one interface", lambda: write_pcapng(packets(segments()))
    ),
    Variant(
        "format/big-endian.pcapng", "the same, big-endian", lambda: write_pcapng(packets(segments()), order=">")
    ),
    Variant(
        "format/two-sections.pcapng",
        "two sections of different byte order, each with a session and two "
        "interfaces: the client's packets on Ethernet, the server's on raw IP",
        two_sections,
        (SEEN, "sni=api.example.com 0303 c030 certs=2 data"),
        source="tls12/ecdhe-rsa-gcm, tls12/tls13-offered",
    ),
    Variant("format/section-break.pcapng", "one session over two sections of different byte order", section_break),
    Variant(
        "format/simple-packets.pcapng",
        "Simple Packet Blocks: no time stamps",
        simple,
        ("sni=api.example.com 0303 c02f certs=2 data",),
    ),
    Variant("format/obsolete-packets.pcapng", "the obsolete Packet Block", obsolete),
    Variant(
        "format/resolutions.pcapng",
        "time stamps in 10^-9 s on one interface, in 2^-20 s with an offset on another",
        resolutions,
    ),
    Variant(
        "format/odd-blocks.pcapng",
        "comments, drop counts, custom and unknown blocks between the packets",
        odd_blocks,
    ),
    Variant(
        "format/names.pcapng",
        "a Name Resolution Block names the server of a session without SNI",
        names,
        ("0303 c030 certs=2 valid trusted data !sni=api.example.com",),
        source="tls12/no-sni",
    ),
    Variant(
        "format/secrets-first.pcapng",
        "a Decryption Secrets Block before the packets of a TLS 1.3 session",
        lambda: secrets(False),
        ("sni=api.example.com 0304 1302 certs=2 valid trusted data",),
        source="tls13/x25519",
    ),
    Variant(
        "format/secrets-last.pcapng",
        "the same block after the packets",
        lambda: secrets(True),
        ("sni=api.example.com 0304 1302 data",),
        source="tls13/x25519",
    ),
    Variant("tunnel/vlan.pcap", "VLAN 12", lambda: tagged((0x8100, 12))),
    Variant("tunnel/qinq.pcap", "VLAN 12 in service VLAN 100 (0x88a8)", lambda: tagged((0x88A8, 100), (0x8100, 12))),
    Variant("tunnel/pppoe.pcap", "PPPoE session", lambda: framed(pppoe)),
    Variant("tunnel/mpls.pcap", "two MPLS labels", lambda: framed(mpls)),
    Variant("tunnel/gre.pcap", "GRE over IPv4", lambda: framed(gre)),
    Variant("tunnel/ip-in-ip.pcap", "IPv4 in IPv4", lambda: framed(lambda s: tunnelled(s, 4, ipv4(s)))),
    Variant(
        "tunnel/ipv6-in-ipv4.pcap",
        "IPv6 in IPv4 (protocol 41), " + IPV6_NOTE,
        lambda: framed(lambda s: tunnelled(s, 41, ipv6(s))),
    ),
    Variant("tunnel/vxlan.pcap", "VXLAN, network 42", lambda: framed(vxlan)),
    Variant("link/raw-ip.pcap", "link type 101, raw IP", lambda: framed(ipv4, RAW)),
    Variant("link/raw-ip-version-6.pcap", "link type 101 with IPv6, " + IPV6_NOTE, lambda: framed(ipv6, RAW)),
    Variant(
        "link/null.pcap",
        "link type 0, BSD loopback, family in little-endian",
        lambda: framed(lambda s: struct.pack("<I", 2) + ipv4(s), 0),
    ),
    Variant(
        "link/null-big-endian.pcap",
        "link type 0, BSD loopback, all big-endian",
        lambda: framed(lambda s: struct.pack(">I", 2) + ipv4(s), 0, order=">"),
    ),
    Variant(
        "link/null-version-6.pcap",
        "link type 0 with Apple's number for IPv6 (30), " + IPV6_NOTE,
        lambda: framed(lambda s: struct.pack("<I", 30) + ipv6(s), 0),
    ),
    Variant(
        "link/loop.pcap",
        "link type 108, OpenBSD loopback",
        lambda: framed(lambda s: struct.pack(">I", 2) + ipv4(s), 108),
    ),
    Variant("link/linux-cooked.pcap", "link type 113, Linux cooked capture", lambda: framed(cooked, 113)),
    Variant(
        "link/linux-cooked-v2.pcap",
        "link type 276, Linux cooked capture, version 2",
        lambda: framed(cooked_v2, 276),
    ),
    Variant("ip/ipv6.pcap", IPV6_NOTE, lambda: framed(lambda s: ethernet(s, ipv6(s), IPV6))),
    Variant(
        "ip/ipv6-extensions.pcap",
        "hop-by-hop and destination options, " + IPV6_NOTE,
        lambda: framed(ipv6_extended),
    ),
    Variant(
        "ip/ipv6-fragments.pcap",
        "long packets in two fragments, the second one first, " + IPV6_NOTE,
        ipv6_fragments,
    ),
    Variant(
        "process/pktap.pcap",
        "link type 258, Apple's PKTAP header: nsurlsessiond (101) for ExampleApp (412)",
        lambda: framed(pktap, 258),
    ),
    Variant(
        "process/pktap-v2.pcap",
        "link type 258, version 2 of Apple's PKTAP header: ExampleApp (412)",
        lambda: framed(pktap_v2, 258),
        None,
    ),
    Variant(
        "process/system-clients.pcap",
        "Apple's PKTAP header: `com.apple.WebKit` for SafariViewService, to which ATS does not apply, and for ExampleApp; "
        "`captiveagent`, whose cleartext is traffic of the system itself",
        system_clients,
        None,
        "tls10/static-rsa, tls11/ecdhe-rsa, http/redirect",
    ),
    Variant(
        "process/process-blocks.pcapng",
        "Apple's process information blocks: nsurlsessiond (101) for ExampleApp (412)",
        process_blocks,
    ),
    Variant(
        "process/pymobiledevice.pcapng",
        "pymobiledevice3's pcapng: process in comments (`Example, App`, 412), "
        "IPv6 with the EtherType of IPv4, " + IPV6_NOTE,
        pymobiledevice3,
        None,
    ),
    Variant(
        "process/pcapdroid.pcap", "PCAPdroid's pcap: a trailer names the app (`Example App`, 10123)", pcapdroid
    ),
]
