"""Parses TCP packets and writes them again, with other headers around them."""

import dataclasses
import struct

from .capturefile import Packet, read_pcap

FIN, SYN = 0x01, 0x02
IPV4, IPV6 = 0x0800, 0x86DD
CLIENT_MAC = bytes.fromhex("020000000002")
SERVER_MAC = bytes.fromhex("020000000007")
CLIENT_V6 = bytes.fromhex("20010db8" + "0" * 22 + "02")
SERVER_V6 = bytes.fromhex("20010db8" + "0" * 22 + "07")


@dataclasses.dataclass(frozen=True)
class Segment:
    """A TCP segment with the fields from which its packet can be written again."""

    time: int
    source: bytes
    destination: bytes
    source_port: int
    destination_port: int
    sequence: int
    acknowledgement: int
    flags: int
    window: int
    options: bytes
    payload: bytes
    identification: int

    @property
    def from_client(self):
        """True if the client sent the segment; the server has the lower port."""
        return self.source_port > self.destination_port

    def but(self, **changes):
        """A copy with some fields changed; sequence numbers are taken modulo 2^32."""
        for name in ["sequence", "acknowledgement"]:
            if name in changes:
                changes[name] %= 1 << 32
        return dataclasses.replace(self, **changes)

    def part(self, start, end):
        """The segment that carries these bytes of the payload; only the last part keeps a FIN."""
        flags = self.flags if end >= len(self.payload) else self.flags & ~FIN
        return self.but(sequence=self.sequence + start, payload=self.payload[start:end], flags=flags)


def read_segments(path):
    """The TCP segments of an Ethernet capture over IPv4, in order."""
    packets, link = read_pcap(path)
    if link != 1:
        raise ValueError(f"{path}: not Ethernet")
    return [parse(packet) for packet in packets]


def parse(packet):
    """Parses a packet of Ethernet, IPv4 and TCP."""
    ip = packet.data[14:]
    if packet.data[12:14] != b"\x08\x00" or ip[9] != 6:
        raise ValueError("not TCP over IPv4")
    header = (ip[0] & 15) * 4
    tcp = ip[header : int.from_bytes(ip[2:4], "big")]
    ports_and_more = struct.unpack_from(">HHIIBBH", tcp)
    source_port, destination_port, sequence, acknowledgement, offset, flags, window = ports_and_more
    start = (offset >> 4) * 4
    return Segment(
        packet.time,
        ip[12:16],
        ip[16:20],
        source_port,
        destination_port,
        sequence,
        acknowledgement,
        flags,
        window,
        tcp[20:start],
        tcp[start:],
        int.from_bytes(ip[4:6], "big"),
    )


def checksum(data):
    """The Internet checksum (RFC 1071)."""
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def tcp(segment, source, destination):
    """The TCP header and payload of a segment, with the checksum for these addresses."""
    offset = (20 + len(segment.options)) // 4 << 4
    numbers = [segment.source_port, segment.destination_port, segment.sequence, segment.acknowledgement]
    head = struct.pack(">HHIIBBHHH", *numbers, offset, segment.flags, segment.window, 0, 0)
    whole = head + segment.options + segment.payload
    pseudo = (
        source
        + destination
        + struct.pack(
            ">HH" if len(source) == 4 else ">IHBB",
            *((6, len(whole)) if len(source) == 4 else (len(whole), 0, 0, 6)),
        )
    )
    return whole[:16] + struct.pack(">H", checksum(pseudo + whole)) + whole[18:]


def ipv4_header(source, destination, protocol, length, *, identification=0, fragment=0x4000):
    """An IPv4 header without options; `fragment` is the field with flags and offset."""
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + length, identification, fragment, 64, protocol, 0)
    head += source + destination
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:]


def ipv4(segment):
    """The IPv4 packet of a segment."""
    body = tcp(segment, segment.source, segment.destination)
    head = ipv4_header(
        segment.source, segment.destination, 6, len(body), identification=segment.identification
    )
    return head + body


def ipv6_addresses(segment):
    """The documentation addresses (RFC 3849) that replace a segment's source and destination."""
    return (CLIENT_V6, SERVER_V6) if segment.from_client else (SERVER_V6, CLIENT_V6)


def ipv6(segment, extensions=()):
    """The IPv6 packet of a segment; `extensions` are (type, body without the next-header byte) pairs."""
    source, destination = ipv6_addresses(segment)
    body = tcp(segment, source, destination)
    following = 6
    for kind, content in reversed(extensions):
        body = bytes([following]) + content + body
        following = kind
    return struct.pack(">IHBB", 0x60000000, len(body), following, 64) + source + destination + body


def ethernet(segment, payload, kind=IPV4, tags=b""):
    """An Ethernet frame; `tags` are the bytes between the addresses and the EtherType."""
    client, server = CLIENT_MAC, SERVER_MAC
    addresses = server + client if segment.from_client else client + server
    return addresses + tags + kind.to_bytes(2, "big") + payload


def packets(segments, encode=None):
    """The packets of segments, each encoded by `encode`, or else as IPv4 over Ethernet."""
    encode = encode or (lambda segment: ethernet(segment, ipv4(segment)))
    return [Packet.whole(segment.time, encode(segment)) for segment in segments]
