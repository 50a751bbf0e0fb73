#!/usr/bin/env python3
"""Checks that captures with lost packets lead to no wrong statement about a session.

  loss.py ATSCOPE [--seed N] CAPTURE...

From every capture, packets are removed: each one in turn, the first or last ones, and random ones; and each one is truncated. (Of captures
with more than 12 packets, 12 are chosen.) What remains of a session has the same verdict or UNKNOWN, the same facts or none, and no new
finding; it is refused or established only if it was. The records of the whole capture are the reference. A folder means the pcap files of
at most 100,000 bytes below it. Captures with copies that disagree are skipped, because the copy that is left counts.
"""
import argparse
import concurrent.futures
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

from folders import files_below

ANCHORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "captures", "anchors", "example-ca.pem")
CHOSEN = 12
FACTS = ("sni", "version", "cipherSuite", "compressionMethod", "keyExchange", "group", "alpn", "resumed", "resumption", "ocspStapled",
         "extendedMasterSecret", "secureRenegotiation", "clientCertificateRequested", "handshakeSignature")
# A second ClientHello on the same connection has other ones.
OF_HELLO = ("ja3", "ja4")
OFFERED = ("offeredVersions", "offeredCipherSuites", "offeredExtensions", "offeredGroups", "offeredSignatureSchemes", "offeredAlpn")


def read(path):
    """Returns the link type and the packets of a pcap file, with their original lengths; no packets for another format."""
    with open(path, "rb") as file:
        data = file.read()
    order = {b"\xd4\xc3\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">"}.get(data[:4])
    packets, position = [], 24
    while order and position + 16 <= len(data):
        seconds, fraction, count, length = struct.unpack_from(order + "IIII", data, position)
        position += 16 + count
        packets.append((seconds, fraction, length, data[position - count:position]))
    return struct.unpack_from(order + "I", data, 20)[0] & 0xFFFF if packets else 0, packets


def write(path, link, packets):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link))
        for seconds, fraction, length, packet in packets:
            file.write(struct.pack("<IIII", seconds, fraction, len(packet), length) + packet)


def variants(chance, packets):
    """Yields the name and the packets of each variant."""
    for index in sorted(chance.sample(range(len(packets)), min(len(packets), CHOSEN))):
        before, (seconds, fraction, length, packet), after = packets[:index], packets[index], packets[index + 1:]
        kept = chance.randint(15, max(15, len(packet)))
        yield f"without-{index + 1}", before + after
        yield f"truncated-{index + 1}-to-{kept}", before + [(seconds, fraction, length, packet[:kept])] + after
        yield f"from-{index + 2}", after
        yield f"up-to-{index}", before
    for share in (5, 20, 50):
        yield f"without-{share}-percent", [packet for packet in packets if chance.random() * 100 >= share]


def audit(program, paths):
    """Returns the exit status, and the sessions of each file as a separate run would report them."""
    command = [program, "audit", "--isolated", "--format", "ndjson", "--no-config", "--anchors", ANCHORS, "--files-from", "-"]
    run = subprocess.run(command, input="\n".join(paths), capture_output=True, text=True, timeout=300)
    sessions = {}
    for record in map(json.loads, run.stdout.splitlines()):
        if record["schema"] == "atscope.session/1":
            sessions.setdefault(os.path.basename(record["capture"]["file"]), []).append(record)
    return run.returncode, sessions


def connection(session):
    return session["application"], {(session[end]["address"], session[end]["port"]) for end in ("client", "server")}


def fits(request, old):
    """Whether what is known about a request is true of one of the whole capture."""
    path = old["path"][:len(request["path"])] if "truncated" in request else old["path"]
    return request["method"] == old["method"] and request["host"] in (None, old["host"]) and request["path"] == path


