"""Small servers and clients for what openssl, nginx and curl cannot do. Each server accepts a few connections."""

import contextlib
import socket
import ssl
import struct
import threading

from .stage import PATIENCE, PROXY, RESOLVER, SERVER, StageError


def serve(stage, handle, *, address=SERVER, port, connections=1):
    """Accepts that many connections in a thread, one after another, and passes each to `handle`."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen()
    listener.settimeout(PATIENCE)

    def work():
        # In some scenarios a peer disconnects early; in the others, `record.py --verify` finds what the capture lacks.
        with contextlib.suppress(OSError):
            for _ in range(connections):
                connection, _peer = listener.accept()
                connection.settimeout(PATIENCE)
                with contextlib.suppress(OSError), connection:
                    handle(connection)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    stage.sockets.append(listener)
    stage.threads.append(thread)


def connect(stage, *, address=SERVER, port):
    """Opens a client connection, which the stage closes at its end."""
    connection = socket.create_connection((address, port), timeout=PATIENCE)
    stage.sockets.append(connection)
    return connection


def read_head(connection):
    """Reads up to the blank line that ends a message head."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            raise StageError("the peer closed before its message ended")
        head += byte
    return head


def read_line(connection):
    """Reads one line."""
    line = b""
    while not line.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            break
        line += byte
    return line


def requests(stage, messages, *, address=SERVER, port=80, pipelined=False, trailing=0):
    """Sends HTTP requests over one connection and reads the responses by their Content-Length.

    `trailing` is the number of bytes that follow the last response.
    """
    with connect(stage, address=address, port=port) as connection:
        if pipelined:
            connection.sendall(b"".join(message.encode() for message in messages))
        for message in messages:
            if not pipelined:
                connection.sendall(message.encode())
            head = read_head(connection)
            length = 0
            for line in head.split(b"\r\n"):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not message.startswith("HEAD"):
                while length > 0:
                    part = connection.recv(length)
                    if not part:
                        raise StageError("the peer closed before its response ended")
                    length -= len(part)
        if trailing:
            connection.recv(trailing, socket.MSG_WAITALL)


def responder(stage, responses, *, address=SERVER, port=80):
    """Serves one connection: sends the given responses to its requests, in order."""

    def handle(connection):
        for response in responses:
            head = read_head(connection)
            for line in head.split(b"\r\n"):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    connection.recv(int(value), socket.MSG_WAITALL)
            connection.sendall(response)

    serve(stage, handle, address=address, port=port)


def reset_after_hello(connection):
    """Reads the first record, then resets the connection."""
    connection.recv(4096)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def close_after_hello(connection):
    """Reads the first record, then closes without a response."""
    connection.recv(4096)


STARTTLS = {
    "smtp": [
        (None, b"220 mail.example.com ESMTP\r\n"),
        (b"EHLO", b"250-mail.example.com\r\n250-SIZE 1000000\r\n250 STARTTLS\r\n"),
        (b"STARTTLS", b"220 2.0.0 Ready to start TLS\r\n"),
    ],
    "imap": [
        (None, b"* OK IMAP4rev1 server ready\r\n"),
        (b". CAPABILITY", b"* CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED\r\n. OK done\r\n"),
        (b". STARTTLS", b". OK Begin TLS negotiation now\r\n"),
    ],
    "nntp": [
        # RFC 3977 requires only the number: the text does not name the protocol.
        (None, b"200 news.example.com ready, posting allowed\r\n"),
        (b"CAPABILITIES", b"101 Capability list:\r\nVERSION 2\r\nREADER\r\nSTARTTLS\r\n.\r\n"),
        (b"STARTTLS", b"382 Continue with TLS negotiation\r\n"),
    ],
    "pop3": [
        (None, b"+OK POP3 server ready\r\n"),
        (b"STLS", b"+OK Begin TLS negotiation\r\n"),
    ],
}


