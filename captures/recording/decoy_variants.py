"""Variants with forged copies of segments and fragments, which a receiver discards or may discard."""

import struct

from .capturefile import Packet, read_pcap, write_pcap
from .frames import ethernet, ipv4, ipv4_header, tcp
from .variant import Variant, base_parts, segments, source_path

MICROSECOND = 1000
HTTP = "http/post"
DATAGRAMS = "dtls/dtls-1.2-gcm"


def packet(segment, checksum=0, header=0):
    """The frame of a segment, with its TCP and IP checksums XORed with these values, or zero for None."""
    data = bytearray(ipv4(segment))
    for place, change in [(36, checksum), (10, header)]:
        if change is None:
            data[place : place + 2] = b"\0\0"
        else:
            value = struct.unpack_from(">H", data, place)[0] ^ change
            struct.pack_into(">H", data, place, value)
    return Packet.whole(segment.time, ethernet(segment, bytes(data)))


def forged(segment, old, new):
    """The segment with the first `old` in its payload replaced by `new`."""
    if segment.payload.count(old) < 1 or len(old) != len(new):
        raise ValueError("the payload does not contain the bytes to replace, or the lengths differ")
    return segment.but(payload=segment.payload.replace(old, new, 1))


def hello_decoy(segment):
    """The ClientHello with another host name."""
    return forged(segment, b"api.example.com", b"www.example.org")


def altered(segment, start, end):
    """The segment with its payload changed from `start` to `end`."""
    part = bytes(byte ^ 0x55 for byte in segment.payload[start:end])
    return segment.but(payload=segment.payload[:start] + part + segment.payload[end:])


def with_decoy(index, decoy, *, before=True, checksum=0x5555, header=0, found=None, true_checksum=0):
    """The base capture with a decoy before or after one of its segments."""
    found = list(segments()) if found is None else found
    result = []
    for place, segment in enumerate(found):
        own = packet(segment, true_checksum)
        if place != index:
            result.append(own)
            continue
        time = segment.time + (-MICROSECOND if before else MICROSECOND)
        other = packet(decoy(segment).but(time=time), checksum, header)
        result += [other, own] if before else [own, other]
    return write_pcap(result)


def datagram_again():
    """The DTLS capture with the server's Certificate repeated, the second time with another name in the leaf."""
    packets, link = read_pcap(source_path(DATAGRAMS))
    index = next(i for i, p in enumerate(packets) if b"api.example.com" in p.data and p.data[34:36] == b"\x01\xbb")
    data = packets[index].data.replace(b"api.example.com", b"www.example.org")
    again = Packet.whole(packets[index].time + MICROSECOND, data)
    return write_pcap(packets[: index + 1] + [again] + packets[index + 1 :], link)


def at_hello(**options):
    """A decoy of the ClientHello."""
    _, hello, _, _ = base_parts()
    return with_decoy(hello, hello_decoy, **options)


def at_flight(start, end, **options):
    """A decoy of the first segment of the server's flight."""
    _, _, first, _ = base_parts()
    return with_decoy(first, lambda segment: altered(segment, start, end), **options)


def edge(**options):
    """A decoy over the end of one segment of the server's flight and the beginning of the next, after both."""
    found, _, first, second = base_parts()
    early, late = found[first], found[second]

    def make(segment):
        return segment.but(
            sequence=early.sequence + len(early.payload) - 100,
            payload=bytes(byte ^ 0x55 for byte in early.payload[-100:] + late.payload[:100]),
        )

    return with_decoy(second, make, before=False, **options)


def swapped(**options):
    """The second segment of the server's flight before the first, and a decoy of it before both."""
    found, _, first, second = base_parts()
    found[first], found[second] = (
        found[second].but(time=found[first].time),
        found[first].but(time=found[second].time),
    )
    return with_decoy(first, lambda segment: altered(segment, 20, 60), found=found, **options)


def several():
    """Three decoys of the ClientHello before it, and one of each segment of the server's flight."""
    found, hello, first, second = base_parts()
    result = []
    for place, segment in enumerate(found):
        decoys = {
            hello: [lambda s: s.but(payload=b"SSH-2.0-OpenSSH_9.9\r\n"), hello_decoy, hello_decoy],
            first: [lambda s: altered(s, 5, 90)],
            second: [lambda s: altered(s, 0, 400)],
        }.get(place, [])
        for number, decoy in enumerate(decoys):
            time = segment.time - (len(decoys) - number) * MICROSECOND
            result.append(packet(decoy(segment).but(time=time), 0x1111 * (number + 1)))
        result.append(packet(segment))
    return write_pcap(result)


def offloaded():
    """The client leaves checksums to its network card; a decoy with a correct one follows its ClientHello."""
    found, hello, _, _ = base_parts()
    result = []
    for place, segment in enumerate(found):
        result.append(packet(segment, None if segment.from_client else 0))
        if place == hello:
            result.append(packet(hello_decoy(segment).but(time=segment.time + MICROSECOND)))
    return write_pcap(result)


