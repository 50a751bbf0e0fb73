import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// Advises against ServerKeyExchange signatures with SHA-1.
struct KeyExchangeSignatureAdvisory: Advisory {
  static let id = "ADV-SKE-SHA1"
  static let title = "ServerKeyExchange signed with SHA-1"
  static let weight = 2
  static let explanation = RuleExplanation(
    demand: "ServerKeyExchange is not signed with SHA-1.", reason: "The NIAP package rejects it.",
    fix: .server("sign with SHA-256 or stronger; the NIAP package rejects SHA-1"),
    since: RuleExplanation.anyRelease, sources: [.niap], weaknesses: [327],
    severity: "3.1")

  /// Checks the signature scheme, which TLS 1.2 states.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let scheme = session.tls?.keyExchangeSignature else { return notApplicable() }
    if scheme.hash != .sha1 { return pass(scheme.text, parts: [.serverKeyExchange]) }
    return fail(scheme.text, expected: "a SHA-256 or stronger signature", parts: [.serverKeyExchange], fix: Self.fix)
  }
}

extension RuleID {
  /// `ADV-SKE-SHA1`: ServerKeyExchange is signed with SHA-1.
  public static let keyExchangeSignature = RuleID(rawValue: KeyExchangeSignatureAdvisory.id)
}
