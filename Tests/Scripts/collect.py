#!/usr/bin/env python3
"""Runs the script that `atscope certificates --missing --script` writes against loopback servers, and audits with the collected chains.

  collect.py ATSCOPE

The test runs in a separate network and mount namespace, in which host names resolve to 127.0.0.1. It is skipped without namespaces or
openssl. The hosts of saved sessions are replaced by hostile names, as a capture could contain them.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOSTILE = ["a'; touch OWNED; '", "$(touch OWNED)", "`touch OWNED`", "a\ntouch OWNED\n#", "-help", "-starttls", "a\\",
    "a\" -proxy b", "a" * 4000, "../OWNED", "a\u0000b", "\u202eb"]


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **more)


def escaped(name):
    """Returns a name with the escapes of session records."""
    return "".join("\\\\" if c == "\\" else f"\\x{ord(c):02x}" if c < " " else f"\\u{{{ord(c):x}}}" if c > "~" else c for c in name)


def sessions(program):
    """Returns saved sessions without a run record: one TLS 1.3 session, whose chain is encrypted, repeated for each host."""
    capture = str(ROOT / "captures/tls13/x25519.pcap")
    lines = run(program, "sessions", "--format", "ndjson", capture).stdout.decode().splitlines()
    session = json.loads(lines[1])

    def one(name, port, **more):
        copy = json.loads(json.dumps(session))
        copy.update({"serverName": name, "serverNameSource": "sni", **more})
        copy["tls"]["sni"] = name
        copy["server"]["port"] = port
        return json.dumps(copy)

    hosts = [one("api.example.com", 4431), one("mail.example.com", 2525, tunnel=["starttls smtp"]),
        one("gone.example.com", 4439), one("nowhere.example.com", 443), one("rdp.example.com", 3389, tunnel=["starttls rdp"])]
    address = one("127.0.0.1", 4431, serverNameSource="address")
    return "\n".join([*hosts, address, *[one(escaped(name), 4431) for name in HOSTILE]]) + "\n"


def smtp(certificate, key):
    """Serves SMTP with STARTTLS on port 2525 until it is killed."""
    import socket
    import ssl
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 2525))
    while True:
        client, _ = listener.accept()
        try:
            client.sendall(b"220 mail.example.com ESMTP\r\n")
            while b"STARTTLS" not in (line := client.recv(1000)).upper() and line:
                client.sendall(b"250-mail.example.com\r\n250 STARTTLS\r\n")
            client.sendall(b"220 go\r\n")
            context.wrap_socket(client, server_side=True).recv(100)
        except OSError:
            pass
        client.close()


def inside(program, folder):
    os.chdir(folder)
    run("ip", "link", "set", "lo", "up")
    for name in ("api", "mail"):
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.crt", "-days", "30",
            "-subj", f"/CN={name}.example.com", "-addext", f"subjectAltName=DNS:{name}.example.com", check=True)
    pathlib.Path("hosts").write_text("127.0.0.1 localhost api.example.com mail.example.com gone.example.com\n")
    run("mount", "--bind", "hosts", "/etc/hosts", check=True)
    pathlib.Path("saved.ndjson").write_text(sessions(program))
    servers = [subprocess.Popen(["openssl", "s_server", "-accept", "4431", "-cert", "api.crt", "-key", "api.key", "-quiet"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL),
        subprocess.Popen([sys.executable, os.path.abspath(__file__), "--smtp", "mail.crt", "mail.key"])]
    time.sleep(1)
    faults = 0

    def expect(holds, what):
        nonlocal faults
        if not holds:
            faults += 1
            print(f"collect: {what}")

    try:
        script = run(program, "certificates", "--missing", "--script", "saved.ndjson")
        expect(script.returncode == 0, f"status {script.returncode}: {script.stderr.decode()}")
        pathlib.Path("collect.sh").write_bytes(script.stdout)
        if shutil.which("shellcheck"):
            checked = run("shellcheck", "-s", "sh", "collect.sh")
            expect(checked.returncode == 0, f"shellcheck: {checked.stdout.decode()}")
        shells = [shell for shell in (["dash"], ["busybox", "sh"], ["bash", "--posix"], ["sh"]) if shutil.which(shell[0])]
        for number, shell in enumerate(shells):
            for chains in (f"chains {number}", f"-chains{number}"):
                result = run(*shell, "collect.sh", chains)
                text = result.stdout.decode() + result.stderr.decode()
                expect(result.returncode == 0, f"{shell}: status {result.returncode}: {text}")
                names = ["127.0.0.1_4431.pem", "api.example.com_4431.pem", "mail.example.com_2525.pem"]
                expect(sorted(os.listdir(f"./{chains}")) == names, f"{shell}: {sorted(os.listdir('./' + chains))}: {text}")
                expect(f"3 collected in {chains}, 2 failed, {len(HOSTILE) + 1} left out" in text, f"{shell}: {text}")
                for failure in ("gone.example.com:4439: failed: Connection refused", "nowhere.example.com:443: failed"):
                    expect(failure in text, f"{shell}: {text}")
                expect("system lib" not in text, f"{shell}: {text}")
            audit = run(program, "--format", "ndjson", "--anchors", "api.crt", "--anchors", "mail.crt", "--chain", f"chains {number}",
                "saved.ndjson")
            taken = {}
            for line in audit.stdout.splitlines():
                record = json.loads(line)
                if record.get("assumedCertificatesSource") == "supplied":
                    taken[record["serverName"]] = record["assumedCertificates"][0]["subject"]
            expect(taken == {"api.example.com": "CN=api.example.com", "mail.example.com": "CN=mail.example.com",
                "127.0.0.1": "CN=api.example.com"}, f"{shell}: supplied chains {taken} {audit.stderr.decode()}")
        expect(run("dash", "collect.sh").returncode == 64, "the script runs without a folder argument")
        expect(not [path for path in pathlib.Path(folder).rglob("OWNED*")], "a name was run as a command")
    finally:
        for server in servers:
            server.kill()
    print(f"collect: {', '.join(' '.join(shell) for shell in shells)}; {faults} faults")
    return 1 if faults else 0


def main(program):
    namespaces = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
    if not shutil.which("openssl") or not shutil.which("unshare") or run(*namespaces, "true").returncode != 0:
        print("collect: skipped: requires openssl and user namespaces")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([*namespaces, sys.executable, os.path.abspath(__file__), "--inside", os.path.abspath(program),
            folder]).returncode


if __name__ == "__main__":
    if sys.argv[1:2] == ["--smtp"]:
        smtp(*sys.argv[2:])
    elif sys.argv[1:2] == ["--inside"]:
        sys.exit(inside(*sys.argv[2:]))
    elif len(sys.argv) == 2:
        sys.exit(main(sys.argv[1]))
    else:
        sys.exit(__doc__)
