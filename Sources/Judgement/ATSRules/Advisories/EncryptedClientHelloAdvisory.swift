import ATSEvidence
import PolicyResolution
import SessionModel

/// Reports that Encrypted ClientHello was offered, so the visible name may be the public one.
struct EncryptedClientHelloAdvisory: Advisory {
  static let id = "ADV-ECH"
  static let title = "Encrypted ClientHello offered"
  static let weight = 0
  static let explanation = RuleExplanation(
    demand: "The name in the ClientHello is the host that the client requests.",
    reason: "With Encrypted ClientHello, it may be the server's public name.",
    fix: .recording("nothing to fix; a key log shows the inner name"), since: RuleExplanation.anyRelease,
    sources: [.field], weaknesses: [], severity: "1.0")

  /// Checks for the extension; a GREASE extension looks the same.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard session.tls?.offer != nil else { return notApplicable() }
    if session.isInnerHelloHidden {
      return fail("Encrypted ClientHello was accepted", expected: "a name known for certain", parts: [.clientHello]).noting(
        "The name and the offer in this record are from the outer ClientHello; the inner one is encrypted.")
    }
    guard session.mayHaveInnerHello else {
      return session.evidence.clientHello == .complete ? pass(parts: [.clientHello]) : notApplicable()
    }
    return fail("Encrypted ClientHello was offered", expected: "a name known for certain", parts: [.clientHello]).noting(
      "The visible name may be the server's public name; a GREASE offer looks the same.")
  }
}

extension RuleID {
  /// `ADV-ECH`: the client offered Encrypted ClientHello.
  public static let encryptedClientHello = RuleID(rawValue: EncryptedClientHelloAdvisory.id)
}
