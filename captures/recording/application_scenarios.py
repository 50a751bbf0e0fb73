"""Scenarios of what surrounds a handshake: HTTP, ALPN, proxies, STARTTLS, ports, addresses and names."""

import base64
import functools
import socket
import struct
import urllib.parse

from . import peers
from .scenario import Scenario, certificate_options, handshake
from .stage import PRIVATE_SERVER, PROXY, SERVER, SERVER_V6

NGINX = """
worker_processes 1;
daemon off;
user root;
pid nginx.pid;
error_log nginx.log;
events {{ worker_connections 16; }}
http {{
  access_log off;
  client_body_temp_path .; proxy_temp_path .; fastcgi_temp_path .; uwsgi_temp_path .; scgi_temp_path .;
  default_type text/plain;
  server {{
    listen {address}:80{cleartext};
    server_name api.example.com www.example.org;
    location / {{ return 200 "hello\\n"; }}
    location /moved {{ return 301 https://api.example.com/hello.txt; }}
    location /elsewhere {{ return 302 https://www.example.org/; }}
    location /same {{ return 301 http://api.example.com/; }}
  }}
  server {{
    listen {address}:443 ssl{http2};
    server_name api.example.com;
    ssl_certificate nginx-chain.pem;
    ssl_certificate_key api.key;
    ssl_protocols {versions};
    location / {{ return 200 "hello\\n"; }}
  }}
}}
"""


def nginx(stage, *, versions="TLSv1.2", http2=False, cleartext_http2=False, address=SERVER):
    """Starts nginx on ports 80 and 443."""
    stage.authority.need("api")
    with open(stage.path("api.pem")) as own, open(stage.path("api.chain")) as rest:
        stage.write("nginx-chain.pem", own.read() + rest.read())
    configuration = NGINX.format(
        address=f"[{address}]" if ":" in address else address,
        versions=versions,
        http2=" http2" if http2 else "",
        cleartext=" http2" if cleartext_http2 else "",
    )
    stage.write("nginx.conf", configuration)
    stage.start(["nginx", "-p", stage.directory, "-c", "nginx.conf", "-e", "nginx.log"], 443)


def curl(stage, *arguments, host="api.example.com", address=SERVER, succeeds=True):
    """Runs curl with the host name resolved to the server's address."""
    at = f"[{address}]" if ":" in address else address
    fixed = [part for port in (80, 443) for part in ("--resolve", f"{host}:{port}:{at}")]
    command = ["curl", "-sS", "--max-time", "8", "--cacert", "root.pem"]
    return stage.run(command + fixed + list(arguments), succeeds=succeeds)


def play_many_hosts(stage):
    """Loads a page from each of six hosts over HTTP, as a web view may."""
    nginx(stage)
    names = [f"{name}.example.org" for name in ("news", "images", "ads", "video", "fonts", "scripts")]
    for name in names:
        curl(stage, f"http://{name}/", host=name)


def with_nginx(name, shows, arguments, *expect, **options):
    """The scenario of nginx, with these options, and curl."""

    def play(stage):
        nginx(stage, **options)
        curl(stage, *arguments.split())

    settings = ", ".join(f"{key} {value}" for key, value in options.items())
    how = f"nginx{f' ({settings})' if settings else ''}; `curl {arguments}`"
    return Scenario(name, shows, how, play, expect)


