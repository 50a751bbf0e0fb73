"""Variants with a changed ServerKeyExchange, so that its signature is not valid, in segments with correct checksums."""

from .capturefile import write_pcap
from .decoy_variants import altered, packet, with_decoy
from .variant import BASE, SEEN, Variant, segments

ECDSA = "tls12/ecdhe-ecdsa-gcm"


def key_exchange(name):
    """The location of the ServerKeyExchange: the index of its segment, and the offsets of its body, signature and end."""
    for index, segment in enumerate(segments(name)):
        if segment.from_client or not segment.payload:
            continue
        # The curve type, x25519 and the length of the point; before them, the message type and a 3-byte length.
        at = segment.payload.find(b"\x03\x00\x1d\x20")
        if at < 4 or segment.payload[at - 4] != 12:
            continue
        end = at + int.from_bytes(segment.payload[at - 3 : at], "big")
        if end > len(segment.payload):
            raise ValueError(f"{name}: the ServerKeyExchange fills more than one segment")
        return index, at, at + 4 + 32 + 4, end
    raise ValueError(f"{name}: no ServerKeyExchange with x25519")


def with_bit(name, place):
    """The capture with one bit flipped at the offset that `place` computes from those of `key_exchange`."""
    index, *offsets = key_exchange(name)
    found = list(segments(name))
    payload = bytearray(found[index].payload)
    payload[place(*offsets)] ^= 1
    found[index] = found[index].but(payload=bytes(payload))
    return write_pcap([packet(segment) for segment in found])


def contested():
    """The base capture with a forged copy of the segment with the server's point, both with correct checksums."""
    index, body, _, _ = key_exchange(BASE)
    return with_decoy(index, lambda segment: altered(segment, body + 10, body + 20), checksum=0)


VARIANTS = [
    Variant(
        "tls/signature-parameters.pcap",
        "one bit of the server's ECDHE public key is flipped, so that the signature does not match it",
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
        "a ServerKeyExchange with another ECDHE public key, both copies with correct checksums",
        contested,
        None,
    ),
]
