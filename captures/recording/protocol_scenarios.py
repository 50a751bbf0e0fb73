"""Versions, suites, resumption and extensions: what a handshake negotiates."""

from . import peers
from .scenario import ATS_SUITES, Scenario, certificate_options, handshake
from .stage import SERVER

OLD = "ALL:@SECLEVEL=0"
FULL = "certs=2 valid trusted data"


def tls12(name, shows, suite, cipher, **more):
    """The scenario of a full TLS 1.2 handshake with the only suite of the server."""
    words = more.pop("words", FULL)
    server = f"-tls1_2 -cipher {cipher} {more.pop('server', '')}".strip()
    return handshake(
        f"tls12/{name}", shows, f"sni=api.example.com 0303 {suite} {words}", server=server, **more
    )


def gnutls(name, shows, priority, *expect):
    """The scenario of gnutls-serv and gnutls-cli, for suites that OpenSSL no longer supports."""

    def play(stage):
        stage.authority.need("legacy")
        with open(stage.path("legacy.pem")) as own, open(stage.path("legacy.chain")) as rest:
            stage.write("legacy-chain.pem", own.read() + rest.read())
        files = ["--x509certfile", "legacy-chain.pem", "--x509keyfile", "legacy.key"]
        stage.start(
            ["gnutls-serv", "--http", "--disable-client-cert", "-p", "443", *files, "--priority", priority],
            443,
        )
        client = ["gnutls-cli", "--insecure", "--priority", "NORMAL:+3DES-CBC:+ARCFOUR-128:%COMPAT"]
        client[-1] += ":+VERS-TLS1.0:+VERS-TLS1.1:+SHA1:+RSA:+SIGN-RSA-SHA1:-VERS-TLS1.3"
        name = ["--sni-hostname", "legacy.example.com", "-p", "443", SERVER]
        stage.run(client + name, text="GET / HTTP/1.0\r\n\r\n", hold=0.5)

    how = f"`gnutls-serv --http --priority {priority}`; `gnutls-cli --insecure`, 3DES and RC4 allowed"
    return Scenario(name, shows, how, play, expect)


def tlslite(name, shows, form, *expect, host="api.example.com", **more):
    """The scenario of tlslite-ng on both sides."""

    def play(stage):
        certificate = "legacy" if form == "ssl3" else "api"
        stage.authority.need(certificate)
        with open(stage.path(certificate + ".pem")) as own, open(stage.path(certificate + ".chain")) as rest:
            stage.write("tlslite-chain.pem", own.read() + rest.read())
        script = peers.__file__.replace("peers.py", "tlslite_peer.py")
        stage.run(
            [stage.python, "-B", script, form, "tlslite-chain.pem", certificate + ".key", SERVER]
            + ["443", host, "keylog"]
        )

    how = f"tlslite-ng on both sides (`recording/tlslite_peer.py {form}`)"
    return Scenario(name, shows, how, play, expect, needs="tlslite", **more)


def resumption(name, shows, *expect, options, keylog=False, decrypted=()):
    """The scenario of a full handshake and of one that resumes its session."""

    def play(stage):
        stage.authority.need("api")
        stage.s_server(f"{certificate_options('api')} {options}")
        log = " -keylogfile keylog" if keylog else ""
        stage.s_client(f"{options} -sess_out session.pem{log}")
        stage.s_client(f"{options} -sess_in session.pem{log}")

    how = f"`openssl s_server {options}`; `openssl s_client {options}` with `-sess_out`, then with `-sess_in`"
    return Scenario(name, shows, how, play, expect, keylog=keylog, decrypted=decrypted)


def play_early_data(stage):
    """Plays early data; s_server does not support it together with `-WWW`, so the server sends its standard input."""
    stage.authority.need("api")
    stage.write("early.txt", "GET /hello.txt HTTP/1.0\r\n\r\n")
    server = stage.s_server(certificate_options("api") + " -tls1_3 -early_data", serve=False)
    for options in ["-sess_out session.pem", "-sess_in session.pem -early_data early.txt"]:
        stage.talk(server, f"-tls1_3 -keylogfile keylog {options}")


