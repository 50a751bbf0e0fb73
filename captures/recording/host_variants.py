"""Variants with many hosts, composed of recorded connections."""

from .capturefile import Packet, Section, read_pcap, write_pcapng
from .frames import packets
from .hostile_variants import connection, handshake, hello, messages
from .variant import Variant, segments, source_path

# Handshakes of TLS 1.3 that differ in suite, group and certificate.
TLS13 = ["tls13/x25519", "tls13/chacha20", "tls13/ecdsa-p256"]
SERVICES = ["api", "gateway", "configuration", "telemetry-in", "images", "push-courier", "accounts", "search", "maps-tiles",
            "static-assets", "feedback", "weather-data"]
FAILING = ["tls11/dhe-rsa", "certificates/expired", "certificates/self-signed", "certificates/wrong-host", "http/public-address"]


def tls13_turns(name, source, number):
    """The payloads of a recorded TLS 1.3 connection, with another server_name in the ClientHello."""
    turns = [(s.from_client, s.payload) for s in segments(source) if s.payload]
    body = messages(turns[0][1][: 5 + int.from_bytes(turns[0][1][3:5], "big")])[0][1]
    return [(True, handshake(1, hello(body, name.encode(), number)))] + turns[1:]


def phone():
    """36 hosts with TLS 1.3, every fourth with two connections, in a capture whose section header names a phone."""
    start, found = segments(TLS13[0])[0].time, []
    names = [f"{service}.{zone}.example.{ending}" for ending in ("com", "net", "org")
             for zone, service in zip(("eu-central", "edge", "mobile") * 4, SERVICES)]
    for number, name in enumerate(names + names[::4]):
        turns = tls13_turns(name, TLS13[number % len(TLS13)], number + 1)
        found += connection(start + number * 200_000_000, 50000 + number, 443, turns)
    section = Section(options=[(2, "iPhone10,2"), (3, "iOS 17.4")]).interface()
    for packet in packets(found):
        section.enhanced(packet)
    return section.encoded()


def in_turn(recordings):
    """A capture of recorded connections, one after another."""
    found = []
    for recorded in recordings:
        start = found[-1].time + 1_000_000_000 if found else recorded[0].time
        found += [Packet(start + packet.time - recorded[0].time, packet.data, packet.length) for packet in recorded]
    return write_pcapng(found)


def recording(name):
    """The packets of a recorded capture."""
    return read_pcap(source_path(name))[0]


def failing():
    """Five hosts that fail, each for a different reason."""
    return in_turn(recording(name) for name in FAILING)


def demo():
    """One host for each verdict."""
    recorded = recording("tls12/ecdhe-rsa-gcm")
    hidden = connection(recorded[0].time, 50200, 443, tls13_turns("images.example.com", TLS13[0], 1))
    return in_turn([recording("tls10/ecdhe-rsa"), recorded, packets(hidden), recording("http/private-address")])


VARIANTS = [
    Variant("hosts/tls13-hosts.pcapng", "36 hosts with TLS 1.3 and no key log, captured on a phone", phone, expect=None, source=TLS13[0]),
    Variant("hosts/failing-hosts.pcapng", "five hosts that fail, each for a different reason", failing, expect=None, source=FAILING[0]),
    Variant("demo.pcapng", "one host for each verdict, as a first example", demo, expect=None, source="tls10/ecdhe-rsa", folder="demo"),
]
