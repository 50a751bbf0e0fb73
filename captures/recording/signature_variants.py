"""Handshakes whose ServerKeyExchange is not what the server signed, in segments with right checksums."""

from .capturefile import write_pcap
from .decoy_variants import altered, packet, with_decoy
from .variant import BASE, SEEN, Variant, segments

ECDSA = "tls12/ecdhe-ecdsa-gcm"


def key_exchange(name):
    """Where the ServerKeyExchange lies: the index of its segment, and the offsets of its body in the payload, and of its signature."""
    for index, segment in enumerate(segments(name)):
        if segment.from_client or not segment.payload:
            continue
        # Its header: the type, a length of three bytes, then the curve type and x25519.
        at = segment.payload.find(b"\x03\x00\x1d\x20")
        if at < 4 or segment.payload[at - 4] != 12:
            continue
        end = at + int.from_bytes(segment.payload[at - 3 : at], "big")
        if end > len(segment.payload):
            raise ValueError(f"{name}: the ServerKeyExchange fills more than one segment")
        return index, at, at + 4 + 32 + 4, end
    raise ValueError(f"{name}: no ServerKeyExchange with x25519")


def with_bit(name, place):
    """The capture with another bit in the byte that a function of the ServerKeyExchange's offsets names."""
    index, *offsets = key_exchange(name)
    found = list(segments(name))
    payload = bytearray(found[index].payload)
    payload[place(*offsets)] ^= 1
    found[index] = found[index].but(payload=bytes(payload))
    return write_pcap([packet(segment) for segment in found])


def contested():
    """The base capture with a second copy of the ServerKeyExchange's point, both with right checksums."""
    index, body, _, _ = key_exchange(BASE)
    return with_decoy(index, lambda segment: altered(segment, body + 10, body + 20), checksum=0)


VARIANTS = [
    Variant(
        "tls/signature-parameters.pcap",
        "one bit of the server's point differs from what the server signed",
        lambda: with_bit(BASE, lambda body, signature, end: body + 10),
    ),
    Variant(
        "tls/signature-changed.pcap",
        "one bit of the signature over the key exchange is flipped",
        lambda: with_bit(BASE, lambda body, signature, end: end - 1),
    ),
    Variant(
        "tls/signature-ecdsa.pcap",
        "the same with an ECDSA signature",
        lambda: with_bit(ECDSA, lambda body, signature, end: end - 1),
        ("sni=api.example.com 0303 c02b certs=2 valid trusted data",),
        ECDSA,
    ),
    Variant(
        "decoy/key-exchange-contested.pcap",
        "a key exchange with other bytes in the server's point, both copies with right checksums",
        contested,
        None,
    ),
]