def play_no_extended_master_secret(stage):
    """Plays a client without the extension, which Python's ssl module can omit (SSL_OP_NO_EXTENDED_MASTER_SECRET)."""
    stage.authority.need("api")
    stage.s_server(certificate_options("api") + " -tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256")
    peers.python_client(stage, host="api.example.com", options=1)


def play_ticket_forgotten(stage):
    """Restarts the server between two connections, so that its ticket keys are lost."""
    stage.authority.need("api")
    options = certificate_options("api") + " -tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256"
    first = stage.s_server(options)
    stage.s_client("-sess_out session.pem")
    first.kill()
    first.wait()
    stage.s_server(options)
    stage.s_client("-sess_in session.pem")


def play_psk_without_dhe(stage):
    """Plays a resumption without a group in common, which uses the PSK alone (psk_ke)."""
    stage.authority.need("api")
    stage.s_server(certificate_options("api") + " -tls1_3 -allow_no_dhe_kex -groups P-384")
    stage.s_client("-tls1_3 -allow_no_dhe_kex -groups P-384 -sess_out session.pem -keylogfile keylog")
    stage.s_client("-tls1_3 -allow_no_dhe_kex -groups X25519 -sess_in session.pem -keylogfile keylog")


def play_sslv2_hello(stage):
    """Plays a ClientHello in the SSL 2.0 format and the server's flight."""
    stage.authority.need("legacy")
    stage.s_server(certificate_options("legacy") + f" -cipher {OLD}")
    with peers.connect(stage, port=443) as connection:
        peers.sslv2_hello(connection, version=0x0303)


def datagrams(name, shows, version, *expect):
    """The scenario of DTLS between `openssl s_server` and `openssl s_client`."""

    def play(stage):
        stage.authority.need("api-ec")
        options = f"{certificate_options('api-ec')} {version} -cipher {OLD} -mtu 1400"
        server = stage.s_server(options, serve=False, udp=True)
        stage.talk(server, f"{version} -cipher {OLD} -mtu 1400")

    how = f"`openssl s_server {version}`; `openssl s_client {version}`"
    decode = ("udp.port==443,dtls",)
    return Scenario(name, shows, how, play, expect, decode=decode)


def play_unreachable_datagrams(stage):
    """Plays a DTLS client and no server."""
    command = ["openssl", "s_client", "-dtls1_2", "-connect", f"{SERVER}:443", "-servername", "api.example.com"]
    stage.run([*command, "-cipher", OLD], succeeds=False)


