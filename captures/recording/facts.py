"""What tshark sees in a capture: a few words per connection, to compare with what the tables expect.

    sni=HOST 0303 c02f certs=2 key=rsa:2048 sig=sha256WithRSAEncryption valid data …

Versions and suites are the negotiated ones. Alerts are named by sender and number; encrypted ones require a key log.
"""

import base64
import datetime
import functools
import os
import re
import shutil
import subprocess
import tempfile

ANCHORS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "anchors", "example-ca.pem"
)
RETRY = "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c"
FIELDS = """frame.time_epoch tcp.stream udp.stream tcp.srcport tcp.dstport udp.srcport udp.dstport
tcp.flags.reset {p}.record.content_type {p}.handshake.type {p}.handshake.version {p}.handshake.random
{p}.handshake.extensions.supported_version {p}.handshake.ciphersuite {p}.handshake.session_id
{p}.handshake.extension.type {p}.handshake.extension.len {p}.handshake.extensions_server_name
{p}.handshake.extensions_alpn_str {p}.handshake.extensions_key_share_selected_group
{p}.handshake.extensions_key_share_group {p}.alert_message.desc {p}.handshake.certificate 
http.request.method http.host http.request.uri http.response.code tls.record.opaque_type
tls.compress_certificate.algorithm ocsp.certStatus http2.headers.authority quic.version
quic.long.packet_type quic.cc.error_code"""
PREFERENCES = [
    "tcp.check_checksum:FALSE",
    "tcp.reassemble_out_of_order:TRUE",
    "ip.defragment:TRUE",
    "tls.desegment_ssl_records:TRUE",
    "tls.desegment_ssl_application_data:TRUE",
]


def available():
    """Returns whether tshark and openssl are installed."""
    return all(shutil.which(command) for command in ["tshark", "openssl"])


def version():
    """The first line of `tshark --version`."""
    done = subprocess.run(["tshark", "--version"], capture_output=True, text=True)
    return next((line for line in done.stdout.splitlines() if line.startswith("TShark")), "tshark")


