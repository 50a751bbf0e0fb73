import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// Reports that the server chose TLS 1.2 or older although the client offered TLS 1.3.
struct TLS13Advisory: Advisory {
  static let id = "ADV-TLS13"
  static let title = "TLS 1.3 not negotiated"
  static let weight = 3
  static let explanation = RuleExplanation(
    demand: "The server uses TLS 1.3 with a client that offers it.",
    reason: "TLS 1.3 is faster, encrypts the certificate and has no weak options.",
    fix: .server("enable TLS 1.3"), since: RuleExplanation.anyRelease, sources: [.platformGuide], weaknesses: [327], severity: "3.1")

  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let serverHello = session.tls?.serverHello, let offer = session.tls?.offer,
      offer.versions.contains(.tls13)
    else { return notApplicable() }
    guard let version = serverHello.version else { return notApplicable() }
    if version.rawValue >= TLSVersion.tls13.rawValue { return pass(version.text, parts: [.serverHello]) }
    return fail(
      "the client offered TLS 1.3, the server chose \(version.text)", expected: "TLS 1.3",
      parts: [.clientHello, .serverHello], fix: Self.fix)
  }
}

extension RuleID {
  /// `ADV-TLS13`: the server did not negotiate TLS 1.3.
  public static let tls13 = RuleID(rawValue: TLS13Advisory.id)
}
