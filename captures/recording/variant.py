"""A row of the tables of variants, and the recorded captures that variants are derived from."""

import dataclasses
import functools
import os
from typing import Callable

from .frames import read_segments

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BASE = "tls12/ecdhe-rsa-gcm"
SEEN = "sni=api.example.com 0303 c02f certs=2 valid trusted data"


@dataclasses.dataclass(frozen=True)
class Variant:
    """A derived capture: what it shows, how it is made, and what tshark must find in it."""

    name: str
    shows: str
    make: Callable
    expect: tuple = (SEEN,)
    source: str = BASE
    decode: tuple = ()
    folder: str = "variants"


def source_path(name, ending=".pcap"):
    """The path of a recorded file."""
    return os.path.join(HERE, name + ending)


@functools.lru_cache(maxsize=None)
def segments(name=BASE):
    """The segments of a recorded capture."""
    return tuple(read_segments(source_path(name)))


def base_parts():
    """Returns the parts of the base capture that variants change.

    They are its segments, the index of the ClientHello, and the indices of the two segments that carry the
    server's first flight.
    """
    found = list(segments())
    hello = next(i for i, s in enumerate(found) if s.from_client and s.payload)
    first, second = [i for i, s in enumerate(found) if not s.from_client and s.payload][:2]
    if found[first].payload[:1] != b"\x16" or len(found[first].payload) < 1000:
        raise ValueError(f"{BASE}: the server's flight does not begin as expected")
    if len(found[second].payload) < 500:
        raise ValueError(f"{BASE}: the server's flight does not fill two segments")
    return found, hello, first, second