def rows(path, fields, decode, keylog):
    """Runs tshark and yields one dictionary per packet: the values of each field, as a list."""
    command = ["tshark", "-n", "-r", path, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a"]
    for preference in PREFERENCES + ([f"tls.keylog_file:{keylog}"] if keylog else []):
        command += ["-o", preference]
    for rule in decode:
        command += ["-d", rule]
    for field in fields:
        command += ["-e", field]
    done = subprocess.run(command, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        values = line.split("\t")
        yield {field: value.split(",") if value else [] for field, value in zip(fields, values)}


class Connection:
    """The facts collected about one connection."""

    def __init__(self):
        self.words = {}
        self.hello_session = None
        self.hello_ticket = False
        self.data = set()
        self.certificates = {}
        self.requests = []
        self.time = 0.0

    def add(self, word):
        """Adds a word unless the connection already has it; the order is kept."""
        self.words.setdefault(word)


def connections(path, *, decode=(), keylog=None):
    """The words of each connection of the capture, in order of first packet."""
    prefix = "dtls" if "dtls" in " ".join(decode) else "tls"
    fields = FIELDS.format(p=prefix).split()
    found = {}
    for row in rows(path, fields, decode, keylog):
        take(row, prefix, found)
    return [finish(connection) for connection in found.values()]


def take(row, p, found):
    """Adds one packet to its connection."""
    transport = "tcp" if row["tcp.stream"] else "udp"
    if not row[f"{transport}.stream"]:
        return
    key = (transport, row[f"{transport}.stream"][-1])
    connection = found.setdefault(key, Connection())
    from_server = int(row[f"{transport}.srcport"][-1]) < int(row[f"{transport}.dstport"][-1])
    side = "server" if from_server else "client"
    types = row[f"{p}.handshake.type"]
    if row["tcp.flags.reset"] and row["tcp.flags.reset"][-1] == "1":
        connection.add("reset")
    if "1" in types:
        take_client_hello(row, p, connection)
    if "2" in types and from_server:
        take_server_hello(row, p, connection)
    if "13" in types and from_server:
        connection.add("requests-client")
    if row["ocsp.certStatus"] and from_server:
        connection.add("staple=" + {"0": "good", "1": "revoked"}.get(row["ocsp.certStatus"][0], "unknown"))
    if "5" in types and not from_server:
        connection.add("end-of-early-data")
    for version in row["quic.version"]:
        connection.add(f"quic={version}")
    if "3" in row["quic.long.packet_type"]:
        connection.add("retry")
    for code in row["quic.cc.error_code"]:
        connection.add(f"{side}-close={code}")
    if row["http2.headers.authority"]:
        connection.add("h2c=" + row["http2.headers.authority"][0])
    if "3" in types and from_server:
        connection.add("hello-verify")
    if row["tls.compress_certificate.algorithm"] and "25" in types:
        connection.add("compressed=" + row["tls.compress_certificate.algorithm"][-1])
    if row[f"{p}.handshake.certificate"]:
        connection.certificates.setdefault(side, row[f"{p}.handshake.certificate"])
        connection.time = connection.time or float((row["frame.time_epoch"] or [0])[0])
    for alert in row[f"{p}.alert_message.desc"]:
        if alert != "0":
            connection.add(f"{side}-alert={alert}")
    if "23" in row[f"{p}.record.content_type"] + row["tls.record.opaque_type"]:
        connection.data.add(side)
    for index, method in enumerate(row["http.request.method"]):
        host = (row["http.host"] + [""] * 20)[index]
        uri = (row["http.request.uri"] + [""] * 20)[index]
        connection.requests.append(f"{method}={host}{uri}")
    for status in row["http.response.code"]:
        connection.requests.append(f"status={status}")


def take_client_hello(row, p, connection):
    """Adds a ClientHello."""
    if row[f"{p}.handshake.extensions_server_name"]:
        connection.add("sni=" + row[f"{p}.handshake.extensions_server_name"][0])
    connection.hello_session = (row[f"{p}.handshake.session_id"] or [""])[0]
    lengths = dict(zip(row[f"{p}.handshake.extension.type"], row[f"{p}.handshake.extension.len"]))
    connection.hello_ticket = int(lengths.get("35", "0")) > 0
    if "42" in lengths:
        connection.add("early-data-offered")


def take_server_hello(row, p, connection):
    """Adds a ServerHello or HelloRetryRequest."""
    if RETRY in row[f"{p}.handshake.random"]:
        connection.add("hrr")
        return
    selected = row[f"{p}.handshake.extensions.supported_version"] or row[f"{p}.handshake.version"]
    connection.add(selected[0][2:])
    connection.add(row[f"{p}.handshake.ciphersuite"][0][2:])
    groups = row[f"{p}.handshake.extensions_key_share_group"]
    if groups:
        connection.add(f"group={groups[0]}")
    if row[f"{p}.handshake.extensions_alpn_str"]:
        connection.add("alpn=" + row[f"{p}.handshake.extensions_alpn_str"][0])
    extensions = row[f"{p}.handshake.extension.type"]
    if "41" in extensions:
        connection.add("psk")
    session = (row[f"{p}.handshake.session_id"] or [""])[0]
    if selected[0] != "0x0304":
        if session and session == connection.hello_session:
            connection.add("resumed=ticket" if connection.hello_ticket else "resumed=id")
        if "23" in extensions:
            connection.add("ems")


def finish(connection):
    """The words of a connection, including those of its certificates and requests."""
    if "server" in connection.certificates:
        chain = connection.certificates["server"]
        connection.add(f"certs={len(chain)}")
        for word in certificate_words(chain[0], connection.time):
            connection.add(word)
        connection.add("trusted" if is_trusted(tuple(chain), connection.time) else "untrusted")
    if "client" in connection.certificates:
        connection.add(f"client-certs={len(connection.certificates['client'])}")
    if connection.data == {"client", "server"}:
        connection.add("data")
    return list(connection.words) + connection.requests


@functools.lru_cache(maxsize=None)
def certificate_words(der, time):
    """The words for the key, signature and validity of a certificate, given as hex digits."""
    done = subprocess.run(
        ["openssl", "x509", "-inform", "DER", "-noout", "-text", "-dates"],
        input=bytes.fromhex(der.replace(":", "")),
        capture_output=True,
    )
    if done.returncode != 0:
        return ["no-certificate"]
    text = done.stdout.decode(errors="replace")
    match = lambda pattern: (re.search(pattern, text) or [None, "?"])[1]
    kind = {"rsaEncryption": "rsa", "id-ecPublicKey": "ec"}.get(match(r"Public Key Algorithm: (\S+)"))
    if kind:
        words = [f"key={kind}:" + match(r"Public-Key: .(\d+) bit")]
    else:
        words = ["key=" + match(r"Public Key Algorithm: (\S+)")]
    words.append("sig=" + match(r"Signature Algorithm: (\S+)"))
    date = lambda name: datetime.datetime.strptime(
        match(name + r"=(.+)").replace("  ", " ") + "+0000", "%b %d %H:%M:%S %Y GMT%z"
    ).timestamp()
    if time:
        words.append(
            "future" if time < date("notBefore") else "expired" if time > date("notAfter") else "valid"
        )
    return words


@functools.lru_cache(maxsize=None)
def is_trusted(chain, time):
    """Returns whether openssl finds a path from the certificates to `anchors/example-ca.pem` at that time."""
    with tempfile.TemporaryDirectory() as directory:
        files = []
        for number, der in enumerate(chain):
            encoded = base64.encodebytes(bytes.fromhex(der.replace(":", ""))).decode()
            files.append(os.path.join(directory, f"{number}.pem"))
            with open(files[-1], "w") as file:
                file.write(f"-----BEGIN CERTIFICATE-----\n{encoded}-----END CERTIFICATE-----\n")
        command = ["openssl", "verify", "-CAfile", ANCHORS, "-no-CApath", "-purpose", "sslserver"]
        command += ["-auth_level", "0", "-attime", str(int(time))]
        for other in files[1:]:
            command += ["-untrusted", other]
        return subprocess.run(command + [files[0]], capture_output=True).returncode == 0


def shortcomings(found, promised):
    """Compares the words of each connection with the expected ones; returns a message per difference.

    `promised` has one string of words per connection, in order: a word with a leading `!` must be absent, and `*N` at
    the end repeats the string for N connections.
    """
    expanded = []
    for promise in promised:
        head, star, count = promise.rpartition("*")
        expanded += [head] * int(count) if star and count.isdigit() else [promise]
    faults = []
    if len(found) != len(expanded):
        faults.append(f"{len(found)} connections instead of {len(expanded)}")
    for number, (words, promise) in enumerate(zip(found, expanded), 1):
        for word in promise.split():
            if word.startswith("!") == (word.lstrip("!") in words):
                faults.append(f"connection {number}: {word} expected, found {' '.join(words)}")
    return faults