XMPP = b"http://etherx.jabber.org/streams"
# The same for messages that are read as a whole: the bytes that the client's message must contain, and the response.
STARTTLS_MESSAGES = {
    "ftp": [(None, b"220 (vsFTPd 3.0.3)\r\n"), (b"AUTH TLS", b"234 Proceed with negotiation.\r\n")],
    "lmtp": [
        (None, b"220 mail.example.com LMTP\r\n"),
        (b"LHLO", b"250-mail.example.com\r\n250 STARTTLS\r\n"),
        (b"STARTTLS", b"220 Begin TLS negotiation\r\n"),
    ],
    "xmpp": [
        (
            b"<stream:stream",
            b"<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='" + XMPP + b"' id='1' "
            b"from='mail.example.com' version='1.0'><stream:features>"
            b"<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>",
        ),
        (b"<starttls", b"<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
    ],
    "ldap": [
        (
            b"1.3.6.1.4.1.1466.20037",
            bytes.fromhex("3024020101781f0a010004000400") + b"\x8a\x161.3.6.1.4.1.1466.20037",
        ),
    ],
    "postgres": [(bytes.fromhex("0000000804d2162f"), b"S")],
    "mysql": [
        (
            None,
            bytes.fromhex("4a0000000a")
            + b"8.0.36\0"
            + bytes.fromhex("08000000" + "11" * 8 + "00" + "ffff" + "ff" + "0200" + "ffdf" + "15" + "00" * 10)
            + b"\x22" * 12
            + b"\0mysql_native_password\0",
        ),
        (bytes.fromhex("20000001"), b""),
    ],
    "irc": [
        (b"STARTTLS", b":irc.example.com 670 * :STARTTLS successful\r\n"),
    ],
}


def speak_starttls(connection, protocol):
    """Plays the server's side of the exchange before TLS."""
    if protocol in STARTTLS:
        for expected, answer in STARTTLS[protocol]:
            if expected is not None and not read_line(connection).upper().startswith(expected):
                raise OSError("unexpected line")
            connection.sendall(answer)
        return
    for expected, answer in STARTTLS_MESSAGES[protocol]:
        if expected is not None:
            # A MySQL client sends its ClientHello without waiting for a response; it must not be read with this message.
            message = connection.recv(36 if protocol == "mysql" else 4096)
            if expected not in message:
                raise OSError("unexpected message")
        connection.sendall(answer)


def starttls_server(stage, protocol, *, port, certificate):
    """A server that plays the exchange before TLS, then TLS, then one line each way."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with open(stage.path(certificate + ".pem")) as own, open(stage.path(certificate + ".chain")) as rest:
        stage.write("mail-chain.pem", own.read() + rest.read())
    context.load_cert_chain(stage.path("mail-chain.pem"), stage.path(certificate + ".key"))

    def handle(connection):
        speak_starttls(connection, protocol)
        with context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(100)
            secure.sendall(b"221 2.0.0 Bye\r\n")
            secure.unwrap()

    serve(stage, handle, port=port)


def proxy(stage, *, port=8080, connections=1, refuse=False):
    """An HTTP proxy that connects to `SERVER` whatever name CONNECT has, and responds to other requests itself."""

    def handle(connection):
        head = read_head(connection)
        method, target, _ = head.split(b"\r\n")[0].split(b" ")
        if refuse:
            connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        if method != b"CONNECT":
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nVia: 1.1 proxy.example.com\r\n"
                b"Content-Length: 6\r\n\r\nhello\n"
            )
            return
        with socket.create_connection((SERVER, int(target.rsplit(b":", 1)[1])), PATIENCE) as onward:
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=relay, args=(onward, connection), daemon=True)
            back.start()
            relay(connection, onward)
            back.join(PATIENCE)

    serve(stage, handle, address=PROXY, port=port, connections=connections)


def socks_proxy(stage, *, port=1080, password=False):
    """A SOCKS proxy (4, 4a and 5) that connects to `SERVER` whatever address is requested."""

    def handle(connection):
        version, count = connection.recv(2)
        if version == 4:
            target = connection.recv(6)
            read_text(connection)
            if target[2:5] == b"\0\0\0":
                read_text(connection)
            port_asked, answer = target[:2], b"\0\x5a" + bytes(6)
        else:
            connection.recv(count)
            connection.sendall(b"\5\2" if password else b"\5\0")
            if password:
                for _ in range(2):
                    head = connection.recv(2 if _ == 0 else 1)
                    connection.recv(head[-1])
                connection.sendall(b"\1\0")
            kind = connection.recv(4)[3]
            connection.recv({1: 4, 4: 16}.get(kind) or connection.recv(1)[0])
            port_asked, answer = connection.recv(2), b"\5\0\0\1" + bytes(6)
        with socket.create_connection((SERVER, int.from_bytes(port_asked, "big")), PATIENCE) as onward:
            connection.sendall(answer)
            back = threading.Thread(target=relay, args=(onward, connection), daemon=True)
            back.start()
            relay(connection, onward)
            back.join(PATIENCE)

    serve(stage, handle, address=PROXY, port=port)


def read_text(connection):
    """Reads up to and including a NUL byte."""
    while connection.recv(1) not in (b"\0", b""):
        pass


def proxy_protocol_balancer(stage, *, header, port=443, onward_port=8443):
    """A load balancer that sends a PROXY protocol header before the data of a connection that it forwards."""

    def handle(connection):
        with socket.create_connection((SERVER, onward_port), PATIENCE) as onward:
            onward.sendall(header)
            back = threading.Thread(target=relay, args=(onward, connection), daemon=True)
            back.start()
            relay(connection, onward)
            back.join(PATIENCE)

    serve(stage, handle, port=port)


def relay(source, destination):
    """Copies until the source closes, then shuts down the destination for writing."""
    with contextlib.suppress(OSError):
        while part := source.recv(4096):
            destination.sendall(part)
        destination.shutdown(socket.SHUT_WR)


def resolver(stage, *, questions):
    """A name server that responds to A queries with `SERVER` and to all others without records."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind((RESOLVER, 53))
    listener.settimeout(PATIENCE)

    def work():
        with contextlib.suppress(OSError):
            for _ in range(questions):
                query, peer = listener.recvfrom(512)
                question = query[12:]
                answered = question.endswith(b"\x00\x01\x00\x01")
                head = query[:2] + struct.pack(">HHHHH", 0x8180, 1, 1 if answered else 0, 0, 0)
                record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 300, 4) + socket.inet_aton(SERVER)
                listener.sendto(head + question + (record if answered else b""), peer)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    stage.sockets.append(listener)
    stage.threads.append(thread)


