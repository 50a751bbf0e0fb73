import PolicyResolution
import SessionModel
import TLSParsing

/// No name was sent by a client that loads by name.
struct ServerNameAdvisory: Advisory {
  static let id = "ADV-SNI-MISSING"
  static let title = "No server name sent"
  static let weight = 1
  static let explanation = RuleExplanation(
    demand: "A client that loads by name sends the name.",
    reason: "A server with several certificates cannot choose without it.",
    fix: "Load by name through URLSession, which sends it.", since: RuleExplanation.anyRelease,
    sources: [.field], weaknesses: [], severity: "1.0")

  /// Looks for server_name where a CONNECT shows that the client knows a name.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let offer = session.tls?.offer, !session.isInnerHelloHidden else { return notApplicable() }
    if offer.extensions.contains(.serverName) { return pass("server_name", parts: [.clientHello]) }
    guard session.serverNameSource == .connect, context.host.name != nil,
      session.evidence.clientHello == .complete
    else { return notApplicable() }
    return advise(
      "no server_name extension", expected: "the host's name in server_name", parts: [.clientHello],
      fix: Self.fix)
  }
}
