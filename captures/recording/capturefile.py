"""Reads classic pcap as tcpdump writes it; writes pcap and pcapng with either byte order and any time stamp resolution."""

import dataclasses
import struct

ETHERNET = 1


@dataclasses.dataclass(frozen=True)
class Packet:
    """A captured packet: its time in nanoseconds, its captured bytes and its length on the wire."""

    time: int
    data: bytes
    length: int

    @classmethod
    def whole(cls, time, data):
        """A packet that was captured in full."""
        return cls(time, data, len(data))


def read_pcap(path):
    """The packets of a little-endian microsecond pcap, with its link type."""
    with open(path, "rb") as file:
        content = file.read()
    magic, _, _, _, _, _, link = struct.unpack_from("<IHHiIII", content)
    if magic != 0xA1B2C3D4:
        raise ValueError(f"{path}: not a little-endian pcap with microseconds")
    packets, at = [], 24
    while at < len(content):
        seconds, micros, kept, length = struct.unpack_from("<IIII", content, at)
        time = seconds * 1_000_000_000 + micros * 1000
        packets.append(Packet(time, content[at + 16 : at + 16 + kept], length))
        at += 16 + kept
    return packets, link


def write_pcap(packets, link=ETHERNET, *, order="<", nanoseconds=False, snaplen=262144, modified=False):
    """The bytes of a classic pcap file. `modified` selects Kuznetzov's format with 24-byte record headers."""
    magic = 0xA1B2CD34 if modified else 0xA1B23C4D if nanoseconds else 0xA1B2C3D4
    parts = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snaplen, link)]
    for packet in packets:
        seconds, rest = divmod(packet.time, 1_000_000_000)
        fraction = rest if nanoseconds else rest // 1000
        parts.append(struct.pack(order + "IIII", seconds, fraction, len(packet.data), packet.length))
        if modified:
            # Interface index, protocol, packet type, padding.
            parts.append(struct.pack(order + "IHBB", 1, 0x0800, 0, 0))
        parts.append(packet.data)
    return b"".join(parts)


class Section:
    """Builds one section of a pcapng file."""

    def __init__(self, order="<", options=()):
        self.order = order
        self.parts = []
        self.resolutions = []
        body = struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1)
        self.block(0x0A0D0D0A, body + self.options(options))

    def block(self, kind, body):
        """Adds any block; the body is padded to a multiple of four."""
        body += bytes(-len(body) % 4)
        length = struct.pack(self.order + "I", len(body) + 12)
        self.parts.append(struct.pack(self.order + "I", kind) + length + body + length)
        return self

    def options(self, pairs):
        """Encodes options, given as (code, value) pairs; an integer value has 4 bytes."""
        if not pairs:
            return b""
        encoded = b""
        for code, value in pairs:
            if isinstance(value, int):
                value = struct.pack(self.order + "I", value)
            elif isinstance(value, str):
                value = value.encode()
            encoded += struct.pack(self.order + "HH", code, len(value)) + value + bytes(-len(value) % 4)
        return encoded + bytes(4)

    def interface(self, link=ETHERNET, *, snaplen=262144, ticks=1_000_000, offset=0, options=()):
        """Adds an Interface Description Block; `ticks`, its time stamp units per second, is a power of ten or of two."""
        options = list(options)
        if ticks != 1_000_000:
            decimal = ticks % 10 == 0
            exponent = len(str(ticks)) - 1 if decimal else 0x80 | (ticks.bit_length() - 1)
            options.append((9, bytes([exponent])))
        if offset:
            options.append((14, struct.pack(self.order + "q", offset)))
        self.resolutions.append((ticks, offset))
        body = struct.pack(self.order + "HHI", link, 0, snaplen)
        return self.block(1, body + self.options(options))

    def stamp(self, packet, interface):
        """The high and the low 32 bits of a packet's time stamp in an interface's units."""
        ticks, offset = self.resolutions[interface]
        units = (packet.time - offset * 1_000_000_000) * ticks // 1_000_000_000
        return units >> 32, units & 0xFFFFFFFF

    def enhanced(self, packet, interface=0, options=()):
        """Adds an Enhanced Packet Block."""
        numbers = [interface, *self.stamp(packet, interface), len(packet.data), packet.length]
        body = struct.pack(self.order + "IIIII", *numbers) + packet.data + bytes(-len(packet.data) % 4)
        return self.block(6, body + self.options(options))

    def simple(self, packet):
        """Adds a Simple Packet Block, which has no time stamp."""
        return self.block(3, struct.pack(self.order + "I", packet.length) + packet.data)

    def obsolete(self, packet, interface=0):
        """Adds the Packet Block that the Enhanced Packet Block replaced."""
        numbers = [interface, 0xFFFF, *self.stamp(packet, interface), len(packet.data), packet.length]
        return self.block(2, struct.pack(self.order + "HHIIII", *numbers) + packet.data)

    def names(self, records):
        """Adds a Name Resolution Block for IPv4 addresses."""
        body = b""
        for address, name in records:
            value = address + name.encode() + b"\0"
            body += struct.pack(self.order + "HH", 1, len(value)) + value + bytes(-len(value) % 4)
        return self.block(4, body + bytes(4))

    def secrets(self, keylog):
        """Adds a Decryption Secrets Block with a TLS key log."""
        return self.block(10, struct.pack(self.order + "II", 0x544C534B, len(keylog)) + keylog)

    def process(self, identifier, name):
        """Adds Apple's process information block."""
        return self.block(0x80000001, struct.pack(self.order + "I", identifier) + self.options([(2, name)]))

    def encoded(self):
        """The bytes of the section."""
        return b"".join(self.parts)


def write_pcapng(packets, link=ETHERNET, order="<"):
    """The bytes of a minimal pcapng file: one section, one interface, Enhanced Packet Blocks."""
    section = Section(order).interface(link)
    for packet in packets:
        section.enhanced(packet)
    return section.encoded()
