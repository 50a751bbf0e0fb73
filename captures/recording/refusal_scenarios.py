"""Handshakes that end early: refused by the server, refused by the client, truncated."""

from . import peers
from .protocol_scenarios import OLD
from .scenario import ATS_SUITES, DEVICE_OFFER, Scenario, certificate_options, handshake
from .stage import SERVER

CHECKS = "-CAfile root.pem -verify_return_error"


def refused(name, shows, *expect, **more):
    """The scenario of a handshake that must fail."""
    return handshake(f"refused/{name}", shows, *expect, succeeds=False, **more)


def client_refuses(name, shows, profile, host, checks, alert):
    """The scenarios of one refusal by the client, in TLS 1.2 and in TLS 1.3."""
    old = f"sni={host} 0303 c02f certs=2 client-alert={alert} !data"
    return [
        refused(
            name,
            shows,
            old,
            certificate=profile,
            host=host,
            server="-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256",
            client=f"-tls1_2 {checks}",
        ),
        refused(
            f"{name}-in-tls13",
            shows + "; TLS 1.3, but OpenSSL sends the alert in cleartext",
            f"sni={host} 0304 1302 client-alert={alert}",
            certificate=profile,
            host=host,
            server="-tls1_3",
            client=f"-tls1_3 {checks}",
            keylog=True,
            decrypted=(f"sni={host} 0304 1302 certs=2 client-alert={alert}",),
        ),
    ]


def broken_off(name, shows, handle, *expect):
    """The scenario of a server that reads the ClientHello and ends the connection without a response."""

    def play(stage):
        peers.serve(stage, handle, port=443)
        stage.s_client("-tls1_2", succeeds=False)

    how = "a Python server (`recording/peers.py`); `openssl s_client -tls1_2`"
    return Scenario(f"refused/{name}", shows, how, play, expect)


def play_silence(stage):
    """Plays a server that only reads; the capture ends while the client waits."""

    def handle(connection):
        while connection.recv(4096):
            pass

    peers.serve(stage, handle, port=443)
    client = ["openssl", "s_client", "-connect", f"{SERVER}:443", "-servername", "api.example.com", "-tls1_2"]
    stage.background(client, 0.4)


def play_refused_connection(stage):
    """Plays a client and no server."""
    stage.s_client("-tls1_2", succeeds=False)


def play_curl_wrong_host(stage):
    """Plays a wrong host name with curl, which compares it after the handshake and sends no alert."""
    stage.authority.need("www")
    stage.s_server(certificate_options("www") + " -tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256")
    stage.run(
        ["curl", "-sS", "--tls-max", "1.2", "--cacert", "root.pem"]
        + ["--resolve", f"api.example.com:443:{SERVER}", "https://api.example.com/hello.txt"],
        succeeds=False,
    )


# A digest that matches no key, for a client that has pinned another key.
OTHER_PIN = "0123456789abcdef" * 4


def pinned(name, shows, version, *expect, **more):
    """The scenario of a server key that is not the one that the client has pinned (a TLSA record, RFC 7671)."""

    def play(stage):
        stage.authority.need("api")
        stage.s_server(f"{certificate_options('api')} {version}")
        log = ["-keylogfile", "keylog"] if more.get("keylog") else []
        command = ["openssl", "s_client", "-connect", f"{SERVER}:443", "-quiet", version, *log]
        pin = ["-dane_tlsa_domain", "api.example.com", "-dane_tlsa_rrdata", f"3 1 1 {OTHER_PIN}"]
        stage.run([*command, *pin, "-verify_return_error"], succeeds=False)

    how = f"`openssl s_server {version}`; `s_client {version} -dane_tlsa_rrdata \"3 1 1 0123…\"`"
    return Scenario(f"refused/{name}", shows, how, play, expect, **more)