def get(path, host="api.example.com", method="GET", extra=""):
    """The head of an HTTP/1.1 request."""
    return (
        f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: Example/1.0\r\nAccept: */*\r\n{extra}\r\n"
    )


def play_requests(stage):
    nginx(stage)
    paths = ["/", "/list?page=2", "/styles.css"]
    peers.requests(
        stage,
        [get(path) for path in paths] + [get("/", "www.example.org"), get("/last")],
    )


def play_pipelined(stage):
    nginx(stage)
    peers.requests(stage, [get("/one"), get("/two"), get("/three", method="HEAD")], pipelined=True)


def respond(status, headers="", body=b"hello\n"):
    """An HTTP/1.1 response of the Python server."""
    head = f"HTTP/1.1 {status}\r\nServer: Example\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
    return head.encode() + body


def play_post(stage):
    peers.responder(stage, [respond("201 Created", "Content-Type: application/json\r\n", b"{}")])
    post = get("/items", method="POST", extra="Content-Type: application/json\r\nContent-Length: 2\r\n")
    peers.requests(stage, [post + "{}"])


def play_old_http(stage):
    peers.responder(stage, [b"HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\nhello\n"])
    peers.requests(stage, ["GET /old HTTP/1.0\r\nUser-Agent: Example/1.0\r\n\r\n"])


def play_websocket(stage):
    accept = (
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
    )
    peers.responder(stage, [f"HTTP/1.1 101 Switching Protocols\r\n{accept}\r\n".encode() + b"\x81\x05hello"])
    ask = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    ask += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    peers.requests(stage, [get("/chat", extra=ask)], trailing=7)


def play_upgrade(stage, *, address=SERVER, host="api.example.com"):
    """Plays an upgrade to h2c with nghttpx, since nghttpd does not upgrade; nghttpx is a proxy for nginx, which speaks HTTP/1.1."""
    nginx(stage, address=address)
    stage.start(["nghttpx", f"-f{address},8080;no-tls", f"-b{address},80", "--no-ocsp", "--conf=/dev/null"], 8080)
    command = ["curl", "-sS", "--http2", "--resolve", f"{host}:8080:{address}", f"http://{host}:8080/", "--next"]
    stage.run([*command, "-sS", "--http2", "--resolve", f"{host}:8080:{address}", f"http://{host}:8080/moved"])


def play_local_http2(stage):
    nginx(stage, cleartext_http2=True, address=PRIVATE_SERVER)
    stage.run(["curl", "-sS", "--http2-prior-knowledge", f"http://{PRIVATE_SERVER}/status"])
    curl(stage, "--http2-prior-knowledge", "http://printer.local/status", host="printer.local", address=PRIVATE_SERVER)


def play_silence(stage):
    """Plays three connections on which the client sends nothing: closed, reset, and closed after a greeting of the server."""
    greeting = b"220 mail.example.com ESMTP\r\n"
    peers.serve(stage, lambda connection: connection.recv(1), port=443, connections=2)
    peers.serve(stage, lambda connection: (connection.sendall(greeting), connection.recv(1)), port=25)
    peers.connect(stage, port=443).close()
    reset = peers.connect(stage, port=443)
    reset.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    reset.close()
    with peers.connect(stage, port=25) as connection:
        connection.recv(len(greeting))


def play_port(stage, *, port):
    peers.responder(stage, [respond("200 OK")], port=port)
    host = "api.example.com" if port == 80 else f"api.example.com:{port}"
    peers.requests(stage, [get("/", host)], port=port)


def play_address(stage, *, address, host):
    peers.responder(stage, [respond("200 OK")], address=address)
    peers.requests(stage, [get("/status", host)], address=address)


def play_proxy(stage, *, refuse=False):
    stage.authority.need("api")
    if not refuse:
        stage.s_server(certificate_options("api") + " -tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256")
    peers.proxy(stage, port=8080, refuse=refuse)
    stage.run(
        ["curl", "-sS", "--cacert", "root.pem", "--proxy", f"http://{PROXY}:8080", "--http1.0"]
        + ["https://api.example.com/hello.txt"],
        succeeds=not refuse,
    )


def play_proxy_to_address(stage):
    """Plays a client that resolves the name itself and sends a CONNECT request with the address."""
    stage.authority.need("api")
    stage.s_server(certificate_options("api") + " -tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256")
    peers.proxy(stage, port=8080)
    stage.run(
        ["curl", "-sS", "--cacert", "root.pem", "--proxy", f"http://{PROXY}:8080", "--http1.0"]
        + ["--connect-to", f"api.example.com:443:{SERVER}:443", "https://api.example.com/hello.txt"]
    )


def play_proxied_request(stage):
    peers.proxy(stage, port=8080)
    stage.run(["curl", "-sS", "--proxy", f"http://{PROXY}:8080", "http://api.example.com/hello.txt"])


def play_starttls(stage, *, protocol, port):
    stage.authority.need("mail")
    peers.starttls_server(stage, protocol, port=port, certificate="mail")
    stage.s_client(f"-starttls {protocol} -crlf", host="mail.example.com", port=port, text="QUIT\n")


def play_socks(stage, *, form, host="api.example.com"):
    stage.authority.need("api")
    stage.s_server(certificate_options("api") + " -tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256")
    peers.socks_proxy(stage, password="@" in form)
    scheme, _, user = form.partition("@")
    proxy = f"{scheme}://{user + '@' if user else ''}{PROXY}:1080"
    names = ["--resolve", f"{host}:443:{SERVER}"]
    command = ["curl", "-sS", "--http1.0", "--cacert", "root.pem", "--proxy", proxy]
    stage.run(command + names + ([] if host != SERVER else ["--insecure"]) + [f"https://{host}/hello.txt"])


def socks(name, shows, form, host="api.example.com"):
    """The scenario of TLS through a SOCKS proxy."""
    named = "" if host == SERVER else f"sni={host} "
    return Scenario(
        f"proxy/{name}",
        shows,
        f"a Python proxy (`recording/peers.py`), `openssl s_server`; `curl --proxy {form.partition('@')[0]}://…`",
        functools.partial(play_socks, form=form, host=host),
        (named + "0303 c02f certs=2 data",),
        packets=f"host {PROXY}",
        decode=("tcp.port==1080,socks",),
    )


PROXY_HEADER_ONE = b"PROXY TCP4 192.0.2.2 203.0.113.7 51000 443\r\n"
PROXY_HEADER_TWO = bytes.fromhex("0d0a0d0a000d0a515549540a2111000cc0000202cb007107c73801bb")


def play_proxy_protocol(stage, *, header):
    """Plays nginx and a load balancer; the capture contains the connection between the two."""
    stage.authority.need("api")
    application = NGINX.replace(":443 ssl{http2}", ":8443 ssl proxy_protocol")
    with open(stage.path("api.pem")) as own, open(stage.path("api.chain")) as rest:
        stage.write("nginx-chain.pem", own.read() + rest.read())
    stage.write("nginx.conf", application.format(address=SERVER, versions="TLSv1.2", cleartext=""))
    stage.start(["nginx", "-p", stage.directory, "-c", "nginx.conf", "-e", "nginx.log"], 8443)
    peers.proxy_protocol_balancer(stage, header=header)
    curl(stage, "https://api.example.com/")


def proxy_protocol(name, version, header):
    """The scenario of TLS after a PROXY protocol header."""
    return Scenario(
        f"proxy/{name}",
        f"a PROXY protocol header, version {version}, before TLS 1.2",
        "a Python load balancer (`recording/peers.py`) before nginx (`listen … ssl proxy_protocol`); curl",
        functools.partial(play_proxy_protocol, header=header),
        ("sni=api.example.com 0303 certs=2 data",),
        packets="port 8443",
        decode=("tcp.port==8443,tls",),
    )


TITLES = {"postgres": "PostgreSQL", "mysql": "MySQL"}


def starttls(protocol, port):
    """The scenario of STARTTLS in one protocol."""
    return Scenario(
        f"starttls/{protocol}",
        f"{TITLES.get(protocol, protocol.upper())} on port {port}, upgraded to TLS 1.2",
        f"a Python server (`recording/peers.py`); `openssl s_client -starttls {protocol}`",
        functools.partial(play_starttls, protocol=protocol, port=port),
        ("sni=mail.example.com 0303 c030 certs=2 valid trusted data",),
        # tshark does not dissect the upgrade to TLS of these protocols, at all or on this port.
        decode={"irc": ("tcp.port==6667,tls",), "nntp": ("tcp.port==1119,tls",)}.get(protocol, ()),
    )


def play_lookup(stage):
    stage.authority.need("api")
    peers.resolver(stage, questions=2)
    stage.s_server(certificate_options("api") + " -tls1_2")
    peers.lookup("api.example.com")
    stage.s_client("-tls1_2", host=None)


def play_answers(stage):
    """Plays DNS over TCP, with an alias and its address, then an HTTPS record; the handshake that follows has no SNI."""
    stage.authority.need("api")
    peers.resolver_over_tcp(stage)
    stage.s_server(certificate_options("api") + " -tls1_2")
    peers.lookup_over_tcp("www.example.com", [1, 65])
    stage.s_client("-tls1_2", host=None)


def play_ocsp(stage):
    """Plays OCSP requests to a responder of openssl, by POST and by GET."""
    stage.authority.need("api")
    files = ["-index", "issuing.index", "-CA", "issuing.pem", "-rsigner", "issuing.pem", "-rkey", "issuing.key"]
    stage.start(["openssl", "ocsp", "-port", "80", "-nrequest", "3", *files], 80)
    ask = ["openssl", "ocsp", "-issuer", "issuing.pem", "-cert", "api.pem", "-no_nonce", "-CAfile", "root.pem"]
    stage.run([*ask, "-url", f"http://{SERVER}/", "-header", "Host=ocsp.example.com"])
    stage.authority.openssl("ocsp", "-issuer", "issuing.pem", "-cert", "api.pem", "-no_nonce", "-reqout", "ask.der")
    with open(stage.path("ask.der"), "rb") as request:
        path = urllib.parse.quote(base64.b64encode(request.read()).decode(), safe="")
    curl(stage, "-o", "answer.der", f"http://ocsp.example.com/{path}", host="ocsp.example.com")


def play_fetches(stage):
    """Plays the download of a CRL and of an issuer's certificate, as from the URLs in a certificate."""
    stage.authority.need("api")
    stage.authority.revocation_list("issuing", "list.pem")
    stage.authority.openssl("crl", "-in", "list.pem", "-outform", "DER", "-out", "list.der")
    stage.authority.openssl("x509", "-in", "issuing.pem", "-outform", "DER", "-out", "issuing.der")
    answers = []
    for name, kind in [("list.der", "application/pkix-crl"), ("issuing.der", "application/pkix-cert")]:
        with open(stage.path(name), "rb") as file:
            answers.append(respond("200 OK", f"Content-Type: {kind}\r\n", file.read()))
    peers.responder(stage, answers)
    peers.requests(stage, [get("/issuing.crl", "ca.example.com"), get("/issuing.der", "ca.example.com")])


SCENARIOS = [
    with_nginx(
        "alpn/h2",
        "HTTP/2 negotiated by ALPN in TLS 1.2",
        "https://api.example.com/",
        "sni=api.example.com 0303 c030 alpn=h2 certs=2 data",
        http2=True,
    ),
    with_nginx(
        "alpn/http1",
        "HTTP/1.1 negotiated by ALPN in TLS 1.2",
        "https://api.example.com/",
        "sni=api.example.com 0303 c030 alpn=http/1.1 certs=2 data",
    ),
    with_nginx(
        "alpn/h2-in-tls13",
        "HTTP/2 in TLS 1.3: the server's ALPN choice is encrypted",
        "https://api.example.com/",
        "sni=api.example.com 0304 1302 data !alpn=h2",
        http2=True,
        versions="TLSv1.3",
    ),
    handshake(
        "alpn/no-http",
        "ALPN offers no HTTP protocol (mqtt)",
        "sni=api.example.com 0303 alpn=mqtt certs=2 data",
        server="-tls1_2 -alpn mqtt",
        client="-tls1_2 -alpn mqtt",
        port=8443,
        decode=("tcp.port==8443,tls",),
    ),
    Scenario(
        "http/requests",
        "five requests for two hosts on one connection, kept alive",
        "nginx; a Python client (`recording/peers.py`)",
        play_requests,
        (
            "GET=api.example.com/ status=200 GET=api.example.com/list?page=2 GET=www.example.org/ "
            "GET=api.example.com/last",
        ),
    ),
    with_nginx(
        "http/also-https",
        "one host over HTTP and over HTTPS",
        "http://api.example.com/ https://api.example.com/",
        "GET=api.example.com/ status=200",
        "sni=api.example.com 0303 certs=2",
    ),
    Scenario(
        "http/many-hosts",
        "six hosts over HTTP",
        "nginx, curl",
        play_many_hosts,
        tuple(
            f"GET={name}.example.org/ status=200"
            for name in ("news", "images", "ads", "video", "fonts", "scripts")
        ),
    ),
    Scenario(
        "http/pipelined",
        "three requests sent before the first response",
        "nginx; a Python client",
        play_pipelined,
        ("GET=api.example.com/one GET=api.example.com/two HEAD=api.example.com/three status=200",),
    ),
    Scenario(
        "http/post",
        "a request with a body",
        "a Python server and client",
        play_post,
        ("POST=api.example.com/items status=201",),
    ),
    Scenario(
        "http/old",
        "HTTP/1.0 without a Host field",
        "a Python server and client",
        play_old_http,
        ("GET=/old status=200",),
    ),
    with_nginx(
        "http/redirect",
        "301 to https, then the HTTPS connection",
        "-L http://api.example.com/moved",
        "GET=api.example.com/moved status=301",
        "sni=api.example.com 0303 alpn=http/1.1 certs=2 data",
    ),
    with_nginx(
        "http/redirect-only",
        "302 to https on another host, not followed",
        "http://api.example.com/elsewhere",
        "GET=api.example.com/elsewhere status=302",
    ),
    with_nginx(
        "http/redirect-to-http",
        "301 to another cleartext URL",
        "http://api.example.com/same",
        "GET=api.example.com/same status=301",
    ),
    with_nginx(
        "http/h2-prior-knowledge",
        "cleartext HTTP/2 with prior knowledge",
        "--http2-prior-knowledge http://api.example.com/",
        "h2c=api.example.com",
        cleartext_http2=True,
    ),
    Scenario(
        "http/h2-upgrade",
        "two requests on one connection, upgraded from HTTP/1.1 to cleartext HTTP/2 (h2c)",
        "nghttpx as a proxy for nginx; `curl --http2 http://api.example.com:8080/ --next http://api.example.com:8080/moved`",
        play_upgrade,
        ("GET=api.example.com:8080/ status=101",),
        packets="port 8080",
    ),
    Scenario(
        "http/h2-local",
        "cleartext HTTP/2 to a private address and to a name under .local",
        "nginx (cleartext_http2 True); `curl --http2-prior-knowledge http://10.0.0.5/status`, then "
        "`http://printer.local/status`",
        play_local_http2,
        ("h2c=10.0.0.5", "h2c=printer.local"),
    ),
    Scenario(
        "http/client-silent",
        "three connections on which the client sends no data",
        "a Python server and client",
        play_silence,
        ("", "reset", ""),
    ),
    handshake(
        "intercepted/without-proxy",
        "a connection without a proxy: the server's own certificate, under the root `intercepted/root.pem`",
        "sni=api.example.com 0303 certs=2 valid data",
        server="-tls1_2",
        client="-tls1_2",
    ),
    handshake(
        "intercepted/through-proxy",
        "the same through an intercepting proxy, which issues the certificate",
        "sni=api.example.com 0303 certs=2 valid untrusted data",
        server="-tls1_2",
        client="-tls1_2",
        certificate="api-of-proxy",
    ),
    Scenario(
        "http/websocket",
        "a WebSocket over cleartext HTTP",
        "a Python server and client",
        play_websocket,
        ("GET=api.example.com/chat status=101",),
    ),
    Scenario(
        "http/ocsp",
        "OCSP by POST and by GET: traffic of the system itself, cleartext by design",
        "`openssl ocsp -port 80`; `openssl ocsp -url`, then curl",
        play_ocsp,
        ("POST=ocsp.example.com/ status=200", "status=200"),
    ),
    Scenario(
        "http/revocation-list-and-issuer",
        "a CRL and an issuer's certificate over cleartext HTTP, as the system itself fetches them",
        "a Python server and client",
        play_fetches,
        ("GET=ca.example.com/issuing.crl GET=ca.example.com/issuing.der status=200",),
    ),
    Scenario(
        "http/alternate-port",
        "cleartext HTTP on port 8080",
        "a Python server and client",
        functools.partial(play_port, port=8080),
        ("GET=api.example.com:8080/ status=200",),
    ),
    Scenario(
        "http/unknown-port",
        "cleartext HTTP on an unregistered port",
        "a Python server and client",
        functools.partial(play_port, port=8123),
        ("GET=api.example.com:8123/ status=200",),
        decode=("tcp.port==8123,http",),
    ),
    Scenario(
        "http/port-of-https",
        "cleartext HTTP on port 443",
        "a Python server and client",
        functools.partial(play_port, port=443),
        ("GET=api.example.com:443/ status=200",),
        decode=("tcp.port==443,http",),
    ),
    Scenario(
        "http/private-address",
        "cleartext HTTP to a private address, given as an IP literal",
        "a Python server and client",
        functools.partial(play_address, address=PRIVATE_SERVER, host=PRIVATE_SERVER),
        ("GET=10.0.0.5/status status=200",),
    ),
    Scenario(
        "http/public-address",
        "cleartext HTTP to a public address, given as an IP literal",
        "a Python server and client",
        functools.partial(play_address, address=SERVER, host=SERVER),
        ("GET=203.0.113.7/status status=200",),
    ),
    with_nginx(
        "http/to-tls-server",
        "cleartext HTTP to a port that speaks TLS",
        "http://api.example.com:443/",
        "status=400",
    ),
    handshake(
        "ports/alternate",
        "TLS on port 8443",
        "sni=api.example.com 0303 certs=2 valid trusted data",
        port=8443,
        server="-tls1_2",
        client="-tls1_2",
        decode=("tcp.port==8443,tls",),
    ),
    handshake(
        "ports/http",
        "TLS on port 80",
        "sni=api.example.com 0304 data",
        port=80,
        server="-tls1_3",
        decode=("tcp.port==80,tls",),
        keylog=True,
        decrypted=("sni=api.example.com 0304 certs=2 valid trusted data",),
    ),
    handshake(
        "ports/imaps",
        "implicit TLS on the port of IMAPS (993)",
        "sni=mail.example.com 0303 certs=2 valid trusted data",
        port=993,
        host="mail.example.com",
        certificate="mail",
        server="-tls1_2",
        client="-tls1_2",
    ),
    handshake(
        "ipv6/loopback",
        "TLS 1.2 over ::1, with SNI",
        "sni=api.example.com 0303 certs=2 valid trusted data",
        address="::1",
        server="-tls1_2",
        client="-tls1_2",
    ),
    handshake(
        "ipv6/ip-address",
        "TLS 1.2 over IPv6 without SNI; the certificate has an iPAddress",
        "0303 certs=2 valid trusted data",
        address=SERVER_V6,
        certificate="address",
        host=None,
        server="-tls1_2",
        client="-tls1_2",
    ),
    handshake(
        "ipv6/tls13",
        "TLS 1.3 over IPv6",
        "sni=api.example.com 0304 1302 data",
        address=SERVER_V6,
        server="-tls1_3",
        keylog=True,
        decrypted=("0304 certs=2 valid trusted data",),
    ),
    Scenario(
        "ipv6/http",
        "cleartext HTTP to an IPv6 address, given as an IP literal",
        "a Python server and client",
        functools.partial(play_address, address=SERVER_V6, host=f"[{SERVER_V6}]"),
        ("GET=[2001:db8::7]/status status=200",),
    ),
    starttls("smtp", 25),
    starttls("imap", 143),
    starttls("pop3", 110),
    starttls("ftp", 21),
    starttls("lmtp", 24),
    starttls("xmpp", 5222),
    starttls("ldap", 389),
    starttls("postgres", 5432),
    starttls("mysql", 3306),
    starttls("irc", 6667),
    starttls("nntp", 1119),
    socks("socks-four", "TLS 1.2 through a SOCKS 4 proxy, by address", "socks4"),
    socks("socks-four-a", "the same with SOCKS 4a, by name", "socks4a"),
    socks("socks-five", "the same with SOCKS 5, by address", "socks5"),
    socks("socks-five-name", "the same with SOCKS 5, by name and with a password", "socks5h@user:key"),
    socks("socks-address", "TLS 1.2 through a SOCKS 5 proxy to an IP literal: no server_name", "socks5", host=SERVER),
    proxy_protocol("header-one", 1, PROXY_HEADER_ONE),
    proxy_protocol("header-in-binary", 2, PROXY_HEADER_TWO),
    Scenario(
        "proxy/connect",
        "TLS 1.2 through a CONNECT proxy; only the client's connection to it",
        "a Python proxy (`recording/peers.py`), `openssl s_server`; `curl --proxy`",
        play_proxy,
        ("CONNECT=api.example.com:443api.example.com:443 status=200 0303 c02f certs=2 data",),
        packets=f"host {PROXY}",
    ),
    Scenario(
        "proxy/connect-both-sides",
        "the same, and the proxy's connection to the server",
        "as `proxy/connect`",
        play_proxy,
        ("sni=api.example.com 0303 c02f certs=2 data *2",),
    ),
    Scenario(
        "proxy/connect-to-address",
        "CONNECT with an IP address; the ClientHello in the tunnel has SNI",
        "a Python proxy (`recording/peers.py`), `openssl s_server`; `curl --proxy --connect-to`",
        play_proxy_to_address,
        (f"CONNECT={SERVER}:443{SERVER}:443 status=200 sni=api.example.com 0303 c02f certs=2 data",),
        packets=f"host {PROXY}",
    ),
    Scenario(
        "proxy/refused",
        "CONNECT refused with 403",
        "a Python proxy; `curl --proxy`",
        functools.partial(play_proxy, refuse=True),
        ("status=403",),
    ),
    Scenario(
        "proxy/absolute-form",
        "a cleartext request to a proxy, in absolute form",
        "a Python proxy; `curl --proxy`",
        play_proxied_request,
        ("status=200",),
    ),
    Scenario(
        "dns/lookup-without-sni",
        "a DNS response names the server; the ClientHello has no SNI",
        "a Python name server and client; `openssl s_client -noservername -tls1_2`",
        play_lookup,
        ("", "0303 certs=2 data"),
    ),
    Scenario(
        "dns/alias-over-tcp",
        "DNS over TCP: an alias and its address, an HTTPS record with an address hint; the ClientHello has no SNI",
        "a Python name server and client; `openssl s_client -noservername -tls1_2`",
        play_answers,
        ("", "0303 certs=2 data"),
    ),
]