def wrong(old, new):
    """Returns the wrong statements about a session; `old` is that of the whole capture."""
    faults, was, now = [], old["ats"]["verdict"], new["ats"]["verdict"]
    # A signature that does not verify may be lost, and so may what exempts a session: for example the name of a host with its own settings.
    if was != "exempt" and old["ats"]["primaryRule"] != "ATS-HANDSHAKE-SIG" and (new["serverName"] or not old["ats"]["policy"]["matched"]):
        findings, others = ({rule["id"] for rule in one["ats"]["rules"] if rule["outcome"] == "fail"} for one in (old, new))
        faults += [f"verdict: {was} became {now}"] if now not in (was, "unknown") else []
        faults += [f"new finding: {rule}" for rule in sorted(others - findings)]
    if "http" in new:
        added = [one for one in new["http"]["requests"] if not any(fits(one, other) for other in old["http"]["requests"])]
        return faults + [f"new request: {one}" for one in added]
    tls, other, evidence = old["tls"], new["tls"], new["evidence"]
    of_hello, offered = ((), ()) if tls["helloRetryRequest"] or old["transport"] == "quic" else (OF_HELLO, OFFERED)
    # If the whole capture lacks bytes too, a part of it can be clearer.
    known = [fact for fact in FACTS + of_hello if fact in tls and (tls[fact] is not None or not old["evidence"]["missingBytes"])]
    faults += [f"{fact}: {tls[fact]} became {other[fact]}" for fact in known if other.get(fact) not in (None, tls[fact])]
    for fact in offered:
        whole, part = tls[fact] or [], other[fact] or []
        faults += [f"{fact}: {whole} became {part}"] if part != whole[:None if evidence["clientHello"] == "complete" else len(part)] else []
    for fact in ("certificates", "clientCertificates"):
        whole, part = ([one["sha256"] for one in session[fact]] for session in (old, new))
        faults += [f"other {fact}"] if part != whole[:len(part)] else []
    for part in ("certificates", "certificateStatus", "serverKeyExchange"):
        whole = old["evidence"][part]
        faults += [f"{part}: {whole} became {evidence[part]}"] if evidence[part] not in ("partial", "missing", whole) else []
    was, now = tls["outcome"], other["outcome"]
    # The last packets may be lost without a trace: those that establish a session, or those that refuse an established one.
    isRefused = now.startswith("refused") and was != "established" and evidence["clientHello"] == "complete"
    isEstablished = now == "established" and "encrypted-alert-from-client" not in old["evidence"]["notes"]
    return faults + ([f"outcome: {was} became {now}"] if was != now and (isRefused or isEstablished) else [])


def check(program, path, seed):
    """Returns the faults of one capture, and the number of its variants."""
    link, packets = read(path)
    made = {"whole": packets, **dict(variants(random.Random(f"{seed} {os.path.basename(path)}"), packets))}
    made = {name: kept for name, kept in made.items() if kept}
    with tempfile.TemporaryDirectory() as folder:
        for name, kept in made.items():
            write(os.path.join(folder, name), link, kept)
        status, sessions = audit(program, [os.path.join(folder, name) for name in made]) if made else (0, {})
    whole = sessions.pop("whole", [])
    if not whole or any("disagree" in note for session in whole for note in session["evidence"]["notes"]):
        return [], 0
    faults = [f"{path}: exit status {status}"] if status not in (0, 1, 2) else []
    for name, found in sessions.items():
        for session in found:
            claims = min((wrong(one, session) for one in whole if connection(one) == connection(session)), key=len, default=["new session"])
            faults += [f"{path}: {name}: {'; '.join(claims[:3])}"[:300]] if claims else []
    return faults, len(made) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("captures", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    paths = [path for given in arguments.captures for path in files_below(given, ".pcap")
             if path == given or os.path.getsize(path) <= 100_000]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: check(arguments.program, path, arguments.seed), paths))
    faults = [fault for found, _ in results for fault in found]
    for fault in faults:
        print(fault)
    tried = sum(count for _, count in results)
    print(f"loss: {sum(1 for _, count in results if count)} captures, {tried} variants, {len(faults)} faults")
    sys.exit(1 if faults or not tried else 0)


if __name__ == "__main__":
    main()
