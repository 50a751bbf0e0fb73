import ATSEvidence
import CertificateParsing
import PolicyResolution
import SessionModel

/// Advises against sending the root: a client either has it or does not trust it.
struct ChainRootAdvisory: Advisory {
  static let id = "ADV-CHAIN-ROOT"
  static let title = "Root certificate sent"
  static let weight = 1
  static let explanation = RuleExplanation(
    demand: "The server does not send the root.",
    reason: "A client either has the root or does not trust it.",
    fix: .server("do not send the root; a client that trusts it already has it"),
    since: RuleExplanation.anyRelease, sources: [.serverTrust], weaknesses: [295],
    severity: "2.0")

  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let certificates = context.certificates
    guard certificates.leaf != nil else { return notApplicable() }
    guard let root = certificates.path.dropFirst().last, root.position != nil, root.certificate.isSelfIssued,
      root.isAnchor || !Self.isSignedWithOldKey(root.certificate)
    else { return certificates.isComplete ? pass(parts: [.certificates]) : notApplicable() }
    return fail(
      "the root \(root.observed.title ?? "of the chain") was sent", expected: "the chain without its root",
      parts: [.certificates], certificate: root.position, fix: Self.fix)
  }

  /// Whether a CA signed its new key with its old one: such a certificate is self-issued and not a root (RFC 4210 §4.4).
  private static func isSignedWithOldKey(_ certificate: Certificate) -> Bool {
    certificate.authorityKeyIdentifier.map { $0 != certificate.subjectKeyIdentifier } ?? false
  }
}

extension RuleID {
  /// `ADV-CHAIN-ROOT`: the server sent the root.
  public static let chainRoot = RuleID(rawValue: ChainRootAdvisory.id)
}
