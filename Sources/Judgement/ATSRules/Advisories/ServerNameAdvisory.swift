import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// Reports that a client that loads by name sent no server_name.
struct ServerNameAdvisory: Advisory {
  static let id = "ADV-SNI-MISSING"
  static let title = "No server name sent"
  static let weight = 1
  static let explanation = RuleExplanation(
    demand: "A client that loads by name sends the name.",
    reason: "A server with several certificates cannot choose without it.",
    fix: .app("load by name through URLSession, which sends it"), since: RuleExplanation.anyRelease,
    sources: [.field], weaknesses: [], severity: "1.0")

  /// Checks for server_name if a CONNECT request shows that the client knows the host's name.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let offer = session.tls?.offer, !session.isInnerHelloHidden else { return notApplicable() }
    if offer.extensions.contains(.serverName) { return pass("server_name", parts: [.clientHello]) }
    guard session.serverNameSource == .connect, context.host.name != nil,
      session.evidence.clientHello == .complete
    else { return notApplicable() }
    return fail("no server_name extension", expected: "the host's name in server_name", parts: [.clientHello], fix: Self.fix)
  }
}

extension RuleID {
  /// `ADV-SNI-MISSING`: the client sent no server name.
  public static let serverName = RuleID(rawValue: ServerNameAdvisory.id)
}
