"""Makes inputs for benchmarks: packets, captures, TLS messages and certificates, none of them recorded."""
import random
import struct

START = 1_767_225_600
ETHERNET = bytes(12)
SERVER = bytes([203, 0, 113, 7])


def pcap(frames, link=1, start=START):
    """Returns a pcap file of frames, 10 microseconds apart."""
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link)]
    for index, frame in enumerate(frames):
        seconds, rest = divmod(index, 100_000)
        parts += [struct.pack("<IIII", start + seconds, rest * 10, len(frame), len(frame)), frame]
    return b"".join(parts)


def block(kind, body):
    """Returns a pcapng block."""
    body += bytes(-len(body) % 4)
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def option(code, value):
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def section():
    return block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))


def interface(link=1, name=""):
    return block(1, struct.pack("<HHI", link, 0, 262144) + (option(2, name.encode()) + bytes(4) if name else b""))


def enhanced(frame, number, interface=0):
    stamp = START * 1_000_000 + number * 10
    head = struct.pack("<IIIII", interface, stamp >> 32, stamp & 0xFFFFFFFF, len(frame), len(frame))
    return block(6, head + frame)


def client(number):
    return bytes([10, number >> 16 & 255, number >> 8 & 255, number & 255])


def ipv4(source, target, protocol, payload, identification=0, fragment=0x4000):
    header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), identification, fragment, 64, protocol, 0, source, target)
    return ETHERNET + b"\x08\0" + header + payload


def tcp(number, payload, up=True, sequence=1000, acknowledged=5000, flags=0x18, port=443):
    """Returns a segment of connection `number`, from the client if `up`, else from the server."""
    own = 20000 + number % 40000
    ports = (own, port) if up else (port, own)
    segment = struct.pack(">HHIIBBHHH", *ports, sequence & 0xFFFFFFFF, acknowledged & 0xFFFFFFFF, 0x50, flags, 65535, 0, 0) + payload
    ends = (client(number), SERVER) if up else (SERVER, client(number))
    return ipv4(*ends, 6, segment)


def udp(number, payload, up=True, port=53):
    own = 20000 + number % 40000
    ports = (own, port) if up else (port, own)
    ends = (client(number), SERVER) if up else (SERVER, client(number))
    return ipv4(*ends, 17, struct.pack(">HHHH", *ports, 8 + len(payload), 0) + payload)


def counted(width, body):
    return len(body).to_bytes(width, "big") + body


def record(kind, body):
    """Returns the TLS records that contain a body."""
    pieces = [body[start:start + 16384] for start in range(0, len(body), 16384)] or [b""]
    return b"".join(bytes([kind, 3, 3]) + counted(2, piece) for piece in pieces)


def handshake(kind, body):
    return bytes([kind]) + counted(3, body)


def extension(kind, body):
    return struct.pack(">H", kind) + counted(2, body)


def seeded(number):
    return random.Random(number).randbytes(32)


def client_hello(name, number=0, further=b""):
    """Returns a ClientHello that offers TLS 1.3 and 1.2, with this host name in SNI."""
    extensions = (extension(0, counted(2, b"\0" + counted(2, name.encode()))) + extension(43, b"\4\3\4\3\3")
                  + extension(10, b"\0\4\0\x1d\0\x17") + extension(13, b"\0\6\4\3\x08\4\4\1") + further)
    body = b"\3\3" + seeded(number) + counted(1, b"") + counted(2, bytes.fromhex("13011302c02fc030")) + b"\1\0"
    return handshake(1, body + counted(2, extensions))


def server_hello(number=0):
    """Returns a TLS 1.2 ServerHello."""
    return handshake(2, b"\3\3" + seeded(~number) + counted(1, b"") + b"\xc0\x2f\0" + counted(2, b""))


def conversation(number, up, down, port=443):
    """Yields the frames of a connection: SYN, SYN-ACK, then the data of the client and of the server."""
    yield tcp(number, b"", sequence=999, acknowledged=0, flags=2, port=port)
    yield tcp(number, b"", up=False, sequence=4999, acknowledged=1000, flags=0x12, port=port)
    yield from segments(number, up, True, 1000, 5000, port)
    yield from segments(number, down, False, 5000, 1000 + len(up), port)


def segments(number, stream, up, sequence, acknowledged, port=443, size=1400):
    for start in range(0, len(stream), size):
        yield tcp(number, stream[start:start + size], up, sequence + start, acknowledged, port=port)


def der(tag, *parts):
    body = b"".join(parts)
    if len(body) < 128:
        return bytes([tag, len(body)]) + body
    length = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + body


def certificate(subject, names=(), issuer="Example CA", serial=1):
    """Returns a certificate that parses, but whose key and signature are invalid."""
    def name(text):
        return der(0x30, der(0x31, der(0x30, der(6, b"\x55\4\3"), der(0x0C, text.encode()))))
    algorithm = der(0x30, der(6, bytes.fromhex("2a8648ce3d040302")))
    key = der(0x30, der(0x30, der(6, bytes.fromhex("2a8648ce3d0201")), der(6, bytes.fromhex("2a8648ce3d030107"))),
              der(3, b"\0\4" + seeded(serial) + seeded(serial + 1)))
    alternatives = der(0x30, *(der(0x82, each.encode()) for each in names or [subject]))
    extensions = der(0xA3, der(0x30, der(0x30, der(6, b"\x55\x1d\x11"), der(4, alternatives))))
    content = der(0x30, der(0xA0, der(2, b"\2")), der(2, b"\1" + serial.to_bytes(8, "big")), algorithm, name(issuer),
                  der(0x30, der(0x17, b"260101000000Z"), der(0x17, b"260401000000Z")), name(subject), key, extensions)
    return der(0x30, content, algorithm, der(3, b"\0" + der(0x30, der(2, b"\1"), der(2, b"\1"))))


def flight(chain, number=0):
    """Returns the ServerHello, Certificate and ServerHelloDone of a TLS 1.2 server with this chain."""
    return record(22, server_hello(number) + handshake(11, counted(3, b"".join(counted(3, each) for each in chain)))
                  + handshake(14, b""))
