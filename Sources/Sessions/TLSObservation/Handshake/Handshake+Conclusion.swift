package import SessionModel
import TLSParsing
package import Values

/// The conclusions from the capture, once no more of the connection will be read.
extension Handshake {
  /// Draws the conclusions.
  ///
  /// `saw` contains the directions in which packets were captured. `isServerFlightUnread` means that QUIC packets of the server's flight
  /// were not decrypted although secrets are available.
  package mutating func conclude(
    wasReset: Bool, resetFrame: UInt64, opener: Direction? = nil,
    saw: BothDirections<Bool> = BothDirections(true), isServerFlightUnread: Bool = false
  ) {
    if let opener { correctClient(opener) }
    concludeRefusalAfterFinished()
    if facts.outcome == .incomplete, wasReset || closing != nil, !mayHaveFinishedUnseen(saw) {
      concludeRefusal()
      if facts.outcome == .incomplete, wasReset { conclude(.reset, resetFrame) }
    }
    if case .tls12 = negotiation {
      if facts.isResumed == nil { concludeResumption() }
      if server.flight.isEndSeen, !isServerFlightBroken {
        facts.forgoesClientCertificate = !facts.isClientCertificateRequested
      }
    }
    concludeEvidence(stateOfUnseen(isServerFlightUnread))
  }

  /// Whether both sides may have finished, or one may have refused, in bytes that the capture lacks. A reset then shows nothing about the
  /// handshake.
  private func mayHaveFinishedUnseen(_ saw: BothDirections<Bool>) -> Bool {
    if hidden.fromLower || hidden.fromUpper { return true }
    guard let clientDirection else { return !saw.fromLower || !saw.fromUpper }
    let mayClientHaveFinished =
      switch client {
      case .handshaking: false
      case .mayHaveFinished, .finished, .sentData, .refused: true
      }
    return (mayClientHaveFinished || !saw[clientDirection]) && (server.hasFinished || !saw[clientDirection.opposite])
  }

  private mutating func concludeResumption() {
    if server.flight.isFull {
      facts.isResumed = false
      return
    }
    let echoed = !facts.sessionID.isEmpty && facts.sessionID == facts.offeredSessionID
    // A ChangeCipherSpec directly after the hello shows a resumption, unless bytes between them are missing.
    guard echoed || server.flight.hasChangedCipherSpec && !isServerFlightBroken else { return }
    facts.isResumed = true
    // Clients that offer a ticket send an arbitrary session ID with it, so without the whole hello an echoed ID does not show the means.
    let offersTicket = !facts.offeredTicket.isEmpty
    facts.resumption = offersTicket ? .ticket : evidence.clientHello == .complete ? .sessionID : nil
  }

  /// Whether bytes of the server's first flight are missing.
  private var isServerFlightBroken: Bool {
    guard let clientDirection else { return lost.fromLower || lost.fromUpper }
    return lost[clientDirection.opposite]
  }

  /// Whether the server's complete hello shows that no CertificateStatus follows, or its ServerKeyExchange that none preceded it (RFC 6066
  /// §8).
  private var forgoesCertificateStatus: Bool {
    guard case .tls12 = negotiation else { return false }
    if evidence.serverKeyExchange == .complete, !isServerFlightBroken { return true }
    guard evidence.serverHello == .complete, let serverHello = facts.sharedServerHello, server.flight.isOver else { return false }
    return !serverHello.extensions.contains(.statusRequest) && !serverHello.extensions.contains(.statusRequestV2)
  }

  /// Whether the client may offer pre-shared keys, also in a part of its hello that the capture lacks.
  private var mayOfferPSK: Bool {
    evidence.clientHello != .complete || facts.sharedOffer?.extensions.contains(.preSharedKey) != false
  }

  /// The state of a server message that was not captured.
  @inline(__always)
  private func stateOfUnseen(_ isQUICFlightUnread: Bool) -> Evidence.State {
    let isResumed = facts.isResumed == true
    switch negotiation {
    case .tls13:
      // A handshake with a PSK has no certificates, decrypted or not (RFC 8446 §4.4.2), unless the server uses certificates with an
      // external PSK (RFC 8773 §4).
      let isExternalPSK = evidence.contains(.externalPSK)
      if isResumed || isExternalPSK, facts.sharedServerHello?.extensions.contains(.certificateWithExternPSK) != true {
        return isExternalPSK ? .notSent : .resumed
      }
      if server.isFinishedRead { return .notSent }
      if facts.isResumed == nil, mayOfferPSK { return .missing }
      return isQUICFlightUnread || decryptor?.isServerFlightUnread == true ? .missing : .encrypted
    case .awaitingServerHello, .helloRetryRequest, .tls12:
      if isResumed { return .resumed }
      return facts.sharedServerHello != nil && server.flight.isOver && !isServerFlightBroken ? .notSent : .missing
    }
  }

  private mutating func concludeEvidence(_ unseen: Evidence.State) {
    if evidence.certificates == .missing { evidence.certificates = unseen }
    if evidence.certificateStatus == .missing {
      // Without the extension in its hello, a server sends no CertificateStatus (RFC 6066 §8), whatever else is missing.
      evidence.certificateStatus = unseen == .missing && forgoesCertificateStatus ? .notSent : unseen
    }
    if evidence.serverKeyExchange == .missing {
      if case .tls13 = negotiation {
        evidence.serverKeyExchange = .notSent
      } else {
        evidence.serverKeyExchange = unseen
      }
    }
  }

  /// Removes and returns the facts, once they are concluded.
  package mutating func takeFacts() -> TLSFacts { exchange(&facts, with: TLSFacts()) }

  /// Removes and returns the evidence, once it is concluded.
  package mutating func takeEvidence() -> Evidence { exchange(&evidence, with: Evidence()) }
}
