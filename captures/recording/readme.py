"""Writes the README.md of each folder from the tables of the scripts, and the list of folders in `captures/README.md`."""

import os

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
START, END = "<!-- folders -->\n", "<!-- end of folders -->\n"
# The subject of each folder, in the order of the list.
FOLDERS = {
    "ssl": "SSL 2.0 and SSL 3.0",
    "tls10": "TLS 1.0",
    "tls11": "TLS 1.1",
    "tls12": "TLS 1.2: suites, key exchanges, extensions",
    "tls13": "TLS 1.3: suites, groups, compressed certificates",
    "dtls": "DTLS",
    "quic": "QUIC and HTTP/3",
    "ech": "Encrypted Client Hello",
    "alpn": "protocols negotiated with ALPN",
    "resumption": "sessions resumed by session ID, ticket and PSK",
    "certificates": "keys, signatures, dates and names of certificates; incomplete chains",
    "client-certificates": "client certificates",
    "ocsp": "stapled OCSP responses, and a revoked certificate without one",
    "refused": "handshakes that a peer refuses",
    "http": "cleartext HTTP",
    "dns": "DNS responses that name the server of a session without SNI",
    "ports": "TLS on ports other than 443",
    "proxy": "TLS through proxies: CONNECT, SOCKS, PROXY protocol",
    "intercepted": "an intercepting proxy, and the same request without it",
    "starttls": "protocols that upgrade to TLS",
    "ftp": "FTP with TLS: control and data connections",
    "ipv6": "recorded over IPv6",
    "chromium": "recorded with Chromium",
    "gnutls": "recorded with GnuTLS",
    "demo": "one host for each verdict",
    "variants/format": "byte orders, time stamps, blocks and truncated files of pcap and pcapng",
    "variants/packed": "compressed captures and archives",
    "variants/link": "link types",
    "variants/tunnel": "VLAN tags and tunnels around the packets",
    "variants/ip": "IPv6 and IP fragments",
    "variants/stream": "TCP connections: order, loss, overlap, beginning and end",
    "variants/decoy": "forged copies of segments and fragments, which a receiver discards or may discard",
    "variants/tls": "resumed sessions without their first handshakes, and invalid signatures",
    "variants/process": "processes and apps named in the capture",
    "variants/hosts": "many hosts in one capture, and hostile names",
    # These folders contain only captures: a run that reads a whole folder would count a README.md as an input that is not a capture.
    "variants": "captures in several files: `series`, `rotated`, `resumed-elsewhere`",
}


def pages(table, column):
    """The text of each folder's README.md, from a table of (file, what it shows, how it was made)."""
    rows = {}
    for file, shows, made in table:
        folder = os.path.dirname(file)
        if folder not in FOLDERS:
            folder = os.path.dirname(folder)
        if folder not in FOLDERS:
            raise SystemExit(f"recording/readme.py: FOLDERS has no entry for the folder of {file}")
        cells = " | ".join(text.replace("|", "\\|") for text in (shows, made))
        rows.setdefault(folder, []).append(f"| `{os.path.relpath(file, folder)}` | {cells} |\n")
    head = f"| file | shows | {column} |\n| --- | --- | --- |\n"
    return {folder: f"# {FOLDERS[folder][0].upper()}{FOLDERS[folder][1:]}\n\n{head}{''.join(found)}" for folder, found in rows.items()}


def above():
    """The text of `captures/README.md`: as it is, and with the list of folders up to date."""
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        text = file.read()
    before, found, rest = text.partition(START)
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise SystemExit(f"README.md has no list between {START.strip()} and {END.strip()}")
    rows = "".join(f"| [`{folder}`]({folder}/README.md) | {about} |\n" for folder, about in FOLDERS.items())
    return text, f"{before}{START}| folder | captures |\n| --- | --- |\n{rows}{END}{after}"


def wanted(table, column):
    """The current and the new text of every README.md, by its path."""
    now, then = above()
    found = {os.path.join(HERE, "README.md"): (now, then)}
    for folder, text in pages(table, column).items():
        path = os.path.join(HERE, folder, "README.md")
        old = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                old = file.read()
        found[path] = (old, text)
    return found


def update(table, column):
    """Writes the files that are out of date."""
    for path, (now, then) in wanted(table, column).items():
        if now != then:
            with open(path, "w", encoding="utf-8") as file:
                file.write(then)


def faults(table, column):
    """A message for each file that is out of date."""
    return [f"{os.path.relpath(path, HERE)} is out of date (--readme)"
            for path, (now, then) in wanted(table, column).items() if now != then]
