"""A temporary certificate authority: its keys are made for a recording and discarded after it, unless `--authority` keeps them."""

import dataclasses
import datetime
import os
import subprocess


@dataclasses.dataclass(frozen=True)
class Profile:
    """The contents of a certificate to issue. `starts` and `ends` are days from the midnight before the recording."""

    subject: str = "/CN=api.example.com"
    names: str = "DNS:api.example.com"
    key: str = "rsa:2048"
    issuer: str = "issuing"
    digest: str = "sha256"
    starts: int = -10
    ends: int = 80
    usage: str = "serverAuth"
    is_authority: bool = False
    sends: tuple = ("issuing",)
    issuer_url: bool = False
    pss: bool = False


def authority(subject, issuer, **more):
    """The profile of a CA certificate."""
    defaults = dict(names="", usage="", starts=-365, ends=3285, is_authority=True, sends=())
    return Profile(subject=subject, issuer=issuer, **{**defaults, **more})


def leaf(host="api.example.com", **more):
    """The profile of a server certificate for one name."""
    return Profile(**{**dict(subject=f"/CN={host}", names=f"DNS:{host}"), **more})


PROFILES = {
    "root": authority("/O=Example Trust/CN=Example Root {date}", "root"),
    "issuing": authority("/O=Example Trust/CN=Example Issuing CA", "root", ends=1825),
    "sub": authority("/O=Example Trust/CN=Example Sub CA", "issuing", ends=1095),
    "issuing-expired": authority("/O=Example Trust/CN=Example Expired CA", "root", starts=-400, ends=-35),
    "issuing-sha1": authority("/O=Example Trust/CN=Example SHA-1 CA", "root", ends=1825, digest="sha1"),
    "other-root": authority("/O=Example Unknown/CN=Example Unlisted Root", "other-root"),
    "other-issuing": authority("/O=Example Unknown/CN=Example Unlisted CA", "other-root", ends=1825),
    "proxy-root": authority("/O=Example Security/CN=Example Inspection Root", "proxy-root"),
    "proxy-issuing": authority("/O=Example Security/CN=Example Inspection CA", "proxy-root", ends=1825),
    "api": leaf(),
    "api-of-proxy": leaf(issuer="proxy-issuing", sends=("proxy-issuing",)),
    "www": leaf("www.example.com"),
    "org": leaf("www.example.org"),
    "legacy": leaf("legacy.example.com"),
    "mail": leaf("mail.example.com"),
    "ftp": leaf("ftp.example.com"),
    "api-ec": leaf(key="ec:P-256"),
    "api-ec384": leaf(key="ec:P-384", digest="sha384"),
    "api-ed25519": leaf(key="ed25519"),
    "api-pss": leaf(pss=True),
    "api-sub": leaf(issuer="sub", sends=("issuing", "sub")),
    "rsa1024": leaf("legacy.example.com", key="rsa:1024"),
    "rsa2040": leaf("legacy.example.com", key="rsa:2040"),
    "sha1": leaf("legacy.example.com", digest="sha1"),
    "md5": leaf("legacy.example.com", digest="md5"),
    "sha1-issuer": leaf("legacy.example.com", issuer="issuing-sha1", sends=("issuing-sha1",)),
    "expired": leaf("expired.example.com", starts=-120, ends=-30),
    "future": leaf("future.example.com", starts=30, ends=120),
    "expired-issuer": leaf("expired.example.com", issuer="issuing-expired", sends=("issuing-expired",)),
    "self-signed": leaf("self.example.com", issuer="self-signed", sends=()),
    "alone": leaf("incomplete.example.com", sends=()),
    "alone-with-url": leaf("incomplete.example.com", sends=(), issuer_url=True),
    "with-root": leaf(sends=("issuing", "root")),
    "unlisted": leaf("private.example.net", issuer="other-issuing", sends=("other-issuing",)),
    "wildcard": leaf("*.example.com"),
    "address": leaf("203.0.113.7", names="IP:203.0.113.7,IP:2001:db8::7,IP:::1,IP:10.0.0.5"),
    "no-san": leaf("legacy.example.com", names=""),
    "client-usage": leaf(usage="clientAuth"),
    "long-lived": leaf(starts=-10, ends=890),
    "ending": leaf(starts=-85, ends=5),
    "revoked": leaf("revoked.example.com"),
    "client": leaf(
        "client", subject="/O=Example/CN=client-1", names="email:client-1@example.com", usage="clientAuth"
    ),
}


def midnight():
    """The last midnight, in UTC."""
    return datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0)


def day(count):
    """The last midnight plus `count` days, in openssl's format for times."""
    return (midnight() + datetime.timedelta(days=count)).strftime("%Y%m%d%H%M%SZ")


