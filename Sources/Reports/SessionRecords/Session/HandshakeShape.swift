import CertificateParsing
import SessionModel
import TLSParsing

/// The recorded facts of a handshake that are not unique to its connection: sessions of one shape share their text.
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

  /// Whether a response was stapled; nil if the capture cannot show it.
  let ocspStapled: Bool?

  /// Whether the server requested a certificate; nil if the capture cannot show it.
  let clientCertificateRequested: Bool?

  let outcome: TLSFacts.Outcome

  /// Whether the leaf contains SCTs; nil without a leaf.
  let leafHasSCTs: Bool?

  let hasSCTList: Bool

  /// Whether the stapled OCSP response contains SCTs.
  let stapleHasSCTs: Bool

  /// Whether part of the handshake was decrypted.
  let isDecrypted: Bool

  /// Whether the server accepted Encrypted ClientHello.
  let isEncryptedClientHelloAccepted: Bool

  /// The application protocol selected in encrypted messages.
  let protectedALPN: String?

  init(_ facts: Shared<TLSFacts>, _ evidence: borrowing Evidence) {
    offer = facts.sharedOffer?.identity
    serverHello = facts.sharedServerHello?.identity
    isServerHelloWhole = evidence.serverHello == .complete
    group = facts.group
    serverKeyExchange = facts.serverKeyExchange
    handshakeSignature = facts.handshakeSignature
    helloRetryRequest = facts.hasHelloRetryRequest
    resumed = facts.isResumed
    resumption = facts.resumption
    if facts.hasStapledOCSPResponse {
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
    let staple = facts.ocspResponse.flatMap { try? OCSPResponse(parsing: $0.span) }
    stapleHasSCTs = staple?.responses.contains { $0.sctList != nil } ?? false
    isDecrypted = facts.isDecrypted
    isEncryptedClientHelloAccepted = facts.isEncryptedClientHelloAccepted
    protectedALPN = facts.protectedALPN
  }
}
