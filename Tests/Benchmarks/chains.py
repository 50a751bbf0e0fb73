#!/usr/bin/env python3
"""Measures the cost of a distinct chain: the same sessions with many chains and with one, with and without a CT log list.

  chains.py [--sessions 100000] [--chains 200] [--runs 5] ATSCOPE

Needs the Python package cryptography, which issues the certificates; without it, nothing is measured. Captures are made once and kept in
.build-bench. docs/performance.md explains the figures.
"""
import argparse
import base64
import datetime
import hashlib
import json
import os
import random
import statistics
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench import ROOT, SCRATCH, build, measure  # noqa: E402

try:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
except ImportError:
    sys.exit("chains: skipped: the Python package cryptography is not installed")

HOST = "api.example.com"
ISSUED = datetime.datetime(2026, 1, 1)
SEEN = datetime.datetime(2026, 2, 1)
LOGS, SCTS = 60, 3
DER = serialization.Encoding.DER
SPKI = serialization.PublicFormat.SubjectPublicKeyInfo
# Kind of issuers, title, whether there is a log list, and the limit for a further chain, in milliseconds of CPU time.
ROWS = [("shared", "an intermediate for ten chains", False, 0.5), ("own", "an intermediate for each", False, 0.5),
        ("own", "the same, with a list of logs", True, 1.0)]


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def spki(key):
    return key.public_key().public_bytes(DER, SPKI)


def builder(subject, issuer, key, serial, days):
    return (x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(key.public_key())
            .serial_number(serial).not_valid_before(ISSUED).not_valid_after(ISSUED + datetime.timedelta(days=days)))


def authority(subject, issuer, key, signer, serial):
    usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
    return (builder(subject, issuer, key, serial, 3650).add_extension(x509.BasicConstraints(True, None), True)
            .add_extension(usage, True).sign(signer, hashes.SHA256()))


