import CertificateParsing
package import PolicyResolution
import SessionModel
import TrustEvaluation

/// Certificates were sent that are not of the path.
package struct ChainExtraAdvisory: Advisory {
  package static let id = "ADV-CHAIN-EXTRA"
  package static let title = "Certificates that are not needed"
  package static let weight = 1
  package static let explanation = RuleExplanation(
    demand: "Nothing but the path is sent.", reason: "Other certificates cost bytes in every handshake.",
    fix: "Leave them out.", since: RuleExplanation.anyRelease, sources: [.serverTrust])

  package init() {}

  /// Looks for certificates off the path.
  package func judge(
    _ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let certificates = context.certificates
    guard certificates.leaf != nil else { return notApplicable() }
    let extra = certificates.sent.count - certificates.path.compactMap(\.position).count
    guard extra > 0 else {
      return certificates.isComplete ? pass(parts: [.certificates]) : notApplicable()
    }
    return advise(
      extra == 1 ? "1 certificate is not of the path" : "\(extra) certificates are not of the path",
      expected: "the leaf and its intermediates only", parts: [.certificates], fix: "leave them out")
  }
}