class Authority:
    """Issues the certificates of `PROFILES` on demand into one directory.

    `NAME.pem` is the certificate, `NAME.key` its key, `NAME.chain` what a server sends after it.
    """

    def __init__(self, directory):
        self.directory = directory
        os.makedirs(directory, exist_ok=True)

    def path(self, name):
        """The path of a file in the authority's directory."""
        return os.path.join(self.directory, name)

    def openssl(self, *arguments):
        """Runs openssl in the authority's directory."""
        done = subprocess.run(
            ["openssl", *arguments], cwd=self.directory, stdin=subprocess.DEVNULL, capture_output=True
        )
        if done.returncode != 0:
            raise RuntimeError(f"openssl {' '.join(arguments)}:\n{done.stderr.decode(errors='replace')}")
        return done.stdout

    def need(self, *names):
        """Makes sure that these certificates, their issuers and their chains exist."""
        for name in names:
            profile = PROFILES[name]
            if not os.path.exists(self.path(name + ".pem")):
                if profile.issuer != name:
                    self.need(profile.issuer)
                self.issue(name, profile)
            if profile.sends:
                self.need(*profile.sends)
                with open(self.path(name + ".chain"), "wb") as chain:
                    for sent in profile.sends:
                        with open(self.path(sent + ".pem"), "rb") as certificate:
                            chain.write(certificate.read())

    def issue(self, name, profile):
        """Makes a key and issues its certificate."""
        kind, _, size = profile.key.partition(":")
        options = {
            "rsa": ["-algorithm", "RSA", "-pkeyopt", f"rsa_keygen_bits:{size}"],
            "ec": ["-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{size}"],
            "ed25519": ["-algorithm", "ED25519"],
        }[kind]
        self.openssl("genpkey", *options, "-out", name + ".key")
        subject = profile.subject.format(date=midnight().date())
        self.configure(name, profile)
        request = ["req", "-new", "-config", name + ".cnf", "-key", name + ".key", "-subj", subject]
        self.openssl(*request, "-out", name + ".csr")
        signer = name if profile.issuer == name else profile.issuer
        self.openssl(
            *["ca", "-batch", "-notext", "-config", name + ".cnf", "-in", name + ".csr"],
            *["-keyfile", signer + ".key", "-out", name + ".pem", "-rand_serial"],
            *(["-selfsign"] if signer == name else ["-cert", signer + ".pem"]),
            *["-startdate", day(profile.starts), "-enddate", day(profile.ends)],
            *(["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32"] if profile.pss else []),
        )

    def configure(self, name, profile):
        """Writes the openssl configuration of one certificate; each issuer keeps its own index."""
        index = f"{profile.issuer}.index"
        if not os.path.exists(self.path(index)):
            open(self.path(index), "w").close()
            with open(self.path(index + ".attr"), "w") as attributes:
                attributes.write("unique_subject = no\n")
        extensions = ["subjectKeyIdentifier = hash"]
        if profile.issuer != name:
            extensions.append("authorityKeyIdentifier = keyid")
        if profile.is_authority:
            extensions += [
                "basicConstraints = critical, CA:TRUE",
                "keyUsage = critical, keyCertSign, cRLSign",
            ]
        else:
            encipher = ", keyEncipherment" if profile.key.startswith("rsa") else ""
            extensions += ["basicConstraints = critical, CA:FALSE"]
            extensions += [f"keyUsage = critical, digitalSignature{encipher}"]
        if profile.usage:
            extensions.append(f"extendedKeyUsage = {profile.usage}")
        if profile.names:
            extensions.append(f"subjectAltName = {profile.names}")
        if profile.issuer_url:
            extensions.append("authorityInfoAccess = caIssuers;URI:http://ca.example.com/issuing.der")
        with open(self.path(name + ".cnf"), "w") as file:
            file.write(
                "[req]\ndistinguished_name = dn\n[dn]\n"
                "[ca]\ndefault_ca = this\n"
                f"[this]\ndatabase = {index}\nnew_certs_dir = .\nserial = serial\n"
                f"default_md = {profile.digest}\n"
                "policy = any\nx509_extensions = extensions\npreserve = yes\nemail_in_dn = no\n"
                "[any]\norganizationName = optional\ncommonName = supplied\n"
                "[extensions]\n" + "\n".join(extensions) + "\n"
            )

    def revoke(self, name):
        """Marks a certificate as revoked, once."""
        self.need(name)
        issuer = PROFILES[name].issuer
        with open(self.path(issuer + ".index")) as index:
            serial = self.openssl("x509", "-in", name + ".pem", "-noout", "-serial").decode().strip()[7:]
            known = any(line[0] == "R" and serial in line for line in index)
        if not known:
            files = ["-keyfile", issuer + ".key", "-cert", issuer + ".pem"]
            self.openssl("ca", "-config", name + ".cnf", *files, "-revoke", name + ".pem")
            self.backdate(issuer + ".index", serial)

    def backdate(self, index, serial):
        """Sets the time of a revocation to five days before the last midnight, since openssl always writes the current time."""
        with open(self.path(index)) as file:
            lines = [line.split("\t") for line in file]
        for line in lines:
            if line[3] == serial:
                line[2] = day(-5)[2:]
        with open(self.path(index), "w") as file:
            file.writelines("\t".join(line) for line in lines)

    def staple(self, name, output):
        """Writes an OCSP response for the certificate, signed by its issuer and valid for 60 days."""
        self.need(name)
        issuer = PROFILES[name].issuer
        self.openssl(
            *["ocsp", "-index", issuer + ".index", "-CA", issuer + ".pem", "-rsigner", issuer + ".pem"],
            *["-rkey", issuer + ".key", "-issuer", issuer + ".pem", "-cert", name + ".pem", "-no_nonce"],
            *["-ndays", "60", "-resp_no_certs", "-reqout", "request.der"],
        )
        self.openssl(
            *["ocsp", "-index", issuer + ".index", "-CA", issuer + ".pem", "-rsigner", issuer + ".pem"],
            *["-rkey", issuer + ".key", "-reqin", "request.der", "-respout", output],
            *["-ndays", "60", "-resp_no_certs"],
        )

    def revocation_list(self, name, output):
        """Writes an authority's CRL (PEM), dated the last midnight and valid for 60 days."""
        dates = ["-crl_lastupdate", day(0), "-crl_nextupdate", day(60)]
        config = next(key for key, profile in PROFILES.items() if profile.issuer == name)
        self.need(config)
        files = ["-keyfile", name + ".key", "-cert", name + ".pem"]
        self.openssl("ca", "-config", config + ".cnf", *files, "-gencrl", *dates, "-out", output)
