extension RuleCatalogue {
  private static let none = "advice for any release"

  /// What is said of the rules that give advice.
  static let advisories: [String: RuleDescription.Text] = [
    "ADV-TLS13": .init(
      demand: "A server uses TLS 1.3 with a client that offers it.",
      reason: "TLS 1.3 is faster, hides the certificate and has no weak options.",
      fix: "Enable TLS 1.3 on the server.", since: none, sources: [.platformGuide]),
    "ADV-PQ": .init(
      demand: "A server uses X25519MLKEM768 with a client that offers it.",
      reason: "Traffic recorded now could be read by a quantum computer later.",
      fix: "Enable X25519MLKEM768 on the server.", since: "clients of the 26 releases offer it",
      sources: [.quantumSecure]),
    "ADV-CBC": .init(
      demand: "The suite is an AEAD and no CBC suite.",
      reason: "CBC suites invite padding attacks, and the ones with SHA-2 are refused by newer releases.",
      fix: "Put AES-GCM suites first on the server.", since: none, sources: [.helper]),
    "ADV-CHAIN-INCOMPLETE": .init(
      demand: "The intermediates are sent along with the leaf.",
      reason: "Devices may fetch what is missing; that costs time, and other clients will not.",
      fix: "Send the full chain without the root.", since: none, sources: [.issuerRequest, .serverTrust]),
    "ADV-CHAIN-ORDER": .init(
      demand: "Certificates are sent leaf first, each followed by its issuer's.",
      reason: "TLS 1.2 asks for it and strict clients insist.",
      fix: "Put the certificates in order.", since: none, sources: [.serverTrust]),
    "ADV-CHAIN-EXTRA": .init(
      demand: "Nothing but the path is sent.", reason: "Other certificates cost bytes in every handshake.",
      fix: "Leave them out.", since: none, sources: [.serverTrust]),
    "ADV-CHAIN-ROOT": .init(
      demand: "The root is not sent.", reason: "A client has it, or does not trust it.",
      fix: "Leave it out.", since: none, sources: [.serverTrust]),
    "ADV-OCSP-STAPLE": .init(
      demand: "A server staples an OCSP response for a client that asks.",
      reason: "It spares the device a request and shows that the certificate is not revoked.",
      fix: "Enable OCSP stapling, unless the CA has ended OCSP.", since: none, sources: [.seedRequirements]
    ),
    "ADV-CT-MARGIN": .init(
      demand: "There are more SCTs than are needed.", reason: "Logs retire, and with them their SCTs.",
      fix: "Ask the CA for one more.", since: none, sources: [.transparencyPolicy]),
    "ADV-CT-OPERATORS": .init(
      demand: "SCTs come from logs of diverse operators, one of them a log of RFC 6962.",
      reason: "Documentation asks for it; the source does not check.", fix: "Ask the CA for diverse logs.",
      since: none, sources: [.transparencyPolicy]),
    "ADV-EXPIRY": .init(
      demand: "The leaf has more than 30 days left.", reason: "An expired certificate stops every load.",
      fix: "Renew the certificate.", since: none, sources: [.serverTrust]),
    "ADV-SC081": .init(
      demand:
        "The leaf is valid for at most 200 days from 2026-03-15 on, 100 from 2027-03-15, 47 from 2029-03-15.",
      reason: "It is the limit for public CAs; no platform is known to enforce it.",
      fix: "Have it reissued within the limit.", since: "2026-03-15", sources: [.ballot]),
    "ADV-EMS": .init(
      demand: "TLS 1.2 uses Extended Master Secret.",
      reason: "It ties the keys to the handshake; system services will ask for it.",
      fix: "Enable Extended Master Secret on the server.", since: none, sources: [.systemServices]),
    "ADV-RENEG": .init(
      demand: "TLS 1.2 uses secure renegotiation.",
      reason: "Without it, a stranger's bytes can be put in front.",
      fix: "Update the server's TLS library.", since: none, sources: [.platformGuide]),
    "ADV-COMPRESSION": .init(
      demand: "TLS does not compress.", reason: "Compression leaks secrets (CRIME).",
      fix: "Switch it off.", since: none, sources: [.platformGuide]),
    "ADV-SKE-SHA1": .init(
      demand: "ServerKeyExchange is not signed with SHA-1.", reason: "The NIAP package refuses it.",
      fix: "Let the server sign with SHA-256 or better.", since: none, sources: [.niap]),
    "ADV-MTLS": .init(
      demand:
        "The server does not ask for a client certificate; where it does, that is between app and server.",
      reason: "Errors -1205 and -1206 come from it and not from ATS.",
      fix: "Give the app the certificate, if it is meant to have one.", since: none,
      sources: [.serverTrust]),
    "ADV-ECH": .init(
      demand: "The name in the ClientHello is the one that the client wants.",
      reason: "With Encrypted ClientHello it may be the public one.",
      fix: "Nothing to mend; a key log shows the inner name.", since: none, sources: [.field]),
    "ADV-HTTP-REDIRECT": .init(
      demand: "The app does not rely on a redirect from HTTP to HTTPS.",
      reason: "ATS stops the first request, before the redirect.", fix: "Use the https URL in the app.",
      since: none, sources: [.cocoaKeys, .seedOverview]),
    "ADV-SNI-MISSING": .init(
      demand: "A client that loads by name sends the name.",
      reason: "A server with several certificates cannot choose without it.",
      fix: "Load by name through URLSession, which sends it.", since: none, sources: [.field]),
    "ADV-NEXT": .init(
      demand: "TLS 1.2 or later, ECDHE with AES-GCM, Extended Master Secret.",
      reason: "Announced for system services with the next major release.",
      fix: "Meet them before system services ask.", since: "announced", sources: [.systemServices]),
  ]
}
