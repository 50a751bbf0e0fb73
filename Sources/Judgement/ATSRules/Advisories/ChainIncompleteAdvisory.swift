import ATSEvidence
import CertificateParsing
import PolicyResolution
import SessionModel
import TrustEvaluation

/// Advises the server to send the issuer of the last certificate that clients need.
struct ChainIncompleteAdvisory: Advisory {
  static let id = "ADV-CHAIN-INCOMPLETE"
  static let title = "Intermediate certificate not sent"
  static let weight = 3
  static let explanation = RuleExplanation(
    demand: "The server sends the intermediates with the server certificate.",
    reason: "Devices may fetch a missing intermediate, which takes time; other clients do not.",
    fix: .server("send the full chain without the root"), since: RuleExplanation.anyRelease,
    sources: [.issuerRequest, .serverTrust], weaknesses: [295], severity: "2.0")

  /// Checks that every certificate of the path except the root was sent. Without trust evaluation it checks that any issuer was sent.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let certificates = context.certificates
    guard let leaf = certificates.leaf, certificates.isComplete else { return notApplicable() }
    let isIncomplete =
      context.trust == nil || context.trust?.anchorClass == AnchorClass.none
      ? certificates.path.count == 1 && !leaf.certificate.isSelfIssued
      : certificates.path.dropLast().contains { $0.position == nil }
    guard isIncomplete else { return pass(parts: [.certificates]) }
    // Roots are not sent, and are not fetched either: the issuer may be an intermediate that is missing, or a root that is not trusted.
    if certificates.path.count == 1, leaf.certificate.caIssuerURLs.isEmpty { return notApplicable() }
    return fail(
      "the issuer of the server certificate was not sent", expected: "the server certificate and every intermediate",
      parts: [.certificates], fix: Self.fix
    ).noting(policy.release.fetchesIssuers ? "Devices may have or fetch a missing intermediate; other clients do not." : nil)
  }
}

extension RuleID {
  /// `ADV-CHAIN-INCOMPLETE`: the server did not send an intermediate certificate.
  public static let chainIncomplete = RuleID(rawValue: ChainIncompleteAdvisory.id)
}
