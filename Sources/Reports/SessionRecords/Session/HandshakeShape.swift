import CertificateParsing
import SessionObservation
import TLSParsing

/// What a record says of a handshake beyond what is unique to the connection: sessions of one shape share its text.
struct HandshakeShape: Hashable {
  let offer: ObjectIdentifier?
  let answer: ObjectIdentifier?
  let isServerHelloWhole: Bool
  let group: NamedGroup?
  let serverKeyExchange: ServerKeyExchangeFacts?
  let helloRetryRequest: Bool
  let resumed: Bool?
  let resumption: TLSFacts.Resumption?

  /// Whether a response was stapled; nil where the capture cannot show it.
  let ocspStapled: Bool?

  /// Whether the server asked for a certificate; nil where the capture cannot show it.
  let clientCertificateRequested: Bool?

  let established: Bool
  let outcome: TLSFacts.Outcome

  /// Whether the leaf holds SCTs; nil where there is no leaf.
  let leafHasSCTs: Bool?

  let hasSCTList: Bool

  /// Whether some of the handshake was read with secrets.
  let isDecrypted: Bool

  /// The protocol that was chosen under protection.
  let protectedALPN: String?

  init(_ facts: borrowing TLSFacts, _ evidence: borrowing Evidence) {
    offer = facts.offer.map(ObjectIdentifier.init)
    answer = facts.answer.map(ObjectIdentifier.init)
    isServerHelloWhole = evidence.serverHello == .complete
    group = facts.group
    serverKeyExchange = facts.serverKeyExchange
    helloRetryRequest = facts.helloRetryRequest
    resumed = facts.resumed
    resumption = facts.resumption
    if facts.ocspStapled {
      ocspStapled = true
    } else {
      switch evidence.certificateStatus {
      case .complete, .notSent, .resumed: ocspStapled = false
      case .partial, .missing, .encrypted: ocspStapled = nil
      }
    }
    let isTLS13 = facts.answer?.content.version.isTLS13 == true
    if facts.clientCertificateRequested {
      clientCertificateRequested = true
    } else {
      // With secrets the whole flight was read where the certificates were.
      let isRead = !isTLS13 || facts.isDecrypted && facts.chain?.isComplete == true
      let isSeen = isRead && facts.established && evidence.incomplete == nil
      // What is resumed has no room for the request (RFC 5246 §7.3, RFC 8446 §4.3.2), unless certificates come with the key
      // (RFC 8773).
      let isCertified = facts.answer?.content.extensions.contains { $0.rawValue == 33 } == true
      let isKnown = isSeen || facts.forgoesClientCertificate || facts.resumed == true && !isCertified
      clientCertificateRequested = isKnown ? false : nil
    }
    established = facts.established
    outcome = facts.outcome
    leafHasSCTs = facts.chain?.certificates.first.map { $0.certificate.embeddedSCTs > 0 }
    hasSCTList = facts.sctList != nil
    isDecrypted = facts.isDecrypted
    protectedALPN = facts.protectedALPN
  }

  /// Hashes what tells most shapes apart; equality looks at everything.
  func hash(into hasher: inout Hasher) {
    hasher.combine(offer)
    hasher.combine(answer)
    hasher.combine((group?.rawValue).map(UInt32.init) ?? .max)
  }
}
