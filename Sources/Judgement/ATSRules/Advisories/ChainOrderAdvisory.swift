import ATSEvidence
import PolicyResolution
import SessionModel

/// Advises sending the certificates in the order of the path.
struct ChainOrderAdvisory: Advisory {
  static let id = "ADV-CHAIN-ORDER"
  static let title = "Certificates out of order"
  static let weight = 1
  static let explanation = RuleExplanation(
    demand: "The server's own certificate is sent first, and each is followed by its issuer's.",
    reason: "TLS 1.2 requires this order, and strict clients enforce it.",
    fix: .server("send its own certificate first, then each issuer in turn"),
    since: RuleExplanation.anyRelease, sources: [.serverTrust], weaknesses: [295], severity: "2.0")

  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    if context.certificates.isLeafMisplaced { return disorder() }
    let positions = context.certificates.path.compactMap(\.position)
    guard positions.count > 1 else { return notApplicable() }
    guard zip(positions, positions.dropFirst()).contains(where: { $0 >= $1 }) else {
      return context.certificates.isComplete ? pass(parts: [.certificates]) : notApplicable()
    }
    return disorder()
  }

  private func disorder() -> Finding {
    fail(
      "certificates out of order", expected: "each certificate followed by its issuer's certificate", parts: [.certificates], fix: Self.fix)
  }
}

extension ServerCertificates {
  /// The fix for a fault of the first certificate: this one, or to send the leaf first if that certificate is a CA's.
  func fixOfFirst(_ fix: Fix) -> Fix { isLeafMisplaced ? ChainOrderAdvisory.fix : fix }
}

extension RuleID {
  /// `ADV-CHAIN-ORDER`: the certificates are out of order.
  public static let chainOrder = RuleID(rawValue: ChainOrderAdvisory.id)
}
