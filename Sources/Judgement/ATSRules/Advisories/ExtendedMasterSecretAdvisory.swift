import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// Advises Extended Master Secret for TLS 1.2 and older.
struct ExtendedMasterSecretAdvisory: Advisory {
  static let id = "ADV-EMS"
  static let title = "No Extended Master Secret"
  static let weight = 2
  static let explanation = RuleExplanation(
    demand: "TLS 1.2 uses Extended Master Secret.",
    reason: "It binds the keys to the handshake, and system services will require it.",
    fix: .server("enable Extended Master Secret"), since: RuleExplanation.anyRelease,
    sources: [.systemServices], weaknesses: [327], severity: "3.1")

  /// Checks for extension 23 in the ServerHello.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let serverHello = session.olderServerHello else { return notApplicable() }
    if serverHello.extensions.contains(.extendedMasterSecret) { return pass("Extended Master Secret", parts: [.serverHello]) }
    return fail("no Extended Master Secret", expected: "Extended Master Secret (RFC 7627)", parts: [.serverHello], fix: Self.fix).noting(
      session.tls?.offer?.extensions.contains(.extendedMasterSecret) == false ? "The client did not offer it." : nil,
      "Announced for system services in the next major release.")
  }
}

extension RuleID {
  /// `ADV-EMS`: the session does not use Extended Master Secret.
  public static let extendedMasterSecret = RuleID(rawValue: ExtendedMasterSecretAdvisory.id)
}
