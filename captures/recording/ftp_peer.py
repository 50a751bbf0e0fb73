"""A client of FTP over TLS in active mode: `ftp_peer.py resumed` or `ftp_peer.py cleared`."""

import ftplib
import ssl
import sys

HOST = "ftp.example.com"
SERVER = "203.0.113.7"


class Client(ftplib.FTP_TLS):
    """A client that resumes the control connection's session on data connections, as servers require."""

    session = None

    def wrap(self, connection):
        """Starts TLS on a data connection."""
        return self.context.wrap_socket(connection, server_hostname=HOST, session=self.session)

    def ntransfercmd(self, command, rest=None):
        connection, size = ftplib.FTP.ntransfercmd(self, command, rest)
        return self.wrap(connection), size


def main():
    context = ssl.create_default_context(cafile="root.pem")
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    client = Client(context=context, timeout=8)
    client.connect(SERVER, 21)
    client.host = HOST
    client.auth()
    client.login("user", "key", secure=False)
    client.prot_p()
    client.set_pasv(False)
    if sys.argv[1] == "cleared":
        client.ccc()
    else:
        client.session = client.sock.session
    lines = []
    client.retrlines("RETR hello.txt", lines.append)
    client.quit()
    if lines != ["hello"]:
        sys.exit(f"received {lines}")


main()
