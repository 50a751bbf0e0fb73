import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

/// Reports that the server used a classical group although the client offered a post-quantum one.
struct PostQuantumAdvisory: Advisory {
  static let id = "ADV-PQ"
  static let title = "Post-quantum key exchange not used"
  static let weight = 1
  static let explanation = RuleExplanation(
    demand: "The server uses X25519MLKEM768 with a client that offers it.",
    reason: "A future quantum computer could decrypt traffic that is recorded today.",
    fix: .server("enable X25519MLKEM768"), since: "clients in the 26 releases offer it",
    sources: [.quantumSecure], weaknesses: [327], severity: "3.1")

  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard let group = session.finalServerHello.flatMap({ $0.keyShareGroup ?? session.tls?.group }),
      session.tls?.offer?.groups.contains(.x25519MLKEM768) == true, !session.isInnerHelloHidden
    else { return notApplicable() }
    if group.kind == .hybrid || group.kind == .kem { return pass(group.text, parts: [.serverHello]) }
    return fail(
      "the client offered X25519MLKEM768, the server used \(group.text)", expected: "X25519MLKEM768",
      parts: [.clientHello, .serverHello], fix: Self.fix)
  }
}

extension NamedGroup {
  /// X25519MLKEM768, which clients of the 26 releases offer.
  fileprivate static let x25519MLKEM768 = NamedGroup(rawValue: 0x11EC)
}

extension RuleID {
  /// `ADV-PQ`: the key exchange is not a post-quantum one.
  public static let postQuantum = RuleID(rawValue: PostQuantumAdvisory.id)
}
