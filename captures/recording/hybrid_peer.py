"""A TLS 1.3 server of pyOpenSSL, whose OpenSSL supports X25519MLKEM768; responds to each request with one line.

    hybrid_peer.py CERTIFICATES KEY ADDRESS PORT
"""

import contextlib
import socket
import sys

from OpenSSL import SSL


def main():
    certificates, key, address, port = sys.argv[1:]
    context = SSL.Context(SSL.TLS_SERVER_METHOD)
    context.set_min_proto_version(SSL.TLS1_3_VERSION)
    context.use_certificate_chain_file(certificates)
    context.use_privatekey_file(key)
    listener = socket.create_server((address, int(port)))
    while True:
        connection, _peer = listener.accept()
        with contextlib.suppress(SSL.Error, OSError):
            secure = SSL.Connection(context, connection)
            secure.set_accept_state()
            secure.do_handshake()
            if secure.recv(4096):
                secure.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nhello\n")
            secure.shutdown()
        connection.close()


main()
