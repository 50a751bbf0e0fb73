"""GnuTLS on both sides, for what OpenSSL does not do or does differently."""

import os

from .scenario import Scenario
from .stage import SERVER

TLS12 = "NORMAL:-VERS-ALL:+VERS-TLS1.2"
TLS13 = "NORMAL:-VERS-ALL:+VERS-TLS1.3"
RAW = ":-CTYPE-ALL:+CTYPE-SRV-RAWPK:+CTYPE-CLI-X509"


def raw_key(stage):
    """Makes a key pair for use without a certificate."""
    stage.authority.openssl(
        "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "raw.key"
    )
    stage.authority.openssl("pkey", "-in", "raw.key", "-pubout", "-out", "raw.pub")


def gnutls(name, shows, priority, *expect, server="", client="", prepare=None, keylog=False, decrypted=()):
    """The scenario of gnutls-serv and gnutls-cli with these additional options."""

    def play(stage):
        stage.authority.need("api")
        with open(stage.path("api.pem")) as own, open(stage.path("api.chain")) as rest:
            stage.write("gnutls-chain.pem", own.read() + rest.read())
        files = ["--x509certfile", "gnutls-chain.pem", "--x509keyfile", "api.key"]
        if prepare is not None:
            prepare(stage)
            files = ["--rawpkkeyfile", "raw.key", "--rawpkfile", "raw.pub"]
        stage.start(["gnutls-serv", "--http", "-p", "443", *files, "--priority", priority] + server.split(), 443)
        # gnutls-cli has no option for the key log.
        if keylog:
            os.environ["SSLKEYLOGFILE"] = stage.path("keylog")
        try:
            command = ["gnutls-cli", "--insecure", "--priority", priority, "-p", "443"] + client.split()
            stage.run(
                command + ["--sni-hostname", "api.example.com", SERVER],
                text="GET / HTTP/1.0\r\n\r\n",
                hold=0.5,
                succeeds=False,
            )
        finally:
            os.environ.pop("SSLKEYLOGFILE", None)

    return Scenario(
        name=f"gnutls/{name}",
        shows=shows,
        how=f"`gnutls-serv --http {server} --priority {priority}`; `gnutls-cli --insecure {client}`".replace("  ", " "),
        play=play,
        expect=expect,
        decrypted=decrypted,
        keylog=keylog,
    )


SCENARIOS = [
    gnutls(
        "certificate-declined",
        "TLS 1.3 with a client that sends no certificate when requested: its first encrypted record is nearly as "
        "short as an alert, but nothing is refused",
        TLS13,
        "sni=api.example.com 0304 1302 !certs=2 data",
        keylog=True,
        decrypted=("certs=2 valid trusted requests-client",),
    ),
    gnutls(
        "raw-public-key",
        "a public key without a certificate (RFC 7250)",
        TLS12 + RAW,
        "sni=api.example.com 0303 c02c no-certificate data",
        server="--disable-client-cert",
        prepare=raw_key,
    ),
    gnutls(
        "raw-public-key-in-tls13",
        "the same in TLS 1.3, visible with the key log",
        TLS13 + RAW,
        "sni=api.example.com 0304 1302 data",
        server="--disable-client-cert",
        prepare=raw_key,
        keylog=True,
        decrypted=("no-certificate",),
    ),
    gnutls(
        "heartbeat",
        "the heartbeat extension, and a heartbeat message",
        TLS12,
        "sni=api.example.com 0303 certs=2 valid trusted data",
        server="--disable-client-cert --heartbeat",
        client="--heartbeat",
    ),
    gnutls(
        "resumed",
        "a full TLS 1.2 handshake and one resumed by ticket",
        TLS12,
        "sni=api.example.com 0303 certs=2",
        "sni=api.example.com 0303 resumed=ticket",
        server="--disable-client-cert",
        client="--resume",
    ),
    gnutls(
        "finite-field",
        "TLS 1.3 with a finite-field group, ffdhe3072",
        TLS13 + ":-GROUP-ALL:+GROUP-FFDHE3072",
        "sni=api.example.com 0304 1302 group=257 data",
        server="--disable-client-cert",
    ),
]
