"""Variants that split a recording: a resumed session apart from its full handshake, and parts of a rotated capture."""

import functools

from .capturefile import read_pcap, write_pcap
from .variant import Variant, source_path

# Two connections, of which the second resumes the first by its ticket: packets 1 to 19, and 20 to 36.
TICKET = "resumption/tls12-ticket"
FULL = "sni=api.example.com 0303 c02f certs=2 valid trusted data"
RESUMED = "sni=api.example.com 0303 c02f resumed data"
SECOND = 19
# The first part ends before the certificates, the second within the other connection.
PARTS = [(0, 7), (7, 24), (24, 36)]


@functools.lru_cache(maxsize=None)
def recorded():
    return tuple(read_pcap(source_path(TICKET))[0])


def part(first, last):
    return write_pcap(list(recorded()[first:last]))


VARIANTS = [
    Variant("resumed-elsewhere/first.pcap", "a full handshake, whose session `later.pcap` resumes",
            lambda: part(0, SECOND), (FULL,), TICKET),
    Variant("resumed-elsewhere/later.pcap", "a session that resumes the one in `first.pcap`",
            lambda: part(SECOND, 36), ("sni=api.example.com 0303 c02f",), TICKET),
] + [
    Variant(f"rotated/trace_{number:05}_20260501101{number}12.pcap",
            f"part {number} of 3 of a rotated capture, which begins or ends within a handshake",
            lambda first=first, last=last: part(first, last), None, TICKET)
    for number, (first, last) in enumerate(PARTS, 1)
]