SCENARIOS = [
    tlslite(
        "ssl/ssl3", "SSL 3.0, static RSA, no SNI", "ssl3", "0300 002f certs=2 data", host="legacy.example.com"
    ),
    Scenario(
        "ssl/ssl2-hello",
        "a ClientHello in the SSL 2.0 format (offers TLS 1.2); the ServerHello selects TLS 1.2 and static RSA",
        "`openssl s_server -cipher ALL:@SECLEVEL=0`; the ClientHello is made in Python "
        "(`sslv2_hello` in `recording/peers.py`), the client closes after the server's flight",
        play_sslv2_hello,
        ("0303 002f certs=2 !data",),
    ),
    handshake(
        "tls10/ecdhe-rsa",
        "TLS 1.0, the best version that the client offers",
        "sni=legacy.example.com 0301 c014 certs=2 valid trusted data",
        certificate="legacy",
        host="legacy.example.com",
        server="-tls1 -cipher ECDHE-RSA-AES256-SHA:@SECLEVEL=0",
        client=f"-tls1 -cipher {OLD}",
    ),
    handshake(
        "tls10/static-rsa",
        "TLS 1.0 and static RSA chosen by the server although TLS 1.2 is offered",
        "sni=legacy.example.com 0301 002f certs=2 valid trusted data",
        certificate="legacy",
        host="legacy.example.com",
        server="-tls1 -cipher AES128-SHA:@SECLEVEL=0",
        client=f"-min_protocol TLSv1 -max_protocol TLSv1.2 -cipher {OLD}",
    ),
    handshake(
        "tls11/ecdhe-rsa",
        "TLS 1.1",
        "sni=legacy.example.com 0302 c013 certs=2 valid trusted data",
        certificate="legacy",
        host="legacy.example.com",
        server="-tls1_1 -cipher ECDHE-RSA-AES128-SHA:@SECLEVEL=0",
        client=f"-tls1_1 -cipher {OLD}",
    ),
    handshake(
        "tls11/dhe-rsa",
        "TLS 1.1 with DHE; the client offers up to TLS 1.3",
        "sni=legacy.example.com 0302 0039 certs=2 valid trusted data",
        certificate="legacy",
        host="legacy.example.com",
        server="-tls1_1 -cipher DHE-RSA-AES256-SHA:@SECLEVEL=0",
        client=f"-min_protocol TLSv1 -cipher {OLD}",
    ),
    tls12(
        "ecdhe-rsa-gcm",
        "TLS 1.2 that meets the requirements of ATS; the base of `variants/`",
        "c02f",
        "ECDHE-RSA-AES128-GCM-SHA256",
        client=f"-tls1_2 -cipher {ATS_SUITES}",
        words=FULL + " ems key=rsa:2048 sig=sha256WithRSAEncryption !alpn=h2",
    ),
    tls12("tls13-offered", "TLS 1.2 although the client offers 1.3", "c030", "ECDHE-RSA-AES256-GCM-SHA384"),
    tls12(
        "ecdhe-ecdsa-gcm",
        "ECDSA, P-256",
        "c02b",
        "ECDHE-ECDSA-AES128-GCM-SHA256",
        certificate="api-ec",
        words=FULL + " key=ec:256",
    ),
    tls12(
        "ecdhe-ecdsa-gcm-p384",
        "ECDSA, P-384",
        "c02c",
        "ECDHE-ECDSA-AES256-GCM-SHA384",
        certificate="api-ec384",
        words=FULL + " key=ec:384 sig=sha384WithRSAEncryption",
    ),
    tls12("ecdhe-rsa-chacha20", "ChaCha20-Poly1305", "cca8", "ECDHE-RSA-CHACHA20-POLY1305"),
    tls12(
        "ecdhe-rsa-cbc-sha256",
        "a CBC suite with SHA-256, which ATS allows only before iOS 15.4",
        "c027",
        "ECDHE-RSA-AES128-SHA256",
    ),
    tls12(
        "ecdhe-ecdsa-cbc-sha384",
        "a CBC suite with SHA-384, which ATS allows only before iOS 15.4",
        "c024",
        "ECDHE-ECDSA-AES256-SHA384",
        certificate="api-ec",
    ),
    tls12(
        "ecdhe-rsa-cbc-with-sha1",
        "a CBC suite with SHA-1, which ATS still allows",
        "c013",
        "ECDHE-RSA-AES128-SHA",
    ),
    tls12("static-rsa-gcm", "static RSA: no forward secrecy", "009c", "AES128-GCM-SHA256"),
    tls12(
        "static-rsa-only-offer",
        "static RSA; the client offers nothing better",
        "009c",
        "AES128-GCM-SHA256",
        client="-tls1_2 -cipher AES128-GCM-SHA256:AES128-SHA",
    ),
    tls12("static-rsa-cbc-sha256", "static RSA, CBC with SHA-256", "003d", "AES256-SHA256"),
    tls12(
        "dhe-rsa-gcm",
        "DHE: forward secrecy, but not an ATS suite",
        "009e",
        "DHE-RSA-AES128-GCM-SHA256",
    ),
    tls12(
        "ecdhe-ecdsa-ccm",
        "AES-CCM",
        "c0ac",
        "ECDHE-ECDSA-AES128-CCM",
        certificate="api-ec",
        client="-tls1_2 -cipher ECDHE-ECDSA-AES128-CCM",
    ),
    tls12(
        "null-encryption",
        "authenticated but not encrypted",
        "003b",
        "NULL-SHA256:@SECLEVEL=0",
        client="-tls1_2 -cipher eNULL:@SECLEVEL=0",
    ),
    tls12(
        "anonymous",
        "anonymous Diffie-Hellman: no certificate at all",
        "00a6",
        "ADH-AES128-GCM-SHA256:@SECLEVEL=0",
        certificate=None,
        client="-tls1_2 -cipher aNULL:@SECLEVEL=0",
        words="!certs=1 data",
    ),
    tls12(
        "pre-shared-key",
        "a pre-shared key instead of a certificate",
        "00a8",
        "PSK-AES128-GCM-SHA256",
        certificate=None,
        server="-psk 00112233445566778899aabbccddeeff",
        client="-tls1_2 -cipher PSK-AES128-GCM-SHA256 -psk 00112233445566778899aabbccddeeff",
        words="!certs=1 data",
    ),
    tls12(
        "server-signs-sha1",
        "the ServerKeyExchange is signed with SHA-1",
        "c02f",
        "ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0",
        client="-tls1_2 -cipher ALL:@SECLEVEL=0 -sigalgs RSA+SHA1",
    ),
    Scenario(
        "tls12/no-extended-master-secret",
        "TLS 1.2 without extended_master_secret",
        "`openssl s_server -tls1_2`; Python's ssl module with SSL_OP_NO_EXTENDED_MASTER_SECRET",
        play_no_extended_master_secret,
        ("sni=api.example.com 0303 c02f certs=2 valid trusted data !ems",),
    ),
    handshake(
        "tls12/no-sni",
        "no server_name; the server has a public address",
        "0303 c030 certs=2 valid trusted data !sni=api.example.com",
        host=None,
        server="-tls1_2",
        client="-tls1_2",
    ),
    gnutls(
        "tls12/ecdhe-rsa-3des",
        "3DES with ECDHE",
        "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+3DES-CBC",
        "sni=legacy.example.com 0303 c012 certs=2 data",
    ),
    gnutls(
        "tls10/static-rsa-3des",
        "3DES with static RSA in TLS 1.0",
        "NORMAL:-VERS-ALL:+VERS-TLS1.0:-CIPHER-ALL:+3DES-CBC:-KX-ALL:+RSA",
        "sni=legacy.example.com 0301 000a certs=2 data",
    ),
    gnutls(
        "tls12/static-rsa-rc4",
        "RC4",
        "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+ARCFOUR-128:-KX-ALL:+RSA",
        "sni=legacy.example.com 0303 0005 certs=2 data",
    ),
    handshake(
        "tls13/x25519",
        "TLS 1.3, X25519",
        "sni=api.example.com 0304 1302 group=29 data !certs=2",
        server="-tls1_3",
        keylog=True,
        decrypted=("sni=api.example.com 0304 1302 certs=2 valid trusted data",),
    ),
    handshake(
        "tls13/ecdsa-p256",
        "TLS 1.3, secp256r1, ECDSA certificate",
        "sni=api.example.com 0304 1301 group=23 data",
        certificate="api-ec",
        server="-tls1_3 -ciphersuites TLS_AES_128_GCM_SHA256",
        client="-groups P-256:X25519",
        keylog=True,
        decrypted=("0304 1301 certs=2 key=ec:256 valid data",),
    ),
    handshake(
        "tls13/chacha20",
        "TLS 1.3, ChaCha20-Poly1305",
        "sni=api.example.com 0304 1303 group=29 data",
        server="-tls1_3 -ciphersuites TLS_CHACHA20_POLY1305_SHA256",
        keylog=True,
        decrypted=("0304 1303 certs=2 valid trusted data",),
    ),
    handshake(
        "tls13/ccm",
        "TLS 1.3 with AES-CCM, not an ATS suite",
        "sni=api.example.com 0304 1304 data",
        server="-tls1_3 -ciphersuites TLS_AES_128_CCM_SHA256",
        client="-ciphersuites TLS_AES_128_CCM_SHA256",
        keylog=True,
        decrypted=("0304 1304 certs=2 valid trusted data",),
    ),
    handshake(
        "tls13/hello-retry",
        "HelloRetryRequest: the server requires another group",
        "sni=api.example.com hrr 0304 1302 group=24 data",
        server="-tls1_3 -groups P-384",
        client="-groups X25519:P-384",
        keylog=True,
        decrypted=("hrr 0304 1302 certs=2 valid trusted data",),
    ),
    handshake(
        "tls13/no-sni",
        "TLS 1.3 without server_name",
        "0304 1302 data !sni=api.example.com",
        host=None,
        server="-tls1_3",
        keylog=True,
        decrypted=("0304 1302 certs=2 valid trusted data",),
    ),
    tlslite(
        "tls13/hybrid-group",
        "the hybrid group X25519MLKEM768",
        "hybrid",
        "sni=api.example.com 0304 1301 group=4588 data",
        keylog=True,
        decrypted=("0304 1301 certs=2 valid trusted data",),
    ),
    tlslite(
        "tls13/compressed-zlib",
        "CompressedCertificate with zlib, visible with the key log",
        "zlib",
        "sni=api.example.com 0304 1301 data",
        keylog=True,
        decrypted=("0304 1301 compressed=1 data",),
    ),
    tlslite(
        "tls13/compressed-brotli",
        "CompressedCertificate with brotli, visible with the key log",
        "brotli",
        "sni=api.example.com 0304 1301 data",
        keylog=True,
        decrypted=("0304 1301 compressed=2 data",),
    ),
    tlslite(
        "tls13/compressed-zstd",
        "CompressedCertificate with zstd, visible with the key log",
        "zstd",
        "sni=api.example.com 0304 1301 data",
        keylog=True,
        decrypted=("0304 1301 compressed=3 data",),
    ),
    resumption(
        "resumption/tls12-session-id",
        "a full handshake and one resumed by session ID",
        "sni=api.example.com 0303 c02f certs=2 valid trusted data !resumed=id",
        "sni=api.example.com 0303 c02f resumed=id data !certs=2",
        options="-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256 -no_ticket",
    ),
    resumption(
        "resumption/tls12-ticket",
        "a full handshake and one resumed by ticket",
        "sni=api.example.com 0303 c02f certs=2 valid trusted data !resumed=ticket",
        "sni=api.example.com 0303 c02f resumed=ticket data !certs=2",
        options="-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256",
    ),
    Scenario(
        "resumption/tls12-ticket-forgotten",
        "a ticket whose key the server has lost: the second handshake is full, too",
        "`openssl s_server -tls1_2`, restarted between `openssl s_client -sess_out` and `-sess_in`",
        play_ticket_forgotten,
        ("sni=api.example.com 0303 c02f certs=2 valid trusted data *2",),
    ),
    resumption(
        "resumption/tls13-psk",
        "a full TLS 1.3 handshake and one resumed by PSK with (EC)DHE",
        "sni=api.example.com 0304 1302 group=29 data !psk",
        "sni=api.example.com 0304 1302 group=29 psk data",
        options="-tls1_3",
        keylog=True,
        decrypted=("0304 certs=2 valid trusted data", "0304 psk data !certs=2"),
    ),
    Scenario(
        "resumption/tls13-early-data",
        "a full TLS 1.3 handshake and one resumed with early data (0-RTT)",
        "`openssl s_server -tls1_3 -early_data`; `openssl s_client -tls1_3` with `-sess_out`, then with "
        "`-sess_in -early_data`",
        play_early_data,
        (
            "sni=api.example.com 0304 1302 data !early-data-offered",
            "sni=api.example.com early-data-offered 0304 1302 psk data",
        ),
        decrypted=("certs=2", "end-of-early-data"),
        keylog=True,
    ),
    Scenario(
        "resumption/tls13-psk-without-dhe",
        "a TLS 1.3 session resumed with the PSK alone (psk_ke): no key share, no forward secrecy",
        "`openssl s_server -tls1_3 -allow_no_dhe_kex -groups P-384`; `s_client -allow_no_dhe_kex` with "
        "`-groups P-384 -sess_out`, then `-groups X25519 -sess_in`",
        play_psk_without_dhe,
        (
            "sni=api.example.com 0304 1302 group=24 data",
            "sni=api.example.com 0304 1302 psk data !group=24 !group=29",
        ),
        keylog=True,
    ),
    datagrams("dtls/dtls-1.2-gcm", "DTLS 1.2", "-dtls1_2", "sni=api.example.com fefd c02c certs=2 data"),
    Scenario(
        "dtls/unreachable",
        "nothing listens on the port: the response to the ClientHello is an ICMP error",
        "`openssl s_client -dtls1_2`",
        play_unreachable_datagrams,
        ("sni=api.example.com",),
        decode=("udp.port==443,dtls",),
        packets="udp or icmp",
    ),
    datagrams("dtls/dtls-1.0-cbc", "DTLS 1.0", "-dtls1", "sni=api.example.com feff c00a certs=2 data"),
]
