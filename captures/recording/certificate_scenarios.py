"""Certificates: keys, signatures, names, dates, chains, stapled responses and client certificates."""

from .scenario import handshake

SUITE = "-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"
CLIENT = "-tls1_2 -cipher ALL:@SECLEVEL=0"


def certificate(name, shows, profile, words, *, host="api.example.com", server=SUITE, client=CLIENT, **more):
    """The scenario of a TLS 1.2 handshake that shows one certificate."""
    words = words if "untrusted" in words else words + " trusted"
    expect = f"sni={host} 0303 data {words}" if host else f"0303 data {words}"
    return handshake(
        f"certificates/{name}",
        shows,
        expect,
        certificate=profile,
        host=host,
        server=server,
        client=client,
        **more,
    )


def stapled(name, shows, profile, host, *expect, revoke=False, tls="-tls1_2", **more):
    """The scenario of a handshake with a stapled OCSP response."""

    def prepare(stage):
        if revoke:
            stage.authority.revoke(profile)
        stage.authority.staple(profile, "staple.der")

    return handshake(
        f"ocsp/{name}",
        shows,
        *expect,
        certificate=profile,
        host=host,
        server=f"{tls} -status_file staple.der",
        client=f"{tls} -status",
        prepare=prepare,
        **more,
    )


def client_certificate(name, shows, *expect, server, client="", tls="-tls1_2", succeeds=True, **more):
    """The scenario of a handshake in which the server requests a client certificate."""
    return handshake(
        f"client-certificates/{name}",
        shows,
        *expect,
        server=f"{tls} -CAfile root.pem {server}",
        client=f"{tls} {client}".strip(),
        succeeds=succeeds,
        prepare=lambda stage: stage.authority.need("client"),
        **more,
    )


GIVEN = "-cert client.pem -key client.key -cert_chain client.chain"