def play_curl_pinned(stage):
    """Plays a wrong pin with curl, which compares the key after the handshake and sends no alert."""
    stage.authority.need("api")
    stage.s_server(certificate_options("api") + " -tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256")
    stage.run(
        ["curl", "-sS", "--tls-max", "1.2", "--cacert", "root.pem"]
        + ["--pinnedpubkey", "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
        + ["--resolve", f"api.example.com:443:{SERVER}", "https://api.example.com/hello.txt"],
        succeeds=False,
    )


def play_encrypted_alert(stage):
    """Plays gnutls-cli, which checks the certificate after the keys change, so that its alert is encrypted."""
    stage.authority.need("unlisted")
    stage.s_server(certificate_options("unlisted") + " -tls1_3 -keylogfile keylog")
    client = ["gnutls-cli", "--x509cafile", "root.pem", "--priority", "NORMAL:-VERS-ALL:+VERS-TLS1.3"]
    name = ["--sni-hostname", "private.example.net", "--verify-hostname", "private.example.net"]
    stage.run(client + name + ["-p", "443", SERVER], succeeds=False)


def play_no_shared_suite_3des(stage, client=f"-tls1_2 -cipher {ATS_SUITES}"):
    """Plays a server that supports only 3DES."""
    stage.authority.need("legacy")
    files = ["--x509certfile", "legacy.pem", "--x509keyfile", "legacy.key"]
    priority = "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+3DES-CBC"
    stage.start(["gnutls-serv", "--http", "-p", "443", *files, "--priority", priority], 443)
    stage.s_client(client, host="legacy.example.com", succeeds=False)


def play_hello_to_http(stage):
    """Plays a ClientHello to a server that speaks cleartext HTTP."""

    def handle(connection):
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    peers.serve(stage, handle, port=443)
    stage.s_client("-tls1_2", succeeds=False)


SCENARIOS = [
    refused(
        "version-too-old",
        "the client offers TLS 1.0, the server requires 1.2: protocol_version",
        "sni=api.example.com server-alert=70 !0301",
        server="-min_protocol TLSv1.2 -cipher " + OLD,
        client=f"-tls1 -cipher {OLD}",
    ),
    refused(
        "version-too-new",
        "the client offers TLS 1.2, the server requires 1.3: protocol_version",
        "sni=api.example.com server-alert=70",
        server="-tls1_3",
        client=f"-tls1_2 -cipher {ATS_SUITES}",
    ),
    refused(
        "version-too-old-for-tls13",
        "the client offers only TLS 1.3, the server supports 1.2: protocol_version",
        "sni=api.example.com server-alert=70 !0303",
        server="-tls1_2",
        client="-tls1_3",
    ),
    refused(
        "fallback",
        "TLS_FALLBACK_SCSV with TLS 1.1 to a server that supports 1.2: inappropriate_fallback",
        "sni=api.example.com server-alert=86",
        server=f"-max_protocol TLSv1.2 -cipher {OLD}",
        client=f"-tls1_1 -fallback_scsv -cipher {OLD}",
    ),
    refused(
        "no-shared-suite",
        "the client offers only ATS suites, the server supports only "
        "static RSA: handshake_failure",
        "sni=api.example.com server-alert=40",
        server="-tls1_2 -cipher AES128-SHA:AES256-SHA",
        client=f"-tls1_2 -cipher {ATS_SUITES}",
    ),
    refused(
        "no-shared-suite-wide",
        "the client offers static RSA as well, the server supports only DHE: handshake_failure",
        "sni=api.example.com server-alert=40",
        server="-tls1_2 -cipher DHE-RSA-AES128-GCM-SHA256",
        client=f"-tls1_2 -cipher {ATS_SUITES}:AES128-GCM-SHA256:AES128-SHA",
    ),
    refused(
        "device-static-rsa",
        "the client offers what an Apple device does, the server supports only static RSA: handshake_failure",
        "sni=api.example.com server-alert=40 !0303",
        server="-tls1_2 -cipher AES128-SHA:AES256-SHA:AES128-GCM-SHA256",
        client=DEVICE_OFFER,
    ),
    refused(
        "device-old-server",
        "the client offers what an Apple device does, the server supports only TLS 1.0: protocol_version",
        "sni=legacy.example.com server-alert=70 !0301",
        certificate="legacy",
        host="legacy.example.com",
        server=f"-tls1 -cipher {OLD}",
        client=DEVICE_OFFER,
    ),
    Scenario(
        "refused/larger-offer",
        "the client offers more than an Apple device does, the server supports only 3DES: handshake_failure",
        "`gnutls-serv --priority NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+3DES-CBC`; `openssl s_client`",
        lambda stage: play_no_shared_suite_3des(stage, ""),
        ("sni=legacy.example.com server-alert=40",),
    ),
    Scenario(
        "refused/no-shared-suite-3des",
        "the client offers only ATS suites, the server supports only 3DES: handshake_failure",
        "`gnutls-serv --priority NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+3DES-CBC`; "
        "`openssl s_client -tls1_2`",
        play_no_shared_suite_3des,
        ("sni=legacy.example.com server-alert=40",),
    ),
    refused(
        "no-shared-group",
        "TLS 1.3 without a group in common: handshake_failure",
        "sni=api.example.com server-alert=40",
        server="-tls1_3 -groups P-384",
        client="-tls1_3 -groups X25519",
    ),
    refused(
        "unknown-name",
        "the server does not recognize the name: unrecognized_name",
        "sni=api.example.com server-alert=112",
        server="-tls1_2 -servername www.example.com -servername_fatal -cert2 api.pem -key2 api.key",
        client="-tls1_2",
    ),
    refused(
        "no-shared-alpn",
        "no application protocol in common: no_application_protocol",
        "sni=api.example.com server-alert=120",
        server="-tls1_2 -alpn h2",
        client="-tls1_2 -alpn http/1.1",
    ),
    *client_refuses(
        "unknown-ca",
        "the client does not trust the root: unknown_ca",
        "unlisted",
        "private.example.net",
        CHECKS,
        48,
    ),
    Scenario(
        "refused/unknown-ca-encrypted-alert",
        "the client does not trust the root; TLS 1.3, alert visible only with the key log",
        "`openssl s_server -tls1_3`; `gnutls-cli --x509cafile root.pem`",
        play_encrypted_alert,
        ("sni=private.example.net 0304 !client-alert=48 !client-alert=42",),
        decrypted=("sni=private.example.net 0304 certs=2 client-alert=42",),
        keylog=True,
    ),
    *client_refuses(
        "expired", "the leaf has expired: certificate_expired", "expired", "expired.example.com", CHECKS, 45
    ),
    *client_refuses(
        "wrong-host",
        "the leaf names another host: bad_certificate",
        "www",
        "api.example.com",
        CHECKS + " -verify_hostname api.example.com",
        42,
    ),
    Scenario(
        "refused/wrong-host-curl",
        "the leaf names another host; curl closes without an alert",
        "`openssl s_server`; `curl --cacert root.pem https://api.example.com/`",
        play_curl_wrong_host,
        ("sni=api.example.com 0303 c02f certs=2 valid !client-alert=42",),
    ),
    pinned(
        "pinned",
        "the client has pinned another key: bad_certificate",
        "-tls1_2",
        "sni=api.example.com 0303 certs=2 client-alert=42 !data",
    ),
    pinned(
        "pinned-in-tls13",
        "the client has pinned another key: bad_certificate; TLS 1.3, but OpenSSL sends the alert in cleartext",
        "-tls1_3",
        "sni=api.example.com 0304 client-alert=42",
        keylog=True,
        decrypted=("sni=api.example.com 0304 certs=2 client-alert=42",),
    ),
    Scenario(
        "refused/pinned-curl",
        "the client has pinned another key; curl closes without an alert",
        "`openssl s_server`; `curl --pinnedpubkey sha256//AAAA… https://api.example.com/`",
        play_curl_pinned,
        ("sni=api.example.com 0303 c02f certs=2 valid !client-alert=42",),
    ),
    broken_off(
        "reset",
        "TCP reset in response to the ClientHello",
        peers.reset_after_hello,
        "sni=api.example.com reset !0303",
    ),
    broken_off(
        "closed",
        "connection closed in response to the ClientHello; the client sends decode_error",
        peers.close_after_hello,
        "sni=api.example.com client-alert=50 !0303",
    ),
    Scenario(
        "refused/silence",
        "no response to the ClientHello before the capture ends",
        "a Python server that sends nothing; `openssl s_client -tls1_2`",
        play_silence,
        ("sni=api.example.com !0303 !reset",),
    ),
    Scenario(
        "refused/no-listener",
        "TCP reset in response to the SYN: no handshake at all",
        "`openssl s_client` to a port without a listener",
        play_refused_connection,
        ("reset",),
    ),
    Scenario(
        "refused/http-answer",
        "cleartext HTTP in response to the ClientHello",
        "a Python server that responds with `400`; `openssl s_client -tls1_2`",
        play_hello_to_http,
        ("sni=api.example.com !0303",),
    ),
]
