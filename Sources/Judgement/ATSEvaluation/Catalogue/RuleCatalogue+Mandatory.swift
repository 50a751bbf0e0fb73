import PolicyResolution

extension RuleCatalogue {
  private static let always = "iOS 9 and OS X 10.11"
  private static let insecure = ATSKeys.insecureLoads
  private static let noSecrecy = ATSKeys.forwardSecrecy

  /// What is said of the rules that can decide a verdict.
  static let mandatory: [String: RuleDescription.Text] = [
    "ATS-HTTPS": .init(
      demand:
        "Loads use HTTPS. Cleartext HTTP and ws are refused unless the destination is local or a key allows them.",
      reason: "Whoever stands between can read and change what travels in the clear.",
      fix:
        "Serve over HTTPS and change the URL in the app. A redirect on the server does not help the first request.",
      since: always,
      relaxedBy: [
        insecure, ATSKeys.localNetworking, ATSKeys.inWebContent,
        ATSKeys.forMedia,
        ATSKeys.arbitraryLoads,
      ],
      sources: [.configuration, .insecureLoads, .arbitraryLoads, .preventing, .blocked, .seedOverview]),
    "ATS-TLS-VERSION": .init(
      demand: "The negotiated version is TLS 1.2 or later, or what NSExceptionMinimumTLSVersion names.",
      reason: "Older versions rest on MD5, SHA-1 and CBC constructions that are broken.",
      fix: "Enable TLS 1.2 and 1.3 on the server; switch off 1.0 and 1.1.",
      since: "\(always); TLS 1.3 from iOS 12.2 and macOS 10.14.4",
      relaxedBy: [ATSKeys.minimumTLSVersion, ATSKeys.arbitraryLoads],
      sources: [.configuration, .exceptionDomains, .platformGuide, .protocolDefaults, .seedRequirements]),
    "ATS-CIPHER": .init(
      demand:
        "The suite is in one of the two groups that the release knows: ECDHE suites, and RSA ones for exceptions.",
      reason: "RC4, 3DES, export and anonymous suites can be broken; DHE is open to weak parameters.",
      fix: "Offer ECDHE suites with AES-GCM or ChaCha20-Poly1305, for the certificate's kind of key.",
      since:
        "\(always); TLS 1.3 and ChaCha20 from iOS 12; CBC with SHA-2 refused from iOS 15.4 and macOS 12.3",
      relaxedBy: [insecure + " with " + noSecrecy + " = NO", ATSKeys.arbitraryLoads],
      sources: [.helper, .configuration, .coreTLS, .errorCodes, .cocoaKeys, .seedRequirements]),
    "ATS-PFS": .init(
      demand: "Keys are agreed upon with ECDHE, or with a key share in TLS 1.3.",
      reason: "Without ephemeral keys, who gets the server's key later can read all recorded traffic.",
      fix: "Put ECDHE suites first on the server and drop TLS_RSA_*.",
      since: always, relaxedBy: [noSecrecy],
      sources: [.configuration, .helper, .cocoaKeys, .seedRequirements]),
    "ATS-NIAP": .init(
      demand:
        "Where a key asks for the package FCP_v2.1: TLS 1.2 or 1.3, ECDHE with AES-GCM, Extended Master Secret, "
        + "no RSA signatures with SHA-1, certificates signed as the client offered.",
      reason: "The profile of the National Information Assurance Partnership asks for it.",
      fix: "Configure the server to the package, or take the key away.",
      since: "iOS 26.4 and macOS 26.4",
      relaxedBy: ["NSExceptionRequiresNIAPTLSPackageVersion = none"], sources: [.niap]),
    "ATS-CERT-TRUST": .init(
      demand:
        "A path of verifying signatures leads from the leaf to a root that the system or the user trusts.",
      reason: "Only then does the certificate say who the server is.",
      fix: "Send the full chain without the root; use a public CA, or deploy a private root by profile.",
      since: always, sources: [.serverTrust, .policyServer, .issuerRequest, .seedRequirements]),
    "ATS-CERT-REVOKED": .init(
      demand: "No certificate of the path is known to be revoked. Devices go on where nothing is known.",
      reason: "A CA takes back certificates whose key was lost or stolen.",
      fix: "Replace the certificate.",
      since: always, sources: [.revocation, .policyServer]),
    "ATS-CERT-DATES": .init(
      demand: "Every certificate of the path is within its dates, the first and last second included.",
      reason: "CAs vouch, and keep track of revocation, for that time only.",
      fix: "Renew the certificate; where an old intermediate is sent, mend the server's chain.",
      since: always, sources: [.policyServer, .serverTrust]),
    "ATS-CERT-HOST": .init(
      demand:
        "The leaf names the host: a DNS name label by label, with * as the whole leftmost label, or the address.",
      reason: "A certificate for another host does not show that this is the right server.",
      fix: "A certificate whose subjectAltName lists the host.",
      since: "\(always); the common name is not read from iOS 13 and macOS 10.15 on",
      sources: [.leafCallbacks, .trustedCertificates2019, .serverTrust]),
    "ATS-CERT-SAN": .init(
      demand: "The leaf lists a DNS name or address in subjectAltName.",
      reason: "The common name was never meant for host names and is no longer read.",
      fix: "Reissue with the host's name in subjectAltName.",
      since: "iOS 13 and macOS 10.15", sources: [.trustedCertificates2019, .leafCallbacks]),
    "ATS-CERT-CHAIN": .init(
      demand:
        "Certificates are well formed, issuers are CAs and keep to the path lengths and constraints they have.",
      reason: "Else anyone with a certificate of his own could issue others.",
      fix: "Send certificates that follow RFC 5280, each with its issuer's.",
      since: always, sources: [.policy, .checks]),
    "ATS-CERT-KEY": .init(
      demand:
        "Keys of the path have at least 2048 bits (RSA) or 256 bits (elliptic curves); other kinds are refused.",
      reason: "Shorter keys can be broken.",
      fix: "Reissue with RSA of 2048 bits or more, or P-256.",
      since:
        "\(always) for the leaf; the path from iOS 11 and macOS 10.13 under system roots; all from iOS 13 and "
        + "macOS 10.15",
      sources: [.policy, .policyServer, .leafCallbacks, .configuration, .trustedCertificates2019]),
    "ATS-CERT-SIG": .init(
      demand:
        "No certificate of the path that is not self-signed is signed with MD2, MD4, MD5, SHA-1 or SHA-224.",
      reason: "With such hashes, certificates have been forged.",
      fix: "Reissue with SHA-256 or better.",
      since:
        "\(always) for the leaf; the path from iOS 11 and macOS 10.13 under system roots; all from iOS 13 and "
        + "macOS 10.15",
      sources: [.policy, .policyServer, .leafCallbacks, .trustedCertificates2019]),
    "ATS-CERT-EKU": .init(
      demand: "An extended key usage allows TLS servers; under system roots serverAuth must be listed.",
      reason: "A certificate issued for mail or code must not stand for a server.",
      fix: "Reissue with serverAuth.",
      since: "\(always); serverAuth itself from iOS 13 and macOS 10.15",
      sources: [.policy, .policyServer, .leafCallbacks, .trustedCertificates2019]),
    "ATS-CERT-LIFETIME": .init(
      demand:
        "The leaf is valid for at most 398 days under system roots (issued from September 2020 on), 825 under others.",
      reason: "Short lives limit the harm of a lost key and of old rules.",
      fix: "Reissue for at most 397 days, or the CA/Browser Forum's present maximum.",
      since: "iOS 13 and macOS 10.15; 398 days from iOS 14 and macOS 11",
      sources: [.policy, .policyServer, .trustedCertificates2019, .certificateLimits]),
    "ATS-CT": .init(
      demand: "Enough logs of Certificate Transparency speak for a certificate under a system root.",
      reason: "What is logged in public cannot be issued in secret.",
      fix:
        "Reissue from a CA that embeds enough SCTs, or serve SCTs by the TLS extension. No key relaxes it.",
      since: "iOS 12.1 and macOS 10.14.2; counts by days from iOS 14.6 and macOS 11.4",
      sources: [.transparency, .transparencyPolicy, .policyServer]),
    "ATS-PIN": .init(
      demand: "Keys of the path are among those that NSPinnedDomains lists for the host.",
      reason: "The app trusts fewer keys than the system does.",
      fix: "Correct the set of pins, and keep a backup pin.",
      since: "iOS 14 and macOS 11", sources: [.pinnedDomains, .policy, .policyServer]),
    "ATS-HANDSHAKE-SIG": .init(
      demand:
        "The server signs the handshake with the key of its leaf: in ServerKeyExchange up to TLS 1.2, in CertificateVerify in TLS 1.3.",
      reason:
        "Anyone can send a certificate; only the signature shows that the server has its key. Where it does not verify, the certificates in the "
        + "capture are not this server's, or bytes of the handshake were changed.",
      fix:
        "Capture the handshake again, nearer to the client; if that fails too, replace what intercepts or serves the connection.",
      since: always, sources: [.handshakeSignatures]),
  ]
}