SCENARIOS = [
    certificate(
        "short-rsa-key",
        "RSA key of 1024 bits",
        "rsa1024",
        "certs=2 key=rsa:1024 valid",
        host="legacy.example.com",
    ),
    certificate(
        "rsa-2040",
        "RSA key of 2040 bits, one byte too short",
        "rsa2040",
        "certs=2 key=rsa:2040 valid",
        host="legacy.example.com",
    ),
    certificate(
        "sha1",
        "leaf signed with SHA-1",
        "sha1",
        "certs=2 sig=sha1WithRSAEncryption valid",
        host="legacy.example.com",
    ),
    certificate(
        "sha1-issuer",
        "intermediate signed with SHA-1",
        "sha1-issuer",
        "certs=2 sig=sha256WithRSAEncryption valid",
        host="legacy.example.com",
    ),
    certificate(
        "md5",
        "leaf signed with MD5",
        "md5",
        "certs=2 sig=md5WithRSAEncryption valid",
        host="legacy.example.com",
    ),
    certificate(
        "rsassa-pss", "leaf signed with RSASSA-PSS and SHA-256", "api-pss", "certs=2 sig=rsassaPss valid"
    ),
    certificate(
        "ed25519",
        "Ed25519 key",
        "api-ed25519",
        "certs=2 key=ED25519 valid",
        server="-tls1_2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256",
    ),
    certificate(
        "expired", "expired leaf", "expired", "certs=2 expired untrusted", host="expired.example.com"
    ),
    certificate(
        "expired-issuer",
        "valid leaf, expired issuer",
        "expired-issuer",
        "certs=2 valid untrusted",
        host="expired.example.com",
    ),
    certificate(
        "not-yet-valid", "leaf not yet valid", "future", "certs=2 future untrusted", host="future.example.com"
    ),
    certificate("ending-soon", "leaf that expires within a week", "ending", "certs=2 valid"),
    certificate("long-lived", "leaf valid for 900 days", "long-lived", "certs=2 valid"),
    certificate("wrong-host", "the certificate is for www.example.com, the client requests api.example.com", "www", "certs=2 valid"),
    certificate(
        "self-signed", "self-signed leaf", "self-signed", "certs=1 valid untrusted", host="self.example.com"
    ),
    certificate(
        "unknown-root",
        "chain to a root that is not in `anchors/`",
        "unlisted",
        "certs=2 valid untrusted",
        host="private.example.net",
    ),
    certificate(
        "missing-intermediate",
        "leaf without its issuer, and without a caIssuers URL",
        "alone",
        "certs=1 valid untrusted",
        host="incomplete.example.com",
    ),
    certificate(
        "missing-intermediate-url",
        "leaf without its issuer, with a caIssuers URL",
        "alone-with-url",
        "certs=1 valid untrusted",
        host="incomplete.example.com",
    ),
    certificate("wrong-order", "chain in the wrong order: leaf, its issuer's issuer, its issuer", "api-sub", "certs=3 valid"),
    certificate("root-included", "leaf, intermediate and root", "with-root", "certs=3 valid"),
    certificate("wildcard", "`*.example.com` for api.example.com", "wildcard", "certs=2 valid"),
    certificate(
        "wildcard-too-deep",
        "`*.example.com` for a.api.example.com",
        "wildcard",
        "certs=2 valid",
        host="a.api.example.com",
    ),
    certificate(
        "ip-address", "iPAddress with the server's address, no SNI", "address", "certs=2 valid", host=None
    ),
    certificate(
        "no-alternative-name",
        "host name only in the common name, no subjectAltName",
        "no-san",
        "certs=2 valid",
        host="legacy.example.com",
    ),
    certificate(
        "client-usage", "extended key usage clientAuth only", "client-usage", "certs=2 valid untrusted"
    ),
    stapled(
        "good",
        "stapled OCSP response: good",
        "api",
        "api.example.com",
        "sni=api.example.com 0303 c030 certs=2 staple=good data",
    ),
    stapled(
        "revoked",
        "stapled OCSP response: revoked",
        "revoked",
        "revoked.example.com",
        "sni=revoked.example.com 0303 c030 certs=2 staple=revoked data",
        revoke=True,
    ),
    handshake(
        "ocsp/not-stapled",
        "OCSP response requested, none stapled",
        "sni=api.example.com 0303 certs=2 data !staple",
        server="-tls1_2",
        client="-tls1_2 -status",
    ),
    handshake(
        "ocsp/revoked-not-stapled",
        "revoked leaf without a stapled OCSP response; `anchors/example-ca.crl.pem` lists it",
        "sni=revoked.example.com 0303 certs=2 data !staple",
        certificate="revoked",
        host="revoked.example.com",
        server="-tls1_2",
        client="-tls1_2",
        prepare=lambda stage: stage.authority.revoke("revoked"),
    ),
    stapled(
        "good-in-tls13",
        "stapled OCSP response in TLS 1.3, visible with the key log",
        "api",
        "api.example.com",
        "sni=api.example.com 0304 1302 data !staple",
        tls="-tls1_3",
        keylog=True,
        decrypted=("0304 1302 certs=2 staple=good data",),
    ),
    client_certificate(
        "given",
        "client certificate requested and sent",
        "sni=api.example.com 0303 requests-client certs=2 client-certs=2 data",
        server="-Verify 1",
        client=GIVEN,
    ),
    client_certificate(
        "not-given",
        "client certificate requested, none sent, accepted",
        "sni=api.example.com 0303 requests-client certs=2 data !client-certs=1",
        server="-verify 1",
    ),
    client_certificate(
        "required",
        "client certificate required, none sent: handshake_failure",
        "sni=api.example.com 0303 requests-client certs=2 server-alert=40 !data",
        server="-Verify 1 -verify_return_error",
        succeeds=False,
    ),
    client_certificate(
        "given-in-tls13",
        "client certificate in TLS 1.3, visible with the key log",
        "sni=api.example.com 0304 data !requests-client",
        server="-Verify 1",
        client=GIVEN,
        tls="-tls1_3",
        keylog=True,
        decrypted=("0304 requests-client certs=2 client-certs=2 data",),
    ),
    client_certificate(
        "required-in-tls13",
        "client certificate required in TLS 1.3, none sent: the server's alert follows the handshake, encrypted",
        "sni=api.example.com 0304 !requests-client",
        server="-Verify 1 -verify_return_error",
        tls="-tls1_3",
        keylog=True,
        succeeds=False,
        decrypted=("0304 requests-client certs=2 !client-certs=2",),
    ),
]
