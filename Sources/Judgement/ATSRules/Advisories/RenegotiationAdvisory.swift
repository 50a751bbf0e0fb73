import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// Advises secure renegotiation for TLS 1.2 and older.
struct RenegotiationAdvisory: Advisory {
  static let id = "ADV-RENEG"
  static let title = "No secure renegotiation"
  static let weight = 2
  static let explanation = RuleExplanation(
    demand: "TLS 1.2 uses secure renegotiation.",
    reason: "Without it, an attacker can insert bytes before the client's.",
    fix: .server("update the TLS library"), since: RuleExplanation.anyRelease, sources: [.platformGuide], weaknesses: [327],
    severity: "3.1")

  /// Checks for renegotiation_info in the ServerHello if the client offered it.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let serverHello = session.olderServerHello, let offer = session.tls?.offer,
      offer.extensions.contains(.renegotiationInfo)
        || offer.cipherSuites.contains(.emptyRenegotiationInfoSCSV)
    else { return notApplicable() }
    if serverHello.extensions.contains(.renegotiationInfo) { return pass("renegotiation_info", parts: [.serverHello]) }
    return fail("no renegotiation_info", expected: "secure renegotiation (RFC 5746)", parts: [.serverHello], fix: Self.fix)
  }
}

extension RuleID {
  /// `ADV-RENEG`: the server does not support secure renegotiation.
  public static let renegotiation = RuleID(rawValue: RenegotiationAdvisory.id)
}
