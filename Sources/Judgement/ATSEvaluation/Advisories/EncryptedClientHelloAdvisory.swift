package import PolicyResolution
import SessionModel
import TLSParsing

/// Encrypted ClientHello was offered, so the name seen may be the public one.
package struct EncryptedClientHelloAdvisory: Advisory {
  package static let id = "ADV-ECH"
  package static let title = "Encrypted ClientHello offered"
  package static let weight = 0
  package static let explanation = RuleExplanation(
    demand: "The name in the ClientHello is the one that the client wants.",
    reason: "With Encrypted ClientHello it may be the public one.",
    fix: "Nothing to mend; a key log shows the inner name.", since: RuleExplanation.anyRelease,
    sources: [.field])

  package init() {}

  /// Looks for the extension; GREASE looks the same.
  package func judge(
    _ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let offer = session.tls?.offer else { return notApplicable() }
    if session.isInnerHelloHidden {
      return advise(
        "Encrypted ClientHello was accepted", expected: "a name that is certain", parts: [.clientHello]
      ).noting(
        "The name and the offer in this record are those of the outer ClientHello; the inner one is encrypted."
      )
    }
    // Secrets that open the handshake show that the hello which was read is the one that counts.
    guard offer.has(.encryptedClientHello), session.tls?.isDecrypted != true, session.tls?.outerHello == nil
    else {
      return session.evidence.clientHello == .complete ? pass(parts: [.clientHello]) : notApplicable()
    }
    return advise(
      "Encrypted ClientHello was offered", expected: "a name that is certain", parts: [.clientHello]
    ).noting("The name seen may be the public one; an offer that means nothing (GREASE) looks the same.")
  }
}