class Log:
    """A Certificate Transparency log (RFC 6962)."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.identifier = hashlib.sha256(spki(self.key)).digest()

    def sct(self, tbs, issuer, moment):
        stamp = struct.pack(">Q", int(moment.replace(tzinfo=datetime.timezone.utc).timestamp() * 1000))
        entry = b"\0\1" + hashlib.sha256(spki(issuer)).digest() + len(tbs).to_bytes(3, "big") + tbs
        signature = self.key.sign(b"\0\0" + stamp + entry + b"\0\0", ec.ECDSA(hashes.SHA256()))
        return b"\0" + self.identifier + stamp + b"\0\0\4\3" + struct.pack(">H", len(signature)) + signature


def leaf(issuer, key, signer, serial, logs):
    """Issues a leaf with embedded SCTs, which sign its TBSCertificate without the SCT list (RFC 6962 section 3.2)."""
    form = (builder(HOST, issuer, key, serial, 90).add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False))
    tbs = form.sign(signer, hashes.SHA256()).tbs_certificate_bytes
    scts = b"".join(struct.pack(">H", len(sct)) + sct for sct in (log.sct(tbs, signer, ISSUED) for log in logs))
    body = struct.pack(">H", len(scts)) + scts
    length = b"\x81" + bytes([len(body)]) if 0x80 <= len(body) < 0x100 else b"\x82" + struct.pack(">H", len(body))
    extension = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2"), b"\4" + length + body)
    return form.add_extension(extension, False).sign(signer, hashes.SHA256())


def issue(kind, count):
    """Returns the root, the log list, and chains with the keys of their leaves. Half of the keys of each kind are RSA, half P-256."""
    keys = [rsa.generate_private_key(65537, 2048) for _ in range(2)] + [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    root_key = rsa.generate_private_key(65537, 2048)
    root = authority("Root", "Root", root_key, root_key, 1)
    logs = [Log() for _ in range(LOGS)]
    chains = []
    for number in range(count):
        group = number if kind == "own" else number // 10
        title = f"Intermediate {group}"
        if kind == "own" or number % 10 == 0:
            # Each intermediate has its own key; otherwise a signature would be known from an earlier chain.
            key = rsa.generate_private_key(65537, 2048) if group % 2 else ec.generate_private_key(ec.SECP256R1())
            intermediate = authority(title, "Root", key, root_key, 1000 + group)
        chosen = [logs[(number + step) % LOGS] for step in range(SCTS)]
        chains.append(([leaf(title, keys[number % 4], key, 100_000 + number, chosen), intermediate], keys[number % 4]))
    entries = [{"description": f"log {index}", "log_id": base64.b64encode(log.identifier).decode(),
                "key": base64.b64encode(spki(log.key)).decode(), "url": "https://log.example/", "mmd": 86400,
                "state": {"usable": {"timestamp": "2024-01-01T00:00:00Z"}}} for index, log in enumerate(logs)]
    listed = {"version": "1", "log_list_timestamp": "2026-01-01T00:00:00Z",
              "operators": [{"name": "somebody", "email": [], "logs": entries}]}
    return root, listed, chains


def recorded():
    """Returns a recorded handshake: the ClientHello, the server's first messages, and the later records of the client and the server."""
    with open(os.path.join(ROOT, "captures/tls12/ecdhe-rsa-gcm.pcap"), "rb") as file:
        data = file.read()
    streams, first, offset = {True: b"", False: b""}, None, 24
    while offset + 16 <= len(data):
        length = struct.unpack_from("<I", data, offset + 8)[0]
        frame = data[offset + 16:offset + 16 + length]
        offset += 16 + length
        tcp = 14 + (frame[14] & 15) * 4
        end = 14 + struct.unpack_from(">H", frame, 16)[0]
        ports = frame[tcp:tcp + 4]
        first = first or ports
        streams[ports == first] += frame[tcp + (frame[tcp + 12] >> 4) * 4:end]
    client, server = records(streams[True]), records(streams[False])
    begin = next(index for index, (kind, _) in enumerate(server) if kind != 22)
    messages, flight = b"".join(body for _, body in server[:begin]), []
    while messages:
        length = int.from_bytes(messages[1:4], "big")
        flight.append((messages[0], messages[4:4 + length]))
        messages = messages[4 + length:]
    return (record(*client[0]), [message for message in flight if message[0] in (2, 11, 12, 14)],
            b"".join(record(*each) for each in client[1:]), b"".join(record(*each) for each in server[begin:]))


def records(stream):
    found = []
    while len(stream) >= 5:
        length = struct.unpack_from(">H", stream, 3)[0]
        found.append((stream[0], stream[5:5 + length]))
        stream = stream[5 + length:]
    return found


def record(kind, body):
    return bytes([kind, 3, 3]) + struct.pack(">H", len(body)) + body


def signed(key, message):
    """Returns the signature scheme and the signature of a ServerKeyExchange."""
    if isinstance(key, rsa.RSAPrivateKey):
        scheme, signature = b"\4\1", key.sign(message, padding.PKCS1v15(), hashes.SHA256())
    else:
        scheme, signature = b"\4\3", key.sign(message, ec.ECDSA(hashes.SHA256()))
    return scheme + struct.pack(">H", len(signature)) + signature


def counted(body):
    return len(body).to_bytes(3, "big") + body


