"""FTP over TLS: control connections and their data connections."""

import functools
import os

from .scenario import Scenario
from .stage import SERVER

PROFTPD = """
ServerType standalone
ServerName "Example FTP"
ServerIdent on "Example FTP ready"
DefaultAddress {address}
Port {port}
UseReverseDNS off
UseIPv6 off
User root
Group root
RootLogin on
PidFile {directory}/proftpd.pid
ScoreboardFile {directory}/proftpd.scoreboard
SystemLog {directory}/server.log
WtmpLog off
RequireValidShell off
PassivePorts 2000 2009
LoadModule mod_tls.c
AuthOrder mod_auth_file.c
AuthUserFile {directory}/ftp.passwd
TLSEngine on
TLSLog {directory}/tls.log
TLSProtocol {versions}
TLSRSACertificateFile {directory}/ftp.pem
TLSCertificateChainFile {directory}/ftp.chain
TLSRSACertificateKeyFile {directory}/ftp.key
TLSVerifyClient off
TLSRequired auth
{options}
"""
HOST = "ftp.example.com"
DECODE = tuple(f"tcp.port=={port},tls" for port in (20, 21, *range(2000, 2010)))


def proftpd(stage, *, versions, port, options):
    """Starts ProFTPD for one user, whose home is the working directory."""
    stage.authority.need("ftp")
    stage.write("hello.txt", "hello\n")
    password = stage.run(["openssl", "passwd", "-6", "key"]).decode().strip()
    stage.write("ftp.passwd", f"user:{password}:0:0::{stage.directory}:/bin/sh\n")
    for name in ["ftp.passwd", "ftp.key"]:
        stage.run(["chmod", "600", name])
    settings = dict(directory=stage.directory, address=SERVER, port=port, versions=versions)
    stage.write("proftpd.conf", PROFTPD.format(options="\n".join(options), **settings))
    stage.start(["proftpd", "-n", "-c", stage.path("proftpd.conf")], port)


def play(stage, *, arguments, versions, port, options):
    proftpd(stage, versions=versions, port=port, options=options)
    scheme = "ftps" if port == 990 else "ftp"
    fixed = ["--resolve", f"{HOST}:{port}:{SERVER}", "--cacert", "root.pem", "--max-time", "8"]
    url = f"{scheme}://user:key@{HOST}:{port}/hello.txt"
    stage.run(["curl", "-sS", "--ssl-reqd", *fixed, *arguments.split(), url])


def play_active(stage, *, cleared, versions, port, options):
    """Plays active mode with Python's ftplib, since this version of curl does not accept TLS connections of the server."""
    proftpd(stage, versions=versions, port=port, options=options)
    stage.run([stage.python, os.path.join(os.path.dirname(__file__), "ftp_peer.py"), "cleared" if cleared else "resumed"])


def ftp(name, shows, arguments, *expect, versions="TLSv1.2", port=21, options=()):
    """The scenario of curl loading one file from ProFTPD."""
    shown = "".join(f", `{option}`" for option in options)
    return Scenario(
        f"ftp/{name}",
        shows,
        f"ProFTPD (`TLSProtocol {versions}`{shown}); `curl --ssl-reqd {arguments}`",
        functools.partial(play, arguments=arguments, versions=versions, port=port, options=options),
        expect,
        decode=DECODE,
    )


def active(name, shows, *expect, cleared, options=()):
    """The scenario of Python's ftplib and ProFTPD in active mode."""
    settings = dict(versions="TLSv1.2", port=21, options=options)
    shown = "".join(f", `{option}`" for option in options)
    return Scenario(
        f"ftp/{name}",
        shows,
        f"ProFTPD (`TLSProtocol TLSv1.2`{shown}); Python's ftplib (`recording/ftp_peer.py`)",
        functools.partial(play_active, cleared=cleared, **settings),
        expect,
        decode=DECODE,
    )


CONTROL = f"sni={HOST} 0303 certs=2 valid trusted data"
RESUMED = f"sni={HOST} 0303 resumed=id"
CLEARED = "TLSOptions NoSessionReuseRequired"

SCENARIOS = [
    ftp(
        "resumed-session",
        "FTP with AUTH TLS; the data connection resumes the session of the control connection (TLS 1.2)",
        "--tls-max 1.2",
        CONTROL,
        RESUMED,
    ),
    ftp(
        "resumed-key",
        "the same with TLS 1.3: the data connection offers a PSK of the control connection's session",
        "--tlsv1.3",
        f"sni={HOST} 0304 data",
        f"sni={HOST} 0304 psk data",
        versions="TLSv1.3",
    ),
    ftp(
        "implicit",
        "implicit FTPS on port 990; the data connection resumes the session of the control connection",
        "--tls-max 1.2",
        CONTROL,
        RESUMED,
        port=990,
        options=("TLSOptions UseImplicitSSL",),
    ),
    active(
        "active",
        "active mode: the server opens the data connection, on which the client sends the ClientHello",
        CONTROL,
        f"sni={HOST}",
        cleared=False,
    ),
    ftp(
        "cleared-passive",
        "CCC ends TLS on the control connection, which then announces the data connection in cleartext "
        "(EPSV); nothing is resumed",
        "--tls-max 1.2 --ftp-ssl-ccc-mode active --no-sessionid",
        CONTROL,
        CONTROL.replace(" data", ""),
        options=(CLEARED,),
    ),
    active(
        "cleared-active",
        "the same in active mode (PORT)",
        CONTROL,
        f"sni={HOST}",
        cleared=True,
        options=(CLEARED,),
    ),
]
