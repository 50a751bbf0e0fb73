#!/usr/bin/env python3
"""Checks that the facts of sessions do not depend on how TCP and IP carry the data.

  reshape.py ATSCOPE [--seed N] [--keep FOLDER] CAPTURE...

Every capture is rewritten with its segments split, swapped, retransmitted or overlapping, with other sequence numbers, in IP fragments, or
with the cleartext handshake messages of TLS in other records.
No fact of any session may change except frame numbers, times and packet counts; the records of the original capture are the reference.
Correct checksums stay correct, and wrong ones stay wrong. A folder means the pcap files of at most 300,000 bytes below it. Captures that
lack bytes or contain fragments are skipped. In those whose retransmissions disagree, segments are only split and renumbered, because other
ways mix the copies.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

from folders import files_below

FIN, SYN, RST, PSH = 1, 2, 4, 8
# Members that differ between two recordings of the same sessions.
RECORDED = {"id", "capture", "start", "end", "frame", "frames", "firstFrame", "lastFrame", "resumedFrom"}
ETHERNET, RAW = 1, (12, 14, 101, 228, 229)
# A TLS record that begins with a hello, and the random of a HelloRetryRequest.
HELLO = re.compile(rb"\x16\x03[\x00-\x04]..[\x01\x02]\x00..\x03[\x00-\x04]", re.DOTALL)
RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
# The maximum number of bytes in a segment to which record headers were added.
LARGEST = 16_000


def folded(data, start=0):
    """The one's complement sum of bytes as 16-bit words (RFC 1071)."""
    total = start + sum(struct.unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total > 0xFFFF:
        total = (total >> 16) + (total & 0xFFFF)
    return total


class Segment:
    """The parts of a TCP packet. `of` returns None for any other packet, and for a truncated or fragmented one."""

    def __init__(self, packet, ip, version):
        self.packet, self.ip, self.version = packet, ip, version
        if version == 4:
            if packet[ip + 9] != 6 or struct.unpack_from(">H", packet, ip + 6)[0] & 0x3FFF:
                raise ValueError
            self.tcp = ip + (packet[ip] & 15) * 4
            end = ip + struct.unpack_from(">H", packet, ip + 2)[0]
            addresses = packet[ip + 12:ip + 16], packet[ip + 16:ip + 20]
        else:
            if packet[ip + 6] != 6:
                raise ValueError
            self.tcp = ip + 40
            end = self.tcp + struct.unpack_from(">H", packet, ip + 4)[0]
            addresses = packet[ip + 8:ip + 24], packet[ip + 24:ip + 40]
        ports = struct.unpack_from(">HH", packet, self.tcp)
        self.sequence, self.acknowledgment = struct.unpack_from(">II", packet, self.tcp + 4)
        self.flags = packet[self.tcp + 13]
        self.payload = self.tcp + (packet[self.tcp + 12] >> 4) * 4
        if not self.tcp + 20 <= self.payload <= end <= len(packet):
            raise ValueError
        self.data, self.behind = packet[self.payload:end], packet[end:]
        self.source, self.destination = (addresses[0], ports[0]), (addresses[1], ports[1])

    @staticmethod
    def of(packet, link):
        try:
            if link == ETHERNET:
                ip = 12
                while packet[ip:ip + 2] in (b"\x81\x00", b"\x88\xa8"):
                    ip += 4
                version = {b"\x08\x00": 4, b"\x86\xdd": 6}[packet[ip:ip + 2]]
                return Segment(packet, ip + 2, version)
            return Segment(packet, 0, {4: 4, 6: 6}[packet[0] >> 4]) if link in RAW else None
        except (IndexError, KeyError, ValueError, struct.error):
            return None

    @property
    def carries(self):
        """Whether it has data and neither SYN nor RST."""
        return bool(self.data) and not self.flags & (SYN | RST)

    def with_data(self, sequence, data, flags):
        """Returns the same packet with another sequence number, other data and other flags."""
        made = bytearray(self.packet[:self.payload])
        struct.pack_into(">I", made, self.tcp + 4, sequence & 0xFFFFFFFF)
        made[self.tcp + 13] = flags
        made += data
        struct.pack_into(">H", made, self.ip + (2 if self.version == 4 else 4), len(made) - (self.ip if self.version == 4 else self.tcp))
        return self.with_checksums(made) + self.behind

    def pseudo(self, length):
        """Returns the sum of the pseudo-header, which the checksum field contains if the checksum is left to the network card."""
        return folded(self.source[0] + self.destination[0], 6 + length)

    def with_checksums(self, made):
        """Completes a packet made from this one: its checksums are correct, wrong or left to the network card, as in this one."""
        old = self.packet[self.tcp:self.payload] + self.data
        field = struct.unpack_from(">H", old, 16)[0]
        struct.pack_into(">H", made, self.tcp + 16, 0)
        pseudo = self.pseudo(len(made) - self.tcp)
        right = 0xFFFF ^ folded(bytes(made[self.tcp:]), pseudo)
        if field == self.pseudo(len(old)):
            right = pseudo
        elif folded(old, self.pseudo(len(old))) != 0xFFFF:
            right ^= 0x5555
        struct.pack_into(">H", made, self.tcp + 16, right)
        return self.with_header_checksum(made)

    def with_header_checksum(self, made):
        """Completes a packet made from this one: its IPv4 header checksum is correct or wrong, as in this one."""
        if self.version == 4 and made[self.ip + 10:self.ip + 12] != b"\0\0":
            wrong = 0 if folded(self.packet[self.ip:self.tcp]) == 0xFFFF else 0x5555
            struct.pack_into(">H", made, self.ip + 10, 0)
            struct.pack_into(">H", made, self.ip + 10, 0xFFFF ^ folded(bytes(made[self.ip:self.tcp])) ^ wrong)
        return bytes(made)


def cut(chance, packets, link):
    """Splits the data of each segment into two to five segments."""
    made = []
    for time, packet in packets:
        segment = Segment.of(packet, link)
        # Without a SYN in the capture, the protocol is identified by the first bytes, so these stay together.
        if not segment or not segment.carries or len(segment.data) < 16:
            made.append((time, packet))
            continue
        inner = range(8, len(segment.data))
        ends = sorted(chance.sample(inner, min(len(inner), chance.randint(1, 4)))) + [len(segment.data)]
        start = 0
        for end in ends:
            flags = segment.flags if end == ends[-1] else segment.flags & ~(FIN | PSH)
            made.append((time, segment.with_data(segment.sequence + start, segment.data[start:end], flags)))
            start = end
    return made


def swap(chance, packets, link):
    """Swaps two data segments of one direction if their connection has no other segment between them."""
    made = list(packets)
    started, last = set(), {}
    for index, (time, packet) in enumerate(made):
        segment = Segment.of(packet, link)
        if not segment:
            continue
        if segment.flags & SYN:
            started.add(segment.source + segment.destination)
        ends = frozenset((segment.source, segment.destination))
        before, last[ends] = last.get(ends), None
        # Without a SYN, a stream begins with the first segment in the capture.
        if not segment.carries or segment.flags & FIN or segment.source + segment.destination not in started:
            continue
        if before and before[1] == segment.source and chance.random() < 0.6:
            earlier = made[before[0]]
            made[before[0]], made[index] = (earlier[0], packet), (time, earlier[1])
        else:
            last[ends] = (index, segment.source)
    return made


def again(chance, packets, link):
    """Retransmits segments a few packets later, but before a connection ends."""
    made, waiting = [], []
    for time, packet in packets:
        segment = Segment.of(packet, link)
        if segment and segment.flags & (FIN | RST):
            made += [(time, late) for _, late in waiting]
            waiting = []
        made.append((time, packet))
        made += [(time, late) for count, late in waiting if count == 0]
        waiting = [(count - 1, late) for count, late in waiting if count > 0]
        if segment and segment.carries and not segment.flags & FIN and chance.random() < 0.5:
            waiting.append((chance.randint(0, 4), packet))
    return made


def overlap(chance, packets, link):
    """Extends segments at their beginning with bytes that were sent before."""
    made, before = [], {}
    for time, packet in packets:
        segment = Segment.of(packet, link)
        if segment and segment.flags & SYN:
            before.pop(segment.source + segment.destination, None)
        if segment and segment.carries:
            sequence, data = before.get(segment.source + segment.destination, (0, b""))
            before[segment.source + segment.destination] = (segment.sequence, segment.data)
            # One byte may be a keep-alive probe (RFC 9293 section 3.8.4), which is not part of the stream.
            if len(data) > 1 and (sequence + len(data)) & 0xFFFFFFFF == segment.sequence and chance.random() < 0.6:
                count = chance.randint(1, min(len(data), 2000))
                packet = segment.with_data(segment.sequence - count, data[-count:] + segment.data, segment.flags)
        made.append((time, packet))
    return made


def wrap(chance, packets, link):
    """Shifts sequence numbers so that they wrap around to 0 soon after the beginning."""
    made, moved = [], {}

    def distance(ends, number):
        if ends not in moved:
            moved[ends] = -number - chance.choice([1, 2, 5, 100, 517, 1000, 3000])
        return moved[ends]

    for time, packet in packets:
        segment = Segment.of(packet, link)
        if segment:
            there, back = segment.source + segment.destination, segment.destination + segment.source
            number = segment.sequence + distance(there, segment.sequence)
            packet = bytearray(segment.with_data(number, segment.data, segment.flags))[:segment.payload + len(segment.data)]
            if segment.flags & 16:
                number = segment.acknowledgment + distance(back, segment.acknowledgment)
                struct.pack_into(">I", packet, segment.tcp + 8, number & 0xFFFFFFFF)
            packet = segment.with_checksums(packet) + segment.behind
        made.append((time, packet))
    return made


def fragment(chance, packets, link):
    """Splits IPv4 packets into fragments, in random order."""
    made = []
    for number, (time, packet) in enumerate(packets):
        segment = Segment.of(packet, link)
        if not segment or segment.version != 4 or segment.tcp - segment.ip != 20 or len(segment.data) < 24:
            made.append((time, packet))
            continue
        body = packet[segment.tcp:segment.payload + len(segment.data)]
        parts, start = [], 0
        while start < len(body):
            end = min(len(body), start + 8 * chance.randint(1, max(1, len(body) // 16)))
            head = bytearray(packet[:segment.tcp])
            offset = start // 8 | (0x2000 if end < len(body) else 0)
            struct.pack_into(">HHH", head, segment.ip + 2, 20 + end - start, number & 0xFFFF, offset)
            parts.append((time, segment.with_header_checksum(head) + body[start:end]))
            start = end
        chance.shuffle(parts)
        made += parts
    return made


def flights(data):
    """Yields runs of cleartext handshake records in a stream: start, end, minor version and contents.

    Each has whole messages of one flight. After a ChangeCipherSpec, only a ClientHello is in cleartext (RFC 8446 appendix D.4).
    """
    hello = HELLO.search(data)
    position, body, isProtected = hello.start() if hello else len(data), b"", False
    while position + 5 <= len(data):
        end = position + 5 + struct.unpack_from(">H", data, position + 3)[0]
        if data[position] == 20 and not body:
            position, isProtected = end, True
            continue
        if data[position] != 22 or end > len(data) or isProtected and not (HELLO.match(data, position) and data[position + 5] == 1):
            return
        start = start if body else position
        body += data[position + 5:end]
        position, whole, last = end, 0, b""
        while whole + 4 <= len(body) and whole + 4 + int.from_bytes(body[whole + 1:whole + 4], "big") <= len(body):
            size = 4 + int.from_bytes(body[whole + 1:whole + 4], "big")
            whole, last = whole + size, body[whole:whole + size]
        # A ClientHello, a ServerHelloDone and a HelloRetryRequest end a flight.
        if last and whole == len(body) and (last[0] in (1, 14) or last[6:38] == RETRY or data[end:end + 1] != b"\x16"):
            yield start, end, data[start + 2], body
            body = b""


def divided(chance, version, body):
    """Returns the messages in other records (RFC 8446 §5.1): as few as possible, some, or one for each byte."""
    count = chance.choice([0, chance.randint(1, 12), len(body) - 1 if len(body) < 4000 else 40])
    ends = set(chance.sample(range(1, len(body)), min(count, len(body) - 1))) | set(range(16_384, len(body), 16_384)) | {len(body)}
    made, start = b"", 0
    for end in sorted(ends):
        # The version in the records of a ClientHello has no meaning.
        minor = chance.randint(1, 3) if body[0] == 1 else version
        made += struct.pack(">BBBH", 22, 3, minor, end - start) + body[start:end]
        start = end
    return made


class Stream:
    """One direction of a connection: where its sequence numbers begin, its bytes up to the first gap, and what replaces them."""

    def __init__(self):
        self.base, self.parts, self.edits, self.data, self.length = None, [], [], b"", 0

    def offset(self, sequence):
        return (sequence - self.base + 0x80000000) % 0x100000000 - 0x80000000

    def edit(self, chance):
        old = b""
        for start, data in sorted(((self.offset(sequence), data) for sequence, data in self.parts), key=lambda part: part[0]):
            if start > len(old):
                break
            old += data[len(old) - start:] if start >= 0 else b""
        self.length, at = len(old), 0
        for start, end, version, body in flights(old):
            self.data += old[at:start]
            made = divided(chance, version, body)
            self.edits.append((start, end, len(self.data), len(made)))
            self.data, at = self.data + made, end
        self.data += old[at:]

    def moved(self, offset):
        """The offset of a byte in the edited stream; within an edit, in proportion."""
        shift = 0
        for start, end, new, count in self.edits:
            if start < offset < end:
                return new + (offset - start) * count // (end - start)
            shift = new + count - end if offset >= end else shift
        return offset + shift


def records(chance, packets, link):
    """Divides the cleartext handshake messages of TLS over other records."""
    streams, found, made = {}, [], []
    for _, packet in packets:
        segment = Segment.of(packet, link)
        if not segment:
            found.append((None, None, None))
            continue
        ends = segment.source, segment.destination
        if ends not in streams or segment.flags & (SYN | 16) == SYN and streams[ends].base != (segment.sequence + 1) & 0xFFFFFFFF:
            streams[ends], streams[ends[::-1]] = Stream(), Stream()
        stream = streams[ends]
        if stream.base is None and (segment.carries or segment.flags & SYN):
            stream.base = (segment.sequence + (segment.flags & SYN) // SYN) & 0xFFFFFFFF
        if segment.carries:
            stream.parts.append((segment.sequence, segment.data))
        found.append((segment, stream, streams[ends[::-1]]))
    for stream in dict.fromkeys(stream for _, stream, _ in found if stream):
        stream.edit(chance)
    for (time, packet), (segment, stream, other) in zip(packets, found):
        if not segment or not stream.edits and not other.edits:
            made.append((time, packet))
            continue
        sequence, data, acknowledgment = segment.sequence, segment.data, segment.acknowledgment
        start = stream.offset(sequence) if stream.base is not None and not segment.flags & SYN else -1
        if start >= 0:
            sequence, end = stream.base + stream.moved(start), start + len(data)
            data = stream.data[stream.moved(start):stream.moved(end)] if end <= stream.length else data
        if segment.flags & 16 and other.base is not None and other.offset(acknowledgment) >= 0:
            acknowledgment = other.base + other.moved(other.offset(acknowledgment))
        for at in range(0, max(1, len(data)), LARGEST):
            part = data[at:at + LARGEST]
            flags = segment.flags if at + LARGEST >= len(data) else segment.flags & ~(FIN | PSH)
            packet = bytearray(segment.with_data(sequence + at, part, flags))[:segment.payload + len(part)]
            struct.pack_into(">I", packet, segment.tcp + 8, acknowledgment & 0xFFFFFFFF)
            made.append((time, segment.with_checksums(packet) + segment.behind))
    return made


WAYS = [[cut], [swap], [again], [overlap], [wrap], [fragment], [cut, swap, again], [wrap, cut, overlap], [overlap, swap, again],
        [cut, fragment], [records], [records, cut]]


# For captures whose retransmissions disagree.
UNMIXED = [[cut], [wrap]]


def is_fragment(packet):
    """Whether an Ethernet packet without VLAN tags is an IPv4 or IPv6 fragment."""
    if packet[12:14] == b"\x86\xdd":
        return packet[20:21] == b"\x2c"
    return packet[12:14] == b"\x08\x00" and len(packet) > 22 and struct.unpack_from(">H", packet, 20)[0] & 0x3FFF != 0


def read(path):
    """Returns the link type and the packets of a pcap file, or None if it is not suitable.

    Files of another format, without TCP, or with truncated packets, fragments or packets that the network card splits are not suitable.
    """
    with open(path, "rb") as file:
        data = file.read()
    order = {b"\xd4\xc3\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">"}.get(data[:4])
    if not order or len(data) < 24:
        return None
    link = struct.unpack_from(order + "I", data, 20)[0] & 0xFFFF
    packets, position = [], 24
    while position + 16 <= len(data):
        seconds, fraction, count, length = struct.unpack_from(order + "IIII", data, position)
        position += 16
        if count != length or position + count > len(data):
            return None
        packets.append(((seconds, fraction), data[position:position + count]))
        position += count
    fragments = any(is_fragment(packet) for _, packet in packets) if link == ETHERNET else False
    # A total length of 0 marks an IPv4 packet that the network card splits into segments.
    uncut = any(link == ETHERNET and packet[12:14] == b"\x08\x00" and packet[16:18] == b"\0\0" for _, packet in packets)
    return None if fragments or uncut or not any(Segment.of(packet, link) for _, packet in packets) else (link, packets)


def write(path, link, packets):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link))
        for (seconds, fraction), packet in packets:
            file.write(struct.pack("<IIII", seconds, fraction, len(packet), len(packet)) + packet)


def facts(program, path):
    """Returns the exit status, and the facts of every session without the members in RECORDED."""
    run = subprocess.run([program, "sessions", "--format", "ndjson", path], capture_output=True, timeout=120)

    def stripped(value):
        if isinstance(value, dict):
            return {key: sorted(part) if key == "contested" else stripped(part) for key, part in value.items() if key not in RECORDED}
        return [stripped(part) for part in value] if isinstance(value, list) else value

    records = [json.loads(line) for line in run.stdout.splitlines()]
    return run.returncode, collections.Counter(
        json.dumps(stripped(record), sort_keys=True) for record in records if record["schema"] == "atscope.session/1")


def differences(before, after, path=""):
    if isinstance(before, dict) and isinstance(after, dict):
        return [found for key in before for found in differences(before[key], after.get(key), f"{path}.{key}")]
    return [] if before == after else [f"{path}: {str(before)[:120]} became {str(after)[:120]}"]


def check(program, path, seed, keep):
    """Returns the faults of one capture, and the number of ways in which it was rewritten."""
    found = read(path)
    if not found:
        return [], 0
    link, packets = found
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "capture.pcap")
        write(name, link, packets)
        status, before = facts(program, name)
        sessions = [json.loads(session) for session in before]
        if any(session["evidence"]["missingBytes"] for session in sessions):
            return [], 0
        ways = UNMIXED if any("tcp-retransmission-disagrees" in session["evidence"]["notes"] for session in sessions) else WAYS
        for way in ways:
            called = "+".join(step.__name__ for step in way)
            chance = random.Random(f"{seed} {os.path.basename(path)} {called}")
            made = packets
            for step in way:
                made = step(chance, made, link)
            write(name, link, made)
            again_status, after = facts(program, name)
            if (again_status, after) == (status, before):
                continue
            lost, new = list((before - after).elements()), list((after - before).elements())
            what = [f"status {status} became {again_status}"] if status != again_status else []
            if len(lost) == len(new):
                what += [text for old, now in zip(lost, new) for text in differences(json.loads(old), json.loads(now))]
            else:
                what.append(f"{sum(before.values())} sessions became {sum(after.values())}")
            faults.append(f"{path}: {called}: {'; '.join(what[:3])}")
            if keep:
                write(os.path.join(keep, f"{os.path.basename(path)}.{called}.pcap"), link, made)
    return faults, len(ways)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("captures", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="folder for the captures that show a fault")
    arguments = parser.parse_args()
    paths = [path for given in arguments.captures for path in files_below(given, ".pcap")
             if path == given or os.path.getsize(path) <= 300_000]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: check(arguments.program, path, arguments.seed, arguments.keep), paths))
    faults = [fault for found, _ in results for fault in found]
    for fault in faults:
        print(fault)
    tried = sum(count for _, count in results)
    print(f"reshape: {sum(1 for _, count in results if count)} captures rewritten, {tried} variants, {len(faults)} faults")
    sys.exit(1 if faults or not tried else 0)


if __name__ == "__main__":
    main()
