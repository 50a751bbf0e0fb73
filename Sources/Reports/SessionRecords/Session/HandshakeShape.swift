import CertificateParsing
import SessionModel
import TLSParsing

/// What a record says of a handshake beyond what is unique to the connection: sessions of one shape share its text.
struct HandshakeShape: Hashable {
  let offer: ObjectIdentifier?
  let serverHello: ObjectIdentifier?
  let isServerHelloWhole: Bool
  let group: NamedGroup?
  let serverKeyExchange: ServerKeyExchangeFacts?
  let handshakeSignature: HandshakeSignature?
  let helloRetryRequest: Bool
  let resumed: Bool?
  let resumption: TLSFacts.Resumption?

  /// Whether a response was stapled; nil where the capture cannot show it.
  let ocspStapled: Bool?

  /// Whether the server requested a certificate; nil where the capture cannot show it.
  let clientCertificateRequested: Bool?

  let outcome: TLSFacts.Outcome

  /// Whether the leaf holds SCTs; nil where there is no leaf.
  let leafHasSCTs: Bool?

  let hasSCTList: Bool

  /// Whether some of the handshake was read with secrets.
  let isDecrypted: Bool

  /// Whether the server accepted Encrypted ClientHello.
  let isEncryptedClientHelloAccepted: Bool

  /// The protocol that was chosen under protection.
  let protectedALPN: String?

  init(_ facts: borrowing TLSFacts, _ evidence: borrowing Evidence) {
    offer = facts.offer?.identity
    serverHello = facts.serverHello?.identity
    isServerHelloWhole = evidence.serverHello == .complete
    group = facts.group
    serverKeyExchange = facts.serverKeyExchange
    handshakeSignature = facts.handshakeSignature
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
    clientCertificateRequested = facts.requestsClientCertificate(evidence)
    outcome = facts.outcome
    leafHasSCTs = facts.chain?.certificates.first.map { $0.certificate.embeddedSCTs > 0 }
    hasSCTList = facts.sctList != nil
    isDecrypted = facts.isDecrypted
    isEncryptedClientHelloAccepted = facts.isEncryptedClientHelloAccepted
    protectedALPN = facts.protectedALPN
  }
}
