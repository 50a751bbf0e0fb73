"""Variants of the link layer: 802.11, point-to-point links, logs of packet filters, several link types in one file."""

import struct

from .capturefile import Packet, Section, write_pcap
from .frames import IPV4, IPV6, ethernet, ipv4, ipv6, packets
from .link_variants import IPV6_NOTE, framed, pktap, raw
from .variant import Variant, segments

STATION = bytes.fromhex("020000000002")
ACCESS_POINT = bytes.fromhex("020000000001")
SERVER = bytes.fromhex("020000000007")


def snap(payload, kind=IPV4):
    """A payload after IEEE 802.2 LLC and SNAP headers."""
    return b"\xaa\xaa\x03\0\0\0" + kind.to_bytes(2, "big") + payload


def wlan(s, *, protected=False, quality=b"\0\0"):
    """The header of an 802.11 QoS data frame between a station and its access point."""
    to_network = s.from_client
    flags = (1 if to_network else 2) | (0x40 if protected else 0)
    addresses = ACCESS_POINT + STATION + SERVER if to_network else STATION + ACCESS_POINT + SERVER
    sequence = struct.pack("<H", (s.identification & 0xFFF) << 4)
    return bytes([0x88, flags, 0, 0]) + addresses + sequence + quality


def radiotap(s):
    """A frame after a radiotap header with time, flags (padding after the 802.11 header) and rate."""
    head = struct.pack("<BBHIQBB", 0, 0, 18, 0x00000007, s.time // 1000, 0x20, 0x6C)
    return head + wlan(s) + bytes(2) + snap(ipv4(s))


def encrypted(s):
    """An encrypted 802.11 frame, as captured without the key: the body is an 8-byte CCMP header and noise."""
    state, noise = s.sequence & 0x7FFFFFFF, bytearray()
    for _ in range(len(ipv4(s)) + 16):
        state = (state * 1103515245 + 12345) % (1 << 31)
        noise.append(state >> 16 & 0xFF)
    return wlan(s, protected=True) + bytes([1, 0, 0, 0x20, 0, 0, 0, 0]) + bytes(noise)


def aggregate(s):
    """A frame with one subframe (A-MSDU)."""
    body = snap(ipv4(s))
    subframe = SERVER + STATION + struct.pack(">H", len(body)) + body
    return wlan(s, quality=b"\x80\0") + subframe


def aggregates():
    """Frames with several subframes each: consecutive segments of one direction."""
    rows = []
    for s in segments():
        if rows and rows[-1][0].from_client == s.from_client:
            rows[-1].append(s)
        else:
            rows.append([s])
    result = []
    for row in rows:
        frame = wlan(row[0], quality=b"\x80\0")
        for s in row:
            frame += bytes(-(len(frame) - 26) % 4)
            body = snap(ipv4(s))
            frame += SERVER + STATION + struct.pack(">H", len(body)) + body
        result.append(Packet.whole(row[0].time, frame))
    return write_pcap(result, 105)


def erf(s):
    """An ERF record of an Endace card, with one extension header."""
    frame = ethernet(s, ipv4(s))
    head = struct.pack("<Q", (s.time // 10**9 << 32) | (s.time % 10**9 << 32) // 10**9)
    head += struct.pack(">BBHHH", 0x82, 4, 16 + 8 + 2 + len(frame), 0, len(frame))
    return head + bytes([3]) + bytes(7) + bytes(2) + frame


def ppi(s):
    return struct.pack("<BBHI", 0, 0, 8, 105) + wlan(s) + snap(ipv4(s))


def prism(s):
    return struct.pack("<II16s", 0x44, 144, b"wlan0") + bytes(120) + wlan(s) + snap(ipv4(s))


def avs(s):
    return struct.pack(">II", 0x80211001, 64) + bytes(56) + wlan(s) + snap(ipv4(s))


def pflog(s):
    """The log of OpenBSD's packet filter, with a header of 61 bytes and three of padding."""
    head = struct.pack(">BBBB16s16sII", 61, 2, 0, 0, b"em0", b"", 0, 0xFFFFFFFF)
    return head.ljust(64, b"\0") + ipv4(s)


def nflog(s):
    """An NFLOG packet: family, version, resource ID, then the attributes packet header, prefix and payload."""

    def attribute(kind, value):
        return struct.pack("<HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)

    found = ipv4(s)
    return struct.pack(">BBH", 2, 0, 1) + attribute(1, b"\x08\0\x03\0") + attribute(10, b"x\0") + attribute(9, found)


def frame_relay(s):
    """A Frame Relay packet with DLCI 1020 and the NLPID of IPv4."""
    return bytes([0xFC, 0xC1, 0x03, 0xCC]) + ipv4(s)


def frame_relay_snap(s):
    """A Frame Relay packet with DLCI 1020, padding and SNAP."""
    return bytes([0xFC, 0xC1, 0x03, 0x00, 0x80, 0, 0, 0]) + IPV4.to_bytes(2, "big") + ipv4(s)


def old_ethernet(s):
    """An IEEE 802.3 frame: a length instead of the EtherType, then LLC and SNAP."""
    body = snap(ipv4(s))
    return ethernet(s, body, len(body))


def short_frames(encode):
    """A capture with TCP payloads of at most 1,000 bytes, since an 802.3 length is at most 1500."""
    found = []
    for s in segments():
        size = len(s.payload)
        parts = [s.part(at, min(at + 1000, size)) for at in range(0, size, 1000)] or [s]
        found += [part.but(time=s.time + number * 1000) for number, part in enumerate(parts)]
    return write_pcap(packets(found, encode))


def pppoe_session(s):
    body = b"\0\x21" + ipv4(s)
    return struct.pack(">BBHH", 0x11, 0, 0x1234, len(body)) + body


def direction(s):
    return bytes([1 if s.from_client else 0])


def mixed():
    """One section with six interfaces of different link types, used in turn, and one of an unknown link type."""
    section = Section(options=[(3, "Example OS 1.0")])
    kinds = [
        (1, lambda s: ethernet(s, ipv4(s))),
        (101, ipv4),
        (0, lambda s: struct.pack("<I", 2) + ipv4(s)),
        (127, radiotap),
        (258, pktap),
        (9, lambda s: b"\xff\x03\0\x21" + ipv4(s)),
    ]
    for link, _ in kinds:
        section.interface(link)
    section.interface(147)
    found = segments()
    for number, s in enumerate(found):
        interface = number % len(kinds)
        packet = packets([s], kinds[interface][1])[0]
        section.enhanced(packet, interface)
    for s in found[:2]:
        section.enhanced(raw(s), len(kinds))
    return section.encoded()


def pktap_ethernet(s):
    """A PKTAP header around an Ethernet frame, which contains IPv6 although its EtherType is IPv4."""
    head = bytearray(pktap(s)[:156])
    head[8:12] = struct.pack("<I", 1)
    return bytes(head) + ethernet(s, ipv6(s), IPV4)


def app_comments():
    """PCAPdroid's pcapng: a custom block names the app of a user ID, and comments contain the user ID."""
    section = Section(options=[(2, "Example device"), (3, "Android 15"), (4, "PCAPdroid v1.8.0")])
    section.interface(101)
    texts = b"com.example.app" + b"Example App"
    section.block(0x0BAD, struct.pack("<IHBxiBB", 62652, 1, 1, 10123, 15, 11) + texts)
    for s in segments():
        section.enhanced(raw(s), options=[(1, "u-10123")])
    return section.encoded()


def trace_comments():
    """etl2pcapng's pcapng: comments with a process ID, which is often wrong."""
    section = Section(options=[(3, "Windows"), (4, "etl2pcapng")]).interface(1)
    for packet in packets(segments()):
        section.enhanced(packet, options=[(1, "PID=4242")])
    return section.encoded()


def late_process_block():
    """Apple's process information block after the first packet that refers to it; the packet also has an index without a block."""
    section = Section().interface(101)
    found = segments()
    for s in found[:1]:
        section.enhanced(raw(s), options=[(0x8001, 0), (0x8003, 7)])
    section.process(412, "ExampleApp")
    for s in found[1:]:
        section.enhanced(raw(s), options=[(0x8001, 0)])
    return section.encoded()


def cut_section():
    """Two sections, the second truncated within a block, as after a crash of the machine that writes."""
    found = packets(segments())
    first = Section("<").interface(1)
    for packet in found[:6]:
        first.enhanced(packet)
    second = Section(">").interface(1)
    for packet in found[6:]:
        second.enhanced(packet)
    content = first.encoded() + second.encoded()
    return content[:-30]


VARIANTS = [
    Variant(
        "link/wlan.pcap",
        "link type 105, 802.11 data frames",
        lambda: framed(lambda s: wlan(s) + snap(ipv4(s)), 105),
    ),
    Variant(
        "link/wlan-radiotap.pcap",
        "link type 127, radiotap and padding after the 802.11 header",
        lambda: framed(radiotap, 127),
    ),
    Variant(
        "link/wlan-ppi.pcap",
        "link type 192, a Per-Packet Information header and 802.11",
        lambda: framed(ppi, 192),
    ),
    Variant("link/wlan-prism.pcap", "link type 119, a Prism monitor header", lambda: framed(prism, 119)),
    Variant("link/wlan-avs.pcap", "link type 163, an AVS header", lambda: framed(avs, 163)),
    Variant(
        "link/wlan-aggregate.pcap",
        "802.11 frames with one subframe each",
        lambda: framed(aggregate, 105),
    ),
    Variant(
        "link/wlan-aggregates.pcap",
        "802.11 frames with several subframes each",
        aggregates,
    ),
    Variant(
        "link/wlan-encrypted.pcap",
        "encrypted 802.11 frames, without their key",
        lambda: framed(encrypted, 105),
        None,
    ),
    Variant(
        "link/token-ring.pcap",
        "link type 6, Token Ring",
        lambda: framed(lambda s: b"\x10\x40" + SERVER + STATION + snap(ipv4(s)), 6),
    ),
    Variant(
        "link/token-ring-route.pcap",
        "link type 6, Token Ring with a source route",
        lambda: framed(
            lambda s: b"\x10\x40" + SERVER + b"\x82" + STATION[1:] + b"\x06\x30\0\x11\0\x20" + snap(ipv4(s)), 6),
    ),
    Variant(
        "link/fddi.pcap",
        "link type 10, FDDI",
        lambda: framed(lambda s: b"\x50" + SERVER + STATION + snap(ipv4(s)), 10),
    ),
    Variant(
        "link/fibre-channel.pcap",
        "link type 122, IP over Fibre Channel",
        lambda: framed(lambda s: b"\x10\0" + SERVER + b"\x10\0" + STATION + snap(ipv4(s)), 122),
    ),
    Variant("link/erf.pcap", "link type 197, ERF records of Endace cards", lambda: framed(erf, 197)),
    Variant("link/ppp.pcap", "link type 9, PPP", lambda: framed(lambda s: b"\0\x21" + ipv4(s), 9)),
    Variant(
        "link/ppp-hdlc.pcap",
        "link type 50, PPP in HDLC-like framing",
        lambda: framed(lambda s: b"\xff\x03\0\x21" + ipv4(s), 50),
    ),
    Variant(
        "link/ppp-session.pcap",
        "link type 51, PPPoE sessions without Ethernet",
        lambda: framed(pppoe_session, 51),
    ),
    Variant(
        "link/pppd.pcap",
        "link type 166, PPP with pppd's direction byte",
        lambda: framed(lambda s: direction(s) + b"\x03\0\x21" + ipv4(s), 166),
        None,
    ),
    Variant(
        "link/ppp-direction.pcap",
        "link type 204, PPP after a direction byte",
        lambda: framed(lambda s: direction(s) + b"\xff\x03\0\x21" + ipv4(s), 204),
    ),
    Variant(
        "link/cisco-hdlc.pcap",
        "link type 104, Cisco HDLC",
        lambda: framed(lambda s: b"\x0f\0\x08\0" + ipv4(s), 104),
    ),
    Variant(
        "link/frame-relay.pcap",
        "link type 107, Frame Relay with an NLPID",
        lambda: framed(frame_relay, 107),
    ),
    Variant(
        "link/frame-relay-snap.pcap",
        "link type 107, Frame Relay with SNAP",
        lambda: framed(frame_relay_snap, 107),
    ),
    Variant(
        "link/slip.pcap",
        "link type 8, SLIP",
        lambda: framed(lambda s: direction(s) + bytes(15) + ipv4(s), 8),
        None,
    ),
    Variant("link/atm.pcap", "link type 100, LLC and SNAP as over ATM", lambda: framed(lambda s: snap(ipv4(s)), 100)),
    Variant(
        "link/sun-atm.pcap",
        "link type 123, SunATM",
        lambda: framed(lambda s: b"\x02\0\0\x20" + snap(ipv4(s)), 123),
    ),
    Variant(
        "link/firewire.pcap",
        "link type 138, IP over Firewire",
        lambda: framed(lambda s: bytes(16) + b"\x08\0" + ipv4(s), 138),
    ),
    Variant("link/llc-snap.pcap", "Ethernet with a length, LLC and SNAP", lambda: short_frames(old_ethernet)),
    Variant(
        "link/pflog.pcap",
        "link type 117, the log of OpenBSD's packet filter",
        lambda: framed(pflog, 117),
    ),
    Variant("link/nflog.pcap", "link type 239, the log of Linux's netfilter", lambda: framed(nflog, 239)),
    Variant(
        "link/enc.pcap",
        "link type 109, OpenBSD's enc interface: packets that IPsec has decrypted",
        lambda: framed(lambda s: struct.pack("<III", 2, 0, 0) + ipv4(s), 109),
    ),
    Variant(
        "link/raw-ip-bsd.pcap",
        "link type 12, raw IP with the number of most systems",
        lambda: framed(ipv4, 12),
    ),
    Variant("link/link-ipv4.pcap", "link type 228, raw IPv4", lambda: framed(ipv4, 228)),
    Variant("link/network-ipv6.pcap", "link type 229, raw IPv6, " + IPV6_NOTE, lambda: framed(ipv6, 229)),
    Variant(
        "link/wrong-ethertype.pcap",
        "IPv6 with the EtherType of IPv4, " + IPV6_NOTE,
        lambda: framed(lambda s: ethernet(s, ipv6(s), IPV4)),
        None,
    ),
    Variant(
        "link/wrong-ethertype-back.pcap",
        "IPv4 with the EtherType of IPv6",
        lambda: framed(lambda s: ethernet(s, ipv4(s), IPV6)),
        None,
    ),
    Variant(
        "process/pktap-ethernet.pcap",
        "Apple's PKTAP header around Ethernet, IPv6 with the EtherType of IPv4, " + IPV6_NOTE,
        lambda: framed(pktap_ethernet, 258),
        None,
    ),
    Variant(
        "process/pktap-old-number.pcap",
        "Apple's PKTAP header under its old link type 149",
        lambda: framed(pktap, 149),
        None,
    ),
    Variant(
        "link/mixed-link-types.pcapng",
        "one session over six interfaces of different link types (Ethernet, raw IP, loopback, radiotap, PKTAP, PPP), "
        "and two packets of an unknown link type",
        mixed,
    ),
    Variant(
        "process/pcapdroid.pcapng",
        "PCAPdroid's pcapng: a custom block names the app, comments contain its user ID",
        app_comments,
    ),
    Variant(
        "process/etl-comments.pcapng",
        "etl2pcapng's pcapng: comments with a process ID",
        trace_comments,
    ),
    Variant(
        "process/process-blocks-late.pcapng",
        "Apple's process information block after the first packet that refers to it; the packet also has an index without a block",
        late_process_block,
    ),
    Variant(
        "format/cut-section.pcapng",
        "two sections of different byte order, the second truncated within a block",
        cut_section,
        None,
    ),
]
