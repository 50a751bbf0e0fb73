"""Chromium as the client: GREASE, shuffled extensions, a post-quantum group, HTTP/3."""

import base64
import hashlib

from . import application_scenarios, peers
from .scenario import Scenario, certificate_options
from .stage import SERVER

FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-extensions --disable-dev-shm-usage "
    "--disable-features=AsyncDns,HttpsUpgrades,OptimizationHints"
)
# The browser can resolve only these names, so that it loads nothing but the page.
RULES = "MAP api.example.com {server}, MAP private.example.net {server}, MAP wrong.example.org {server}, MAP * ~NOTFOUND"


def load(stage, *urls, extra="", trusting=True, keylog=True):
    """Loads pages one after another, each in a new browser; with `keylog`, their secrets go to the key log."""
    for number, url in enumerate(urls):
        command = ["chromium"] + FLAGS.split() + extra.split()
        command += [f"--user-data-dir={stage.path(f'profile-{number}')}"]
        command += ["--host-resolver-rules=" + RULES.format(server=SERVER)]
        command += ["--ignore-certificate-errors"] if trusting else []
        command += ["--ssl-key-log-file=" + stage.path("keylog")] if keylog else []
        stage.run(command + ["--timeout=3000", "--dump-dom", url])


def with_nginx(name, shows, versions, *expect, url="https://api.example.com/", decrypted=(), http2=True):
    """The scenario of nginx, with these TLS versions, and Chromium."""
    keylog = "1.3" in versions

    def play(stage):
        application_scenarios.nginx(stage, versions=versions, http2=http2)
        load(stage, url, extra="--disable-quic", keylog=keylog)

    return Scenario(
        name=f"chromium/{name}",
        shows=shows,
        how=f"nginx ({versions}); Chromium, certificate errors ignored",
        play=play,
        expect=expect,
        decrypted=decrypted,
        packets=f"host {SERVER}",
        keylog=keylog,
    )


def refused(name, shows, version, certificate, host, *expect, decrypted=()):
    """The scenario of `openssl s_server` with a certificate that Chromium rejects."""
    keylog = version == "-tls1_3"

    def play(stage):
        stage.authority.need(certificate)
        stage.s_server(f"{certificate_options(certificate)} {version}")
        load(stage, f"https://{host}/hello.txt", extra="--disable-quic", trusting=False, keylog=keylog)

    return Scenario(
        name=f"chromium/{name}",
        shows=shows,
        how=f"`openssl s_server {version}` with `{certificate}`; Chromium",
        play=play,
        expect=expect,
        decrypted=decrypted,
        packets=f"host {SERVER}",
        keylog=keylog,
    )


def peer_command(stage, script, *arguments):
    """A command that runs a script beside this file, with the chain of `api`."""
    stage.authority.need("api")
    with open(stage.path("api.pem")) as own, open(stage.path("api.chain")) as rest:
        stage.write("peer-chain.pem", own.read() + rest.read())
    return [stage.python, "-B", peers.__file__.replace("peers.py", script), *arguments]


QUIC = "--enable-quic --origin-to-force-quic-on=api.example.com:443"


def http3_server(stage, *more):
    """Starts the HTTP/3 server."""
    command = peer_command(stage, "http3_peer.py", "peer-chain.pem", "api.key", SERVER, "443", *more)
    stage.start(command, 443, udp=True)


def play_http3(stage, *more):
    # Over QUIC, Chromium ignores certificate errors only for the public keys on its command line.
    http3_server(stage, *more)
    key = stage.authority.openssl("x509", "-in", "api.pem", "-noout", "-pubkey")
    der = base64.b64decode(b"".join(key.splitlines()[1:-1]))
    digest = base64.b64encode(hashlib.sha256(der).digest()).decode()
    load(
        stage,
        "https://api.example.com/",
        extra=f"{QUIC} --ignore-certificate-errors-spki-list={digest}",
        trusting=False,
    )


def play_http3_refused(stage):
    http3_server(stage)
    load(stage, "https://api.example.com/", extra=QUIC)


def play_hybrid(stage):
    command = peer_command(stage, "hybrid_peer.py", "peer-chain.pem", "api.key", SERVER, "443")
    stage.start(command, 443)
    load(stage, "https://api.example.com/", extra="--disable-quic")


SCENARIOS = [
    with_nginx(
        "tls12-only-server",
        "TLS 1.2 with a browser that offers TLS 1.3: GREASE, shuffled extensions, GREASE Encrypted ClientHello",
        "TLSv1.2",
        "sni=api.example.com 0303 c02f certs=2 valid trusted alpn=h2 ems data",
        "sni=api.example.com 0303 c02f certs=2 valid trusted alpn=h2 ems",
    ),
    with_nginx(
        "tls13",
        "TLS 1.3, decrypted with the key log",
        "TLSv1.3",
        "sni=api.example.com 0304 1301 !certs=2 data",
        decrypted=("certs=2 valid trusted",),
    ),
    Scenario(
        name="chromium/http3",
        shows="HTTP/3: a ClientHello in two Initial packets with its CRYPTO frames shuffled, decrypted with the key log",
        how="aioquic as the server (`recording/http3_peer.py`); Chromium with the hash of the server's key",
        play=play_http3,
        expect=("quic=0x00000001",),
        decrypted=("quic=0x00000001",),
        packets=f"host {SERVER}",
        needs="aioquic",
        keylog=True,
    ),
    Scenario(
        name="chromium/http3-retry",
        shows="the same with a server that first requires a token: a Retry for each of the two packets of the ClientHello",
        how="aioquic as the server (`recording/http3_peer.py … retry`); Chromium with the hash of the server's key",
        play=lambda stage: play_http3(stage, "retry"),
        expect=("quic=0x00000001 retry",),
        packets=f"host {SERVER}",
        needs="aioquic",
        keylog=True,
    ),
    Scenario(
        name="chromium/http3-refused",
        shows="HTTP/3, closed by a browser that does not trust the root; visible with the key log",
        how="aioquic as the server (`recording/http3_peer.py`); Chromium",
        play=play_http3_refused,
        expect=("quic=0x00000001",),
        decrypted=("certs=2 valid client-close=302",),
        packets=f"host {SERVER}",
        needs="aioquic",
        keylog=True,
    ),
    Scenario(
        name="chromium/hybrid-group",
        shows="TLS 1.3 with the post-quantum group X25519MLKEM768",
        how="pyOpenSSL as the server (`recording/hybrid_peer.py`); Chromium, certificate errors ignored",
        play=play_hybrid,
        expect=("sni=api.example.com 0304 group=4588 data*2",),
        decrypted=("certs=2", "psk"),
        packets=f"host {SERVER}",
        needs="OpenSSL",
        keylog=True,
    ),
    refused(
        "unknown-ca",
        "refused by a browser that does not trust the root; cleartext alert",
        "-tls1_2",
        "unlisted",
        "private.example.net",
        "sni=private.example.net 0303 certs=2 untrusted client-alert=46*2",
    ),
    refused(
        "unknown-ca-in-tls13",
        "the same in TLS 1.3: the alert is encrypted",
        "-tls1_3",
        "unlisted",
        "private.example.net",
        "sni=private.example.net 0304*2",
        decrypted=("client-alert=46*2",),
    ),
    refused(
        "wrong-host",
        "refused by a browser because of the host name; cleartext alert",
        "-tls1_2",
        "api",
        "wrong.example.org",
        "sni=wrong.example.org 0303 certs=2 client-alert=46*2",
    ),
]
