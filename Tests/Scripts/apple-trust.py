#!/usr/bin/env python3
"""Writes the embedded trust data of Apple's systems: Sources/Judgement/CAppleTrust/apple-trust.bin.

  apple-trust.py FOLDER    FOLDER contains roots/SHA256.der, stores.json, constraints.json, ct-log-list.json

The layout, all numbers big-endian:

  header     "ATSR", layout version u16, roots u16, stores u16, releases u16, certificates u32, log list u32,
             length of the log list u32, date of the log list (YYYYMMDD) u32, its logs u16, its SHA-256 (32 bytes)
  releases   of macOS, ascending: major u8, minor u8, patch u8, index of the store u8
  stores     ascending: version (YYYYMMDDNN) u32, one bit a root, the first root the most significant bit
  roots      by digest, ascending: SHA-256 (32 bytes), offset of the certificate u32, its length u16, offset of the
             subject in it u16, length of the subject u16, flags u16 (1 Apple's own, 2 not for TLS servers)
  certificates, then the log list (JSON without operators' addresses)

A log list has no date; its date is that of the newest store, with which it was published. The assembler file contains the
SHA-256 of the data, so that changed data causes a rebuild.
"""
import hashlib
import json
import os
import re
import struct
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TARGET = os.path.join(ROOT, "Sources", "Judgement", "CAppleTrust")
SSL_SERVER = "1.2.840.113635.100.1.3.1"
APPLES_OWN, NOT_FOR_SERVERS = 1, 2


def element(der, at):
    """Returns the tag, the start of the contents and the end of the DER element at an offset."""
    length, start = der[at + 1], at + 2
    if length >= 0x80:
        count = length & 0x7F
        length, start = int.from_bytes(der[start:start + count], "big"), start + count
    return der[at], start, start + length


def subject_of(der):
    """Returns the range of the subject in a certificate (RFC 5280 §4.1)."""
    at = element(der, element(der, 0)[1])[1]
    if der[at] == 0xA0:
        at = element(der, at)[2]
    for _ in range(4):  # serialNumber, signature, issuer, validity
        at = element(der, at)[2]
    return at, element(der, at)[2]


def organizations(der, start, end):
    """Returns the values of organizationName in a subject."""
    found = []
    at = element(der, start)[1]
    while at < end:
        _, first, at_end = element(der, at)
        while first < at_end:
            _, inner, first = element(der, first)
            _, value, value_end = element(der, inner)
            if der[value:value_end] == b"\x55\x04\x0a":
                _, text, text_end = element(der, value_end)
                found.append(der[text:text_end].decode("utf-8", "replace"))
        at = at_end
    return found


def log_list(text):
    """Returns the log list reduced to the fields that SCT verification needs, and the number of its logs."""
    whole = json.loads(text)
    for operator in whole["operators"]:
        operator.pop("email", None)
        for kind in ("logs", "tiled_logs"):
            for log in operator.get(kind, []):
                for key in ("url", "dns", "monitoring_url", "submission_url", "mmd"):
                    log.pop(key, None)
    count = sum(len(operator.get(kind, [])) for operator in whole["operators"] for kind in ("logs", "tiled_logs"))
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode(), count


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]

    def read(name):
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()

    table = json.loads(read("stores.json"))
    constraints = {digest.lower(): [policy.strip() for policy in policies]
                   for digest, policies in json.loads(read("constraints.json"))["system"].items()}
    versions = sorted(table["stores"])
    members = {version: {digest.lower() for digest in table["stores"][version]["roots"]} for version in versions}
    digests = sorted(set().union(*members.values()))
    releases = sorted((tuple((list(map(int, re.search(r"[\d.]+$", name).group().split("."))) + [0, 0])[:3]), version)
                      for name, version in table["releases"].items())

    certificates, roots = b"", []
    for digest in digests:
        der = read(f"roots/{digest}.der")
        if hashlib.sha256(der).hexdigest() != digest:
            sys.exit(f"apple-trust: {digest}: the name of the file is not its SHA-256")
        start, end = subject_of(der)
        own = any(name in ("Apple Inc.", "Apple Computer, Inc.") for name in organizations(der, start, end))
        flags = (APPLES_OWN if own else 0) | \
            (NOT_FOR_SERVERS if SSL_SERVER not in constraints.get(digest, [SSL_SERVER]) else 0)
        # The constraints are known for the newest store only, so a restricted root must not be in an earlier one.
        if flags & NOT_FOR_SERVERS and any(digest in members[version] for version in versions[:-1]):
            sys.exit(f"apple-trust: {digest}: a restricted root is in an earlier store")
        roots.append((bytes.fromhex(digest), len(certificates), len(der), start, end - start, flags))
        certificates += der

    logs, log_count = log_list(read("ct-log-list.json"))
    width = (len(digests) + 7) // 8
    size = 62 + 4 * len(releases) + (4 + width) * len(versions) + 44 * len(roots)
    out = struct.pack(">4sHHHHIIIIH32s", b"ATSR", 1, len(roots), len(versions), len(releases), size,
                      size + len(certificates), len(logs), int(versions[-1][:8]), log_count, hashlib.sha256(logs).digest())
    for (major, minor, patch), version in releases:
        out += struct.pack(">BBBB", major, minor, patch, versions.index(version))
    for version in versions:
        bits = sum(1 << (width * 8 - 1 - i) for i, digest in enumerate(digests) if digest in members[version])
        out += struct.pack(">I", int(version)) + bits.to_bytes(width, "big")
    for digest, *numbers in roots:
        out += digest + struct.pack(">IHHHH", *numbers)
    assert len(out) == size
    out += certificates + logs

    with open(os.path.join(TARGET, "apple-trust.bin"), "wb") as file:
        file.write(out)
    source = os.path.join(TARGET, "data.S")
    with open(source, encoding="utf-8") as file:
        text = file.read()
    text, count = re.subn(r"SHA-256 [0-9a-f]{64}", "SHA-256 " + hashlib.sha256(out).hexdigest(), text)
    if count != 1:
        sys.exit("apple-trust: data.S must contain the SHA-256 of the data exactly once")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"apple-trust: {len(roots)} roots, {len(versions)} stores, {len(releases)} releases, {len(out)} bytes")


if __name__ == "__main__":
    main()
