"""A row of the tables of scenarios, and the scenario of one handshake between openssl's own tools."""

import dataclasses
from typing import Callable

from .authority import PROFILES
from .stage import SERVER


@dataclasses.dataclass(frozen=True)
class Scenario:
    """A capture to record: what it shows, how it is made, and what tshark must find in it."""

    name: str
    shows: str
    how: str
    play: Callable
    expect: tuple
    decrypted: tuple = ()
    decode: tuple = ()
    packets: str = "tcp or udp"
    needs: str = ""
    keylog: bool = False


# The AEAD suites that a client under ATS offers up to TLS 1.2.
ATS_SUITES = (
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-CHACHA20-POLY1305"
)


# Everything that iOS 15.4 and later offer under ATS, except hybrid groups and signature schemes with SHA-1.
DEVICE_OFFER = (
    "-min_protocol TLSv1.2 -ciphersuites TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256 "
    f"-cipher {ATS_SUITES}:ECDHE-ECDSA-AES256-SHA:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES256-SHA:ECDHE-RSA-AES128-SHA "
    "-groups X25519:P-256:P-384:P-521 -sigalgs ecdsa_secp256r1_sha256:rsa_pss_rsae_sha256:rsa_pkcs1_sha256:"
    "ecdsa_secp384r1_sha384:rsa_pss_rsae_sha384:rsa_pkcs1_sha384:rsa_pss_rsae_sha512:rsa_pkcs1_sha512"
)


def command(line):
    """A command line as the README.md shows it, with short names for the long lists."""
    return f"`{line.replace(DEVICE_OFFER, 'DEVICE').replace(ATS_SUITES, 'ATS').strip()}`"


def certificate_options(certificate):
    """The options of `openssl s_server` for a certificate and its chain."""
    if certificate is None:
        return "-nocert"
    chain = f" -cert_chain {certificate}.chain" if PROFILES[certificate].sends else ""
    return f"-cert {certificate}.pem -key {certificate}.key{chain}"


def handshake(
    name,
    shows,
    *expect,
    server="",
    client="",
    certificate="api",
    host="api.example.com",
    address=SERVER,
    port=443,
    succeeds=True,
    keylog=False,
    decrypted=(),
    decode=(),
    serve=True,
    text=None,
    prepare=None,
):
    """The scenario of one handshake between `openssl s_server` and `openssl s_client` with these additional options."""
    options = f"{certificate_options(certificate)} {server}".strip()

    def play(stage):
        if certificate is not None:
            stage.authority.need(certificate)
        if prepare is not None:
            prepare(stage)
        stage.s_server(options, address=address, port=port, serve=serve)
        log = " -keylogfile keylog" if keylog else ""
        stage.s_client(client + log, address=address, port=port, host=host, succeeds=succeeds, text=text)

    identity = f"-servername {host}" if host else "-noservername"
    shown = f" with `{certificate}`" if certificate else " without a certificate"
    return Scenario(
        name=name,
        shows=shows,
        how=command(f"openssl s_server {server}") + shown + "; " + command(f"s_client {identity} {client}"),
        play=play,
        expect=expect,
        decrypted=decrypted,
        decode=decode,
        keylog=keylog,
    )
