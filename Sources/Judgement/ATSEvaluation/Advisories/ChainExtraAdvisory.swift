import CertificateParsing
package import PolicyResolution
package import SessionModel
import TrustEvaluation

/// Certificates were sent that are not of the path.
package struct ChainExtraAdvisory: Advisory {
  package static let id = "ADV-CHAIN-EXTRA"
  package static let title = "Certificates that are not needed"

  package init() {}

  /// Looks for certificates off the path.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
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
