import CertificateParsing
package import PolicyResolution
package import SessionModel
import TrustEvaluation

/// The root was sent, which a client has or does not trust.
package struct ChainRootAdvisory: Advisory {
  package static let id = "ADV-CHAIN-ROOT"
  package static let title = "Root certificate sent"

  package init() {}

  /// Looks for a self-issued certificate above the leaf.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard context.certificates.leaf != nil else { return notApplicable() }
    let root = context.certificates.path.dropFirst().first {
      $0.certificate.isSelfIssued && $0.position != nil
    }
    guard let root else {
      return context.certificates.isComplete ? pass(parts: [.certificates]) : notApplicable()
    }
    var finding = advise(
      "\(root.name) was sent, a root", expected: "the chain without its root", parts: [.certificates],
      fix: "leave the root out, which costs bytes and helps nobody")
    finding.certificate = root.position
    return finding
  }
}
