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
    fix: "Remove it from the server's chain.", since: RuleExplanation.anyRelease, sources: [.serverTrust], weaknesses: [295],
    severity: "2.0")

  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard context.certificates.leaf != nil else { return notApplicable() }
    let root = context.certificates.path.dropFirst().first {
      $0.certificate.isSelfIssued && $0.position != nil
    }
    guard let root else {
      return context.certificates.isComplete ? pass(parts: [.certificates]) : notApplicable()
    }
    var finding = advise(
      "the root \(root.name) was sent", expected: "the chain without its root", parts: [.certificates],
      fix: "do not send the root; clients already have it")
    finding.certificateIndex = root.position
    return finding
  }
}

extension RuleID {
  /// `ADV-CHAIN-ROOT`: the server sent the root.
  public static let chainRoot = RuleID(rawValue: ChainRootAdvisory.id)
}
