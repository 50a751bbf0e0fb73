import ATSEvidence
import CertificateParsing
import PolicyResolution
import SessionModel
import TLSParsing

/// Reports that the client requested a stapled OCSP response and the server did not staple one.
struct StaplingAdvisory: Advisory {
  static let id = "ADV-OCSP-STAPLE"
  static let title = "No stapled OCSP response"
  static let weight = 1
  static let explanation = RuleExplanation(
    demand: "The server staples an OCSP response for a client that requests one.",
    reason: "It saves the device a request and shows that the certificate is not revoked.",
    fix: .server("enable OCSP stapling, unless the CA has ended OCSP"), since: RuleExplanation.anyRelease,
    sources: [.seedRequirements], weaknesses: [295], severity: "2.0")

  /// Checks handshakes in which it is known whether the server stapled a response: of TLS 1.2 and older, and decrypted ones.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let leaf = context.certificates.leaf?.certificate,
      session.tls?.offer?.extensions.contains(.statusRequest) == true
    else { return notApplicable() }
    if session.tls?.hasStapledOCSPResponse == true { return pass("stapled", parts: [.certificateStatus]) }
    guard session.evidence.certificateStatus == .notSent else { return notApplicable() }
    if leaf.ocspURLs.isEmpty, !leaf.requiresStapledOCSP {
      return notApplicable("The server certificate names no OCSP responder, so there is nothing to staple.")
    }
    return fail("no OCSP response was stapled", expected: "a stapled OCSP response", parts: [.certificates], fix: Self.fix).noting(
      leaf.requiresStapledOCSP ? "The server certificate requires stapling (must-staple), which Apple's evaluation ignores." : nil)
  }
}

extension RuleID {
  /// `ADV-OCSP-STAPLE`: the server stapled no OCSP response.
  public static let stapling = RuleID(rawValue: StaplingAdvisory.id)
}