def lookup(name):
    """Queries the A and the HTTPS record of a name, as clients do."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(PATIENCE)
        for number, kind in [(0x1001, 1), (0x1002, 65)]:
            head = struct.pack(">HHHHHH", number, 0x0100, 1, 0, 0, 0)
            client.sendto(head + labels(name) + struct.pack(">HH", kind, 1), (RESOLVER, 53))
            client.recv(512)


def labels(name):
    """The wire format of a domain name (RFC 1035)."""
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def resolver_over_tcp(stage):
    """A name server over TCP: an A query gets an alias and its address, an HTTPS query a record with address hint and ECH keys."""

    def record(owner, kind, data):
        return owner + struct.pack(">HHIH", kind, 1, 300, len(data)) + data

    def handle(connection):
        while head := connection.recv(2):
            query = connection.recv(struct.unpack(">H", head)[0])
            question = query[12:]
            kind = struct.unpack(">H", question[-4:-2])[0]
            alias = labels("edge.example.net")
            records = [record(b"\xc0\x0c", 5, alias), record(alias, 1, socket.inet_aton(SERVER))]
            if kind == 65:
                parameters = struct.pack(">HH", 1, 3) + b"\x02h2"
                parameters += struct.pack(">HH", 4, 4) + socket.inet_aton(SERVER)
                parameters += struct.pack(">HH", 5, 6) + b"\x00\x04\xfe\x0d\x00\x00"
                records = [record(b"\xc0\x0c", 65, struct.pack(">H", 1) + b"\0" + parameters)]
            counts = struct.pack(">HHHHH", 0x8180, 1, len(records), 0, 0)
            answer = query[:2] + counts + question + b"".join(records)
            connection.sendall(struct.pack(">H", len(answer)) + answer)

    serve(stage, handle, address=RESOLVER, port=53)


def lookup_over_tcp(name, kinds):
    """Queries records of a name, one after another on one connection."""
    with socket.create_connection((RESOLVER, 53), PATIENCE) as client:
        for number, kind in enumerate(kinds):
            query = struct.pack(">HHHHHH", 0x2001 + number, 0x0100, 1, 0, 0, 0)
            query += labels(name) + struct.pack(">HH", kind, 1)
            client.sendall(struct.pack(">H", len(query)) + query)
            length = struct.unpack(">H", client.recv(2))[0]
            while length > 0:
                length -= len(client.recv(length))


def sslv2_hello(connection, *, version):
    """Sends a ClientHello in the SSL 2.0 format (RFC 5246 appendix E.2), made without a TLS library.

    Reads the server's flight and closes: the rest of the handshake would require a library that supports this format.
    """
    suites = [0x00002F, 0x000035, 0x00C014, 0x00C013, 0x0000FF, 0x010080, 0x0700C0]
    challenge = bytes(range(0x40, 0x60))
    body = b"\x01" + struct.pack(">HHHH", version, 3 * len(suites), 0, len(challenge))
    body += b"".join(suite.to_bytes(3, "big") for suite in suites) + challenge
    connection.sendall(struct.pack(">H", 0x8000 | len(body)) + body)
    received = b""
    while b"\x0e\x00\x00\x00" not in received[-4:]:
        part = connection.recv(4096)
        if not part:
            raise StageError("the server did not finish its flight")
        received += part
    # An unencrypted close_notify alert.
    connection.sendall(b"\x15\x03\x03\x00\x02\x01\x00")


def python_client(stage, *, host, options=0, address=SERVER, port=443):
    """A TLS 1.2 client of Python's ssl module, for an OpenSSL option that no command line option sets."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.options |= options
    with connect(stage, address=address, port=port) as connection:
        with context.wrap_socket(connection, server_hostname=host) as secure:
            secure.sendall(b"GET /hello.txt HTTP/1.0\r\n\r\n")
            while secure.recv(1000):
                pass
