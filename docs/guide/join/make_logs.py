#!/usr/bin/env python3
"""Writes conn.log, ssl.log and eve.json of this folder from what tshark reads of captures/demo/demo.pcapng.

  make_logs.py

They have the fields of Zeek's conn.log (with the script protocols/conn/community-id-logging) and ssl.log as Zeek 6 documents them, and of
Suricata 7's EVE events with community-id enabled. They were not written by Zeek or Suricata. Community IDs are tshark's.
"""
import csv
import hashlib
import io
import json
import os
import subprocess
from datetime import datetime, timezone

HERE = os.path.dirname(os.path.abspath(__file__))
CAPTURE = os.path.join(HERE, "..", "..", "..", "captures", "demo", "demo.pcapng")
FIELDS = ["frame.time_epoch", "tcp.stream", "ip.src", "tcp.srcport", "ip.dst", "tcp.dstport", "tcp.len", "ip.len", "communityid",
          "tls.handshake.type", "tls.handshake.version", "tls.handshake.extensions.supported_version", "tls.handshake.ciphersuite",
          "tls.handshake.extensions_server_name", "tls.handshake.extensions_key_share_group", "tls.handshake.server_named_curve",
          "http.host", "http.request.method", "http.request.uri", "http.response.code"]
SUITES = {"0xc014": "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "0xc02f": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "0x1302": "TLS_AES_256_GCM_SHA384"}
ZEEK_VERSIONS = {"0x0301": "TLSv10", "0x0303": "TLSv12", "0x0304": "TLSv13"}
SURICATA_VERSIONS = {"0x0301": "TLSv1", "0x0303": "TLS 1.2", "0x0304": "TLS 1.3"}
CONN = [("ts", "time"), ("uid", "string"), ("id.orig_h", "addr"), ("id.orig_p", "port"), ("id.resp_h", "addr"), ("id.resp_p", "port"),
        ("proto", "enum"), ("service", "string"), ("duration", "interval"), ("orig_bytes", "count"), ("resp_bytes", "count"),
        ("conn_state", "string"), ("local_orig", "bool"), ("local_resp", "bool"), ("missed_bytes", "count"), ("history", "string"),
        ("orig_pkts", "count"), ("orig_ip_bytes", "count"), ("resp_pkts", "count"), ("resp_ip_bytes", "count"),
        ("tunnel_parents", "set[string]"), ("community_id", "string")]
SSL = [("ts", "time"), ("uid", "string"), ("id.orig_h", "addr"), ("id.orig_p", "port"), ("id.resp_h", "addr"), ("id.resp_p", "port"),
       ("version", "string"), ("cipher", "string"), ("curve", "string"), ("server_name", "string"), ("resumed", "bool"),
       ("last_alert", "string"), ("next_protocol", "string"), ("established", "bool"), ("ssl_history", "string"),
       ("cert_chain_fps", "vector[string]"), ("client_cert_chain_fps", "vector[string]"), ("sni_matches_cert", "bool")]


def main():
    arguments = [argument for field in FIELDS for argument in ("-e", field)]
    text = subprocess.run(["tshark", "-n", "--enable-protocol", "communityid", "-r", CAPTURE, "-T", "fields", "-E", "header=y",
                           "-E", "occurrence=f", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    streams = {}
    for packet in csv.DictReader(io.StringIO(text), delimiter="\t"):
        streams.setdefault(packet["tcp.stream"], []).append(packet)
    conn, ssl, eve = [], [], []
    for number, packets in enumerate(streams.values()):
        first = packets[0]
        ends = [first["ip.src"], first["tcp.srcport"], first["ip.dst"], first["tcp.dstport"]]
        start, end = float(first["frame.time_epoch"]), float(packets[-1]["frame.time_epoch"])
        uid = "C" + hashlib.sha1("|".join(ends).encode()).hexdigest()[:17]
        sides = [[p for p in packets if (p["ip.src"] == ends[0]) == is_client] for is_client in (True, False)]
        payload = [sum(int(p["tcp.len"]) for p in side) for side in sides]
        hellos = {kind: next((p for p in packets if p["tls.handshake.type"] == kind), None) for kind in ("1", "2")}
        request = next((p for p in packets if p["http.request.method"]), None)
        service = "ssl" if hellos["1"] else "http" if request else "-"
        conn.append([f"{start:.6f}", uid, *ends, "tcp", service, f"{end - start:.6f}", payload[0], payload[1], "SF", "F", "F", 0, "ShADadFf",
                     len(sides[0]), sum(int(p["ip.len"]) for p in sides[0]), len(sides[1]), sum(int(p["ip.len"]) for p in sides[1]), "-",
                     first["communityid"]])
        event = {"timestamp": "", "flow_id": 1000000000000000 + number, "src_ip": ends[0], "src_port": int(ends[1]), "dest_ip": ends[2],
                 "dest_port": int(ends[3]), "proto": "TCP", "community_id": first["communityid"]}

        def stamp(packet):
            return datetime.fromtimestamp(float(packet["frame.time_epoch"]), timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f+0000")

        if hellos["2"]:
            answer = hellos["2"]
            version = answer["tls.handshake.extensions.supported_version"] or answer["tls.handshake.version"]
            exchange = next((p for p in packets if p["tls.handshake.server_named_curve"]), None)
            curve = "x25519" if exchange or answer["tls.handshake.extensions_key_share_group"] else "-"
            name = hellos["1"]["tls.handshake.extensions_server_name"]
            ssl.append([f"{float(hellos['1']['frame.time_epoch']):.6f}", uid, *ends, ZEEK_VERSIONS[version],
                        SUITES[answer["tls.handshake.ciphersuite"]], curve, name, "F", "-", "-", "T", "-", "-", "-", "-"])
            eve.append({**event, "timestamp": stamp(answer), "event_type": "tls", "tls": {"sni": name, "version": SURICATA_VERSIONS[version]}})
        elif request:
            answer = next(p for p in packets if p["http.response.code"])
            eve.append({**event, "timestamp": stamp(answer), "event_type": "http",
                        "http": {"hostname": request["http.host"], "url": request["http.request.uri"],
                                 "http_method": request["http.request.method"], "status": int(answer["http.response.code"])}})
    for name, fields, rows in (("conn", CONN, conn), ("ssl", SSL, ssl)):
        with open(os.path.join(HERE, f"{name}.log"), "w", encoding="utf-8") as file:
            file.write(f"#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\t{name}\n")
            file.write("\t".join(["#fields", *(field for field, _ in fields)]) + "\n")
            file.write("\t".join(["#types", *(kind for _, kind in fields)]) + "\n")
            for row in rows:
                assert len(row) == len(fields), (name, len(row), len(fields))
                file.write("\t".join(map(str, row)) + "\n")
    with open(os.path.join(HERE, "eve.json"), "w", encoding="utf-8") as file:
        for event in eve:
            file.write(json.dumps(event) + "\n")


if __name__ == "__main__":
    main()
