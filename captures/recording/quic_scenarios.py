"""QUIC between a client and a server of aioquic."""

from . import peers
from .scenario import Scenario
from .stage import SERVER


def quic(name, shows, form, *expect, decrypted=()):
    """The scenario of one form of `quic_peer.py`."""

    def play(stage):
        certificate = "unlisted" if form == "refused" else "api"
        host = "private.example.net" if form == "refused" else "api.example.com"
        stage.authority.need(certificate)
        with open(stage.path(certificate + ".pem")) as own, open(stage.path(certificate + ".chain")) as rest:
            stage.write("quic-chain.pem", own.read() + rest.read())
        script = peers.__file__.replace("peers.py", "quic_peer.py")
        stage.run(
            [stage.python, "-B", script, form, "quic-chain.pem", certificate + ".key", SERVER]
            + ["443", host, "keylog"]
        )

    return Scenario(
        name=f"quic/{name}",
        shows=shows,
        how=f"aioquic on both sides (`recording/quic_peer.py {form}`)",
        play=play,
        expect=expect,
        decrypted=decrypted,
        needs="aioquic",
        keylog=form not in ("unreachable", "other-version"),
        packets="udp or icmp" if form == "unreachable" else "tcp or udp",
    )


OPEN = "sni=api.example.com 0304 1302"

SCENARIOS = [
    quic(
        "version-1",
        "QUIC version 1",
        "v1",
        OPEN + " quic=0x00000001 !certs=2",
        decrypted=("certs=2 valid trusted alpn=h3",),
    ),
    quic(
        "version-two",
        "QUIC version 2 (RFC 9369)",
        "v2",
        OPEN + " quic=0x6b3343cf",
        decrypted=("certs=2 valid trusted alpn=h3",),
    ),
    quic(
        "unreachable",
        "nothing listens on the port: the response to each Initial packet is an ICMP error",
        "unreachable",
        "sni=api.example.com quic=0x00000001",
    ),
    quic(
        "other-version",
        "a version that atscope does not read (Q050): the server's Version Negotiation lists no version that the client supports",
        "other-version",
        "quic=0x51303530 quic=0x00000000",
    ),
    quic(
        "retry",
        "the server requires a token first (Retry); aioquic makes a new ClientHello for its second "
        "attempt, for which tshark 4.0 does not find the secrets in the key log",
        "retry",
        OPEN + " quic=0x00000001 retry",
    ),
    quic(
        "negotiation",
        "the client begins with a version that the server does not support: Version Negotiation, then version 1; "
        "tshark 4.0 does not decrypt the second Initial packet",
        "negotiation",
        "quic=0x1a2a3a4a quic=0x00000000 quic=0x00000001 0304 1302",
    ),
    quic(
        "resumed",
        "a full handshake and one resumed by PSK",
        "resumed",
        OPEN + " !psk",
        OPEN + " psk",
        decrypted=("certs=2 valid trusted", "!certs=2"),
    ),
    quic(
        "refused",
        "the client does not trust the root: closed with bad_certificate, visible with the key log",
        "refused",
        "sni=private.example.net 0304 1302",
        decrypted=("certs=2 valid untrusted client-close=298",),
    ),
    quic(
        "no-shared-alpn",
        "no application protocol in common: CONNECTION_CLOSE, visible without a key log",
        "no-alpn",
        "sni=api.example.com !0304 server-close=376",
    ),
]