def write(path, chains, sessions):
    """Writes a capture of `sessions` sessions whose servers send the chains in turn."""
    hello, flight, client_rest, server_rest = recorded()
    server_random = next(content[2:34] for kind, content in flight if kind == 2)
    exchange = next(content for kind, content in flight if kind == 12)
    parameters = exchange[:4 + exchange[3]]
    bodies = [counted(b"".join(counted(certificate.public_bytes(DER)) for certificate in chain)) for chain, _ in chains]
    begin = int(SEEN.replace(tzinfo=datetime.timezone.utc).timestamp())
    server = bytes([203, 0, 113, 7])
    generator = random.Random(1)
    with open(path + ".part", "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))

        def packet(number, up, port, client, sequence, acknowledged, flags, payload):
            ports = (port, 443) if up else (443, port)
            segment = struct.pack(">HHIIBBHHH", *ports, sequence, acknowledged, 0x50, flags, 65535, 0, 0) + payload
            ends = (client, server) if up else (server, client)
            header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(segment), 0, 0x4000, 64, 6, 0, *ends)
            frame = bytes(12) + b"\x08\0" + header + segment
            out.write(struct.pack("<IIII", begin + number // 1000, number % 1000 * 1000, len(frame), len(frame)) + frame)

        for number in range(sessions):
            client, port = bytes([10, number >> 16 & 255, number >> 8 & 255, number & 255]), 20000 + number % 40000
            # Each ClientHello has its own random, as in real traffic: only a retransmission repeats it.
            client_random = generator.randbytes(32)
            own = hello[:11] + client_random + hello[43:]
            place = number % len(chains)
            changed = {11: bodies[place], 12: parameters + signed(chains[place][1], client_random + server_random + parameters)}
            answer = record(22, b"".join(bytes([kind]) + counted(changed.get(kind, content)) for kind, content in flight))
            packet(number, True, port, client, 1000, 0, 2, b"")
            packet(number, False, port, client, 5000, 1001, 18, b"")
            packet(number, True, port, client, 1001, 5001, 24, own)
            sequence = 5001
            for offset in range(0, len(answer), 1400):
                piece = answer[offset:offset + 1400]
                packet(number, False, port, client, sequence, 1001 + len(own), 24, piece)
                sequence += len(piece)
            packet(number, True, port, client, 1001 + len(own), sequence, 24, client_rest)
            packet(number, False, port, client, sequence, 1001 + len(own) + len(client_rest), 24, server_rest)
    os.rename(path + ".part", path)


def captures(kind, count, sessions):
    """Returns the paths of the root, the log list, and the captures with one chain and with many; makes them if one does not exist."""
    stem = os.path.join(SCRATCH, f"chains-signed-{kind}-{count}-{sessions}")
    paths = [stem + ending for ending in ("-root.pem", "-logs.json", "-one.pcap", "-many.pcap")]
    if not all(map(os.path.exists, paths)):
        print(f"chains: making {os.path.basename(stem)}", file=sys.stderr)
        root, listed, chains = issue(kind, count)
        with open(paths[0], "wb") as file:
            file.write(root.public_bytes(serialization.Encoding.PEM))
        with open(paths[1], "w") as file:
            json.dump(listed, file)
        write(paths[2], chains[:1], sessions)
        write(paths[3], chains, sessions)
    return paths


def passing(program, arguments, path, sessions):
    """Exits unless every session passes, because a chain that is rejected early costs little."""
    text = subprocess.run([program, "--format", "ndjson", *arguments, path], stdout=subprocess.PIPE).stdout
    verdicts = json.loads(text.strip().split(b"\n")[-1])["verdicts"]
    if verdicts.get("pass") != sessions:
        sys.exit(f"chains: not every session passes: {verdicts}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sessions", type=int, default=100_000)
    parser.add_argument("--chains", type=int, default=200)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("program")
    options = parser.parse_args()
    os.makedirs(SCRATCH, exist_ok=True)
    usage, program = build("usage"), os.path.abspath(options.program)
    print(f"{'chains':34}{'one':>9}{'many':>9}{'a further chain':>18}{'at most':>10}")
    for kind, title, has_list, bar in ROWS:
        root, logs, one, many = captures(kind, options.chains, options.sessions)
        arguments = ["--system-anchors", root] + (["--ct-log-list", logs] if has_list else [])
        passing(program, arguments, many, options.sessions)
        pairs = []
        for _ in range(options.runs + 1):
            pairs.append([measure(usage, [program, *arguments, path])[0] for path in (one, many)])
        pairs = pairs[1:]
        further = statistics.median((b - a) / (options.chains - 1) * 1000 for a, b in pairs)
        base, full = (statistics.median(pair[index] for pair in pairs) for index in range(2))
        verdict = "" if further <= bar else "  missed"
        print(f"{title:34}{base:7.2f} s{full:7.2f} s{further:15.2f} ms{bar:7.1f} ms{verdict}")


if __name__ == "__main__":
    main()
