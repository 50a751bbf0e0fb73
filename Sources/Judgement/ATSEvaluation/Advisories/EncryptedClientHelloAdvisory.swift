package import PolicyResolution
package import SessionModel
import TLSParsing

/// Encrypted ClientHello was offered, so the name seen may be the public one.
package struct EncryptedClientHelloAdvisory: Advisory {
  package static let id = "ADV-ECH"
  package static let title = "Encrypted ClientHello offered"

  package init() {}

  /// Looks for the extension; GREASE looks the same.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
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
