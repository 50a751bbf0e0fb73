/// A word of reports that is not the name of a rule, a key or a verdict.
struct Term: Hashable, Sendable {
  var name: String
  var meaning: String

  /// Returns the term with a name, in any case; nil if there is none.
  static func named(_ name: String) -> Term? { all.first { $0.name.lowercased() == name } }

  /// Returns the alert that a line of a log names: as `unknown_ca`, `unknown CA` or `TLSV1_ALERT_UNKNOWN_CA`; nil if it names none.
  static func alert(in line: String) -> Term? {
    func words(_ text: String) -> [Substring] { text.lowercased().split { !$0.isLetter } }
    let line = words(line)
    return alerts.first { alert in line.contains(words(alert.name)) }
  }

  static let alerts = [
    Term(name: "bad_certificate", meaning: "\(refusal); apps that pin keys by their own code often send it"),
    Term(name: "certificate_expired", meaning: "\(refusal), because it has expired (ATS-CERT-DATES)"),
    Term(name: "certificate_required", meaning: "the server requires a client certificate, which ATS does not affect"),
    Term(name: "certificate_revoked", meaning: "\(refusal), because it is revoked (ATS-CERT-REVOKED)"),
    Term(name: "certificate_unknown", meaning: "\(refusal), for any reason: trust, dates, host name or pins"),
    Term(
      name: "handshake_failure",
      meaning:
        "one side found no common parameters: usually the server, which allows none of the offered cipher suites (ATS-CIPHER, ATS-PFS)"),
    Term(name: "insufficient_security", meaning: "the server requires stronger cipher suites than the client offered"),
    Term(name: "protocol_version", meaning: "one side found no common version of TLS: usually the server (ATS-TLS-VERSION)"),
    Term(name: "unknown_ca", meaning: "\(refusal), because its chain ends at no trusted root (ATS-CERT-TRUST)"),
    Term(name: "unrecognized_name", meaning: "the server does not know the host that the client named"),
  ]

  private static let refusal = "the other side, usually the client, refused the certificate"

  static let all = [
    Term(name: "advice", meaning: "what ATS allows but is weak; it does not affect the verdict"),
    Term(
      name: "anchor",
      meaning: "a certificate that is trusted directly; a chain must end at one: a root of the system, or one given by --anchors"),
    Term(name: "ATS", meaning: "App Transport Security: what Apple's systems require of the connections that apps make"),
    Term(name: "CA", meaning: "certification authority: an organization that issues certificates"),
    Term(name: "chain", meaning: "the certificates from the server's own through intermediates to a root"),
    Term(name: "ECDHE", meaning: "key exchange with elliptic curves whose keys are used once, which gives forward secrecy"),
    Term(
      name: "exception", meaning: "a key of the Info.plist that allows for a host what ATS otherwise refuses; reports name the narrowest"),
    Term(name: "intermediate", meaning: "the certificate of a CA that is not a root; servers have to send it"),
    Term(name: "key log", meaning: "a file with the secrets of TLS sessions (SSLKEYLOGFILE), with which --keylog decrypts handshakes"),
    Term(name: "mixed", meaning: "of a row of diagnose: some sessions of the host break a rule, and others do not"),
    Term(name: "no longer visible", meaning: "of a rule in diff: it was decided in the baseline, and is undecided now"),
    Term(
      name: "OCSP",
      meaning: "a protocol that shows whether a certificate is revoked; a server can send (staple) the response with its certificate"),
    Term(name: "pinning", meaning: "accepting only certificates with known keys: by NSPinnedDomains (ATS-PIN), or by the app's own code"),
    Term(name: "refused", meaning: "ATS is off for the session (EXEMPT), but the system itself rejects the load for this rule"),
    Term(
      name: "regression",
      meaning: "in diff: a rule fails that did not fail in the baseline, or the Info.plist allows what it did not allow before"),
    Term(name: "root", meaning: "the self-signed certificate of a CA that a system trusts; servers need not send it"),
    Term(name: "SCT", meaning: "signed certificate timestamp: the promise of a Certificate Transparency log that it lists a certificate"),
    Term(name: "SNI", meaning: "server name indication: the host that a client names in its ClientHello"),
    Term(name: "undecided", meaning: "of a rule: the capture does not show enough; 'To settle' names what does"),
    Term(name: "vanished", meaning: "of a host in diff: it is in the baseline, but not in the current inputs"),
  ]
}