def in_fragments(checksum):
    """The ClientHello in two IP fragments: a forged copy of the second one, the second one, the first one.

    The forged copy has another host name; with `checksum` 0, the TCP checksum matches both.
    """
    found, hello, _, _ = base_parts()
    result = []
    for place, segment in enumerate(found):
        if place != hello:
            result.append(packet(segment))
            continue
        true, other = (tcp(s, s.source, s.destination) for s in [segment, hello_decoy(segment)])
        if checksum == 0:
            # The same 16-bit words in another order have the same checksum.
            at = true.index(b"api.example.com")
            at += at % 2
            words = true[at + 4 : at + 6] + true[at + 2 : at + 4] + true[at : at + 2]
            other = true[:at] + words + true[at + 6 :]
        half = len(true) // 2 // 8 * 8
        if b"api.example.com" not in true[half:]:
            raise ValueError("the second fragment does not contain the host name")
        parts = [(other, half, len(true)), (true, half, len(true)), (true, 0, half)]
        for number, (body, start, end) in enumerate(parts):
            field = start // 8 | (0x2000 if end < len(true) else 0)
            head = ipv4_header(segment.source, segment.destination, 6, end - start, identification=77, fragment=field)
            time = segment.time + number * MICROSECOND
            result.append(Packet.whole(time, ethernet(segment, head + body[start:end])))
    return write_pcap(result)


def request(**options):
    """A decoy of a cleartext request."""
    found = list(segments(HTTP))
    place = next(i for i, s in enumerate(found) if s.from_client and s.payload)
    host = found[place].payload.split(b"Host: ")[1].split(b"\r\n")[0]
    other = b"x" * (len(host) - len(b".example")) + b".example"
    return with_decoy(place, lambda segment: forged(segment, host, other), found=found, **options)


def later_acknowledgement():
    """A decoy of the ClientHello that acknowledges data that was never sent; its checksum is correct."""
    _, hello, _, _ = base_parts()
    return with_decoy(
        hello, lambda segment: hello_decoy(segment).but(acknowledgement=segment.acknowledgement + 70000), checksum=0
    )


VARIANTS = [
    Variant(
        "decoy/hello.pcap", "a ClientHello for another host before the real one, with a wrong checksum", at_hello, None
    ),
    Variant(
        "decoy/hello-after.pcap", "the same, after the real one", lambda: at_hello(before=False), None
    ),
    Variant(
        "decoy/hello-contested.pcap",
        "a ClientHello for another host before the real one, both with correct checksums",
        lambda: at_hello(checksum=0),
        None,
    ),
    Variant(
        "decoy/ip-header.pcap",
        "a ClientHello for another host before the real one, with a wrong IP header checksum",
        lambda: at_hello(checksum=0, header=0x5555),
        None,
    ),
    Variant(
        "decoy/acknowledgement.pcap",
        "a ClientHello for another host that acknowledges data that was never sent, with a correct checksum",
        later_acknowledgement,
        None,
    ),
    Variant(
        "decoy/offloaded.pcap",
        "a ClientHello for another host with a correct checksum; the client leaves checksums to its network card",
        offloaded,
        None,
    ),
    Variant(
        "decoy/server-hello.pcap",
        "another ServerHello before the real one, with a wrong checksum",
        lambda: at_flight(40, 60),
        None,
    ),
    Variant(
        "decoy/server-hello-contested.pcap",
        "another ServerHello after the real one, both with correct checksums",
        lambda: at_flight(40, 60, before=False, checksum=0),
        None,
    ),
    Variant(
        "decoy/certificate-contested.pcap",
        "another certificate before the real one, both with correct checksums",
        lambda: at_flight(900, 960, checksum=0),
        None,
    ),
    Variant("decoy/edge.pcap", "a decoy that spans two segments, with a wrong checksum", edge, None),
    Variant(
        "decoy/ahead.pcap",
        "a decoy before a segment that arrived out of order, with a wrong checksum",
        swapped,
        None,
    ),
    Variant("decoy/several.pcap", "several decoys of each part of the handshake, all with wrong checksums", several, None),
    Variant(
        "decoy/fragment.pcap",
        "an IP fragment of another ClientHello before the real one; the TCP checksum does not match it",
        lambda: in_fragments(1),
        None,
    ),
    Variant(
        "decoy/fragment-contested.pcap",
        "an IP fragment of another ClientHello before the real one; the TCP checksum matches both",
        lambda: in_fragments(0),
        None,
    ),
    Variant(
        "decoy/datagram.pcap",
        "DTLS: a datagram of the server's flight is repeated with another name in the certificate; the first copy is used",
        datagram_again,
        None,
        DATAGRAMS,
    ),
    Variant(
        "decoy/request.pcap",
        "a cleartext request for another host before the real one, with a wrong checksum",
        request,
        None,
        HTTP,
    ),
    Variant(
        "decoy/request-contested.pcap",
        "a cleartext request for another host before the real one, both with correct checksums",
        lambda: request(checksum=0),
        None,
        HTTP,
    ),
]
