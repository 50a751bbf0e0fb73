"""One handshake between a client and a server of tlslite-ng, for forms that OpenSSL and GnuTLS do not support.

    tlslite_peer.py FORM CERTIFICATES KEY ADDRESS PORT HOST KEYLOG

FORM is `ssl3`, `hybrid` (X25519MLKEM768), or `zlib`, `brotli`, `zstd` (compressed certificate, RFC 8879).
The secrets of TLS 1.3 go to KEYLOG in the format of SSLKEYLOGFILE.
"""

import socket
import sys
import threading

import tlslite.tlsconnection
from tlslite.api import HandshakeSettings, TLSConnection, X509CertChain, parsePEMKey

LABELS = {
    b"c hs traffic": "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
    b"s hs traffic": "SERVER_HANDSHAKE_TRAFFIC_SECRET",
    b"c ap traffic": "CLIENT_TRAFFIC_SECRET_0",
    b"s ap traffic": "SERVER_TRAFFIC_SECRET_0",
}
secrets = {}
derive_secret = tlslite.tlsconnection.derive_secret


def remember_secret(secret, label, *rest):
    """Replaces tlslite's Derive-Secret and keeps the secrets that a key log contains."""
    derived = derive_secret(secret, label, *rest)
    if bytes(label) in LABELS:
        secrets[LABELS[bytes(label)]] = bytes(derived)
    return derived


def settings_for(form):
    """The settings of both sides."""
    settings = HandshakeSettings()
    if form == "ssl3":
        settings.minVersion = settings.maxVersion = (3, 0)
        settings.cipherNames = ["aes128", "3des"]
        settings.keyExchangeNames = ["rsa"]
        return settings
    settings.minVersion = (3, 3)
    settings.cipherNames = ["aes128gcm"]
    settings.ticket_count = 0
    settings.dhGroups = []
    settings.eccCurves = ["x25519", "secp256r1"]
    settings.keyShares = ["x25519"]
    if form == "hybrid":
        settings.eccCurves = ["x25519mlkem768", "x25519", "secp256r1"]
        settings.keyShares = ["x25519mlkem768", "x25519"]
    algorithms = [form] if form in ("zlib", "brotli", "zstd") else []
    settings.certificate_compression_send = algorithms
    settings.certificate_compression_receive = algorithms
    return settings


def finish(session, connection):
    """Exchanges close_notify and reads to the end; closing with unread bytes would send a TCP reset."""
    session.closeSocket = False
    session.close()
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(1000):
        pass
    connection.close()


def main():
    form, certificates, key, address, port, host, keylog = sys.argv[1:]
    tlslite.tlsconnection.derive_secret = remember_secret
    chain = X509CertChain()
    with open(certificates) as file:
        chain.parsePemList(file.read())
    with open(key) as file:
        private_key = parsePEMKey(file.read(), private=True)
    listener = socket.create_server((address, int(port)))
    listener.settimeout(10)

    def serve():
        peer, _ = listener.accept()
        peer.settimeout(10)
        server = TLSConnection(peer)
        server.handshakeServer(certChain=chain, privateKey=private_key, settings=settings_for(form))
        server.read(min=1)
        server.write(b"HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\nhello\n")
        finish(server, peer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    connection = socket.create_connection((address, int(port)), 10)
    client = TLSConnection(connection)
    client.handshakeClientCert(serverName=None if form == "ssl3" else host, settings=settings_for(form))
    client.write(b"GET /hello.txt HTTP/1.0\r\nHost: " + host.encode() + b"\r\n\r\n")
    client.read(min=1)
    finish(client, connection)
    thread.join(10)
    if secrets:
        random = bytes(client._clientRandom).hex()
        with open(keylog, "w") as file:
            for label, secret in secrets.items():
                file.write(f"{label} {random} {secret.hex()}\n")


main()
