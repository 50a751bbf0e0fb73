package import SessionModel
import TLSParsing
package import Values

/// What the capture shows in all, once no more of the connection will be read.
extension Handshake {
  /// Draws the conclusions from what was observed.
  ///
  /// `saw` is whether packets of each direction were observed; `isServerFlightUnread` whether QUIC packets of the server's flight were not
  /// decrypted although there are secrets.
  package mutating func conclude(
    wasReset: Bool, resetFrame: UInt64, opener: Direction? = nil,
    saw: BothDirections<Bool> = BothDirections(true), isServerFlightUnread: Bool = false
  ) {
    if let opener { correctClient(opener) }
    if facts.outcome == .incomplete, wasReset || closing != nil, !mayHaveFinishedUnseen(saw) {
      concludeRefusal()
      if facts.outcome == .incomplete, wasReset { conclude(.reset, resetFrame) }
    }
    if case .tls12 = negotiation {
      if facts.resumed == nil { concludeResumption() }
      if server.flight.isEndSeen, !isServerFlightBroken {
        facts.forgoesClientCertificate = !facts.clientCertificateRequested
      }
    }
    concludeEvidence(stateOfUnseen(isServerFlightUnread))
  }

  /// Whether both sides may have finished, or one have refused, in what the capture lacks: a reset then shows nothing about the
  /// handshake.
  private func mayHaveFinishedUnseen(_ saw: BothDirections<Bool>) -> Bool {
    if hidden.fromLower || hidden.fromUpper { return true }
    guard let clientDirection else { return !saw.fromLower || !saw.fromUpper }
    let mayClientHaveFinished =
      switch client {
      case .handshaking: false
      case .mayHaveFinished: facts.serverHello == nil
      case .finished, .sentData, .refused: true
      }
    return (mayClientHaveFinished || !saw[clientDirection])
      && (server.hasFinished || !saw[clientDirection.opposite])
  }

  private mutating func concludeResumption() {
    if server.flight.isFull {
      facts.resumed = false
      return
    }
    let echoed = !facts.sessionID.isEmpty && facts.sessionID == facts.offeredSessionID
    // A ChangeCipherSpec right after the hello shows it, unless bytes between the two are missing.
    guard echoed || server.flight.hasChangedCipherSpec && !isServerFlightBroken else { return }
    facts.resumed = true
    // Clients send a made-up session ID with a ticket: without the whole hello, the ID alone shows nothing.
    let offersTicket = !facts.offeredTicket.isEmpty
    facts.resumption = offersTicket ? .ticket : evidence.clientHello == .complete ? .sessionID : nil
  }

  /// Whether bytes of the server's first flight are missing.
  private var isServerFlightBroken: Bool {
    guard let clientDirection else { return lost.fromLower || lost.fromUpper }
    return lost[clientDirection.opposite]
  }

  /// Whether the server's whole hello shows that no CertificateStatus follows.
  private var forgoesCertificateStatus: Bool {
    guard case .tls12 = negotiation, evidence.serverHello == .complete, let serverHello = facts.serverHello,
      server.flight.isOver
    else { return false }
    return !serverHello.extensions.contains(.statusRequest) && !serverHello.extensions.contains(.statusRequestV2)
  }

  /// Why a message of the server was not observed.
  private func stateOfUnseen(_ isQUICFlightUnread: Bool) -> Evidence.State {
    let isResumed = facts.resumed == true
    switch negotiation {
    case .tls13:
      // A handshake with a PSK has no certificates, decrypted or not (RFC 8446 §4.4.2), unless the server shows some besides (RFC 8773
      // §4).
      if isResumed, facts.serverHello?.extensions.contains(.certificateWithExternPSK) != true { return .resumed }
      if server.isFinishedRead { return .notSent }
      return isQUICFlightUnread || opening?.isServerFlightUnread == true ? .missing : .encrypted
    case .awaitingServerHello, .helloRetryRequest, .tls12:
      if isResumed { return .resumed }
      return facts.serverHello != nil && server.flight.isOver && !isServerFlightBroken ? .notSent : .missing
    }
  }

  private mutating func concludeEvidence(_ unseen: Evidence.State) {
    if evidence.certificates == .missing { evidence.certificates = unseen }
    if evidence.certificateStatus == .missing {
      // Without the extension in its hello a server sends none (RFC 6066 §8), whatever else is missing.
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

  /// Returns the facts, once they are concluded.
  package mutating func takeFacts() -> TLSFacts {
    var taken = TLSFacts()
    swap(&taken, &facts)
    return taken
  }

  /// Returns the evidence, once it is concluded.
  package mutating func takeEvidence() -> Evidence {
    var taken = Evidence()
    swap(&taken, &evidence)
    return taken
  }
}
