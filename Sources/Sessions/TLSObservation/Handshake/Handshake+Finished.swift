import SessionModel
import TLSParsing
import Values

/// Protected records, from which both Finished messages, or a refusal, are inferred.
extension Handshake {
  /// The minimum length of a fragment with a TLS 1.3 Finished: header (4), digest (32), type (1), tag (8).
  static let leastFinishedLength = 45

  mutating func receiveChangeCipherSpec(_ direction: Direction) {
    // In TLS 1.3 the record is only for middlebox compatibility (RFC 8446 appendix D.4).
    guard !negotiation.isTLS13, let isClient = isClient(direction) else { return }
    if !isClient { server.flight.noteChangeCipherSpec() }
    records[direction].isProtected = true
  }

  /// Receives an encrypted record that was not decrypted.
  mutating func receiveProtected(_ type: ContentType, length: Int, _ direction: Direction, _ frame: UInt64) {
    guard let isClient = isClient(direction), facts.outcome == .incomplete || isRefusedByShape else { return }
    if type == .alert || negotiation.isTLS13 && isEncryptedAlert(length) { sawEncryptedAlert = true }
    switch (negotiation, isClient) {
    case (.tls13, true), (.helloRetryRequest(isAnswered: true), true):
      receiveTLS13Record(length, direction, frame)
    case (.tls13, false):
      finishServer(frame)
    case (.helloRetryRequest, _):
      // Client records before its second hello are early data. The ServerHello may still follow, since a gap before it is skipped only at
      // the end.
      break
    case (_, true):
      receiveClientRecord(type, length, direction, frame)
    case (_, false):
      if type == .handshake || type == .applicationData { finishServer(frame) }
    }
  }

  /// Receives a client's record in TLS 1.3.
  private mutating func receiveTLS13Record(_ length: Int, _ direction: Direction, _ frame: UInt64) {
    if length >= Handshake.leastFinishedLength {
      // Early data may arrive after the ServerHello.
      if mayOfferEarlyData, !client.hasFinished, !hasLengthOfFinished(length) {
        client = .mayHaveFinished
      } else {
        finishClient(.finished, frame)
      }
    } else if case .handshaking = client, isEncryptedAlert(length), !mayOfferEarlyData, !hidden[direction],
      !isAfterClose(direction, frame)
    {
      // Before its Finished, a client can send nothing else of this length.
      refuse(frame)
    }
  }

  /// Whether a fragment has the length of a TLS 1.3 Finished, without padding or with that of Java.
  private func hasLengthOfFinished(_ length: Int) -> Bool {
    let digest = facts.sharedServerHello?.cipherSuite?.structure?.hash == .sha384 ? 48 : 32
    let least = 4 + digest + 1 + (hasShortTag ? 8 : 16)
    return length == least || length == least + 16
  }

  /// Receives a client's record up to TLS 1.2, or in a session whose ServerHello was not read.
  private mutating func receiveClientRecord(_ type: ContentType, _ length: Int, _ direction: Direction, _ frame: UInt64) {
    switch type {
    case .alert:
      receiveEncryptedAlert(direction, frame)
    case .handshake, .applicationData:
      // Early data does not show how the handshake ends.
      if facts.sharedServerHello == nil, offersEarlyData {
        if case .handshaking = client { client = .mayHaveFinished }
        return
      }
      // If the ServerHello is missing, the server may have chosen TLS 1.3, whose alerts look like application data.
      if type == .applicationData, length < Handshake.leastFinishedLength, mayBeTLS13 { return }
      finishClient(type == .applicationData ? .sentData : .finished, frame)
    default: break
    }
  }

  /// Receives a client's encrypted alert up to TLS 1.2. After its Finished, it may come from a client that verifies the certificate in
  /// parallel, before the server's Finished. After application data, it may just be a close.
  private mutating func receiveEncryptedAlert(_ direction: Direction, _ frame: UInt64) {
    guard case .finished = client, !server.hasFinished, !hidden.fromLower, !hidden.fromUpper,
      !isAfterClose(direction, frame)
    else { return }
    refuse(frame)
  }

  /// Whether a fragment can only be a TLS 1.3 alert, by its length: alert (2), type (1), tag, and the 16 bytes of padding that Java adds to
  /// each record. A client's empty Certificate message is six bytes longer.
  @inline(__always)
  private func isEncryptedAlert(_ length: Int) -> Bool {
    switch length {
    case 19, 35: !hasShortTag
    case 11, 27: hasShortTag
    default: false
    }
  }

  /// Whether record tags have 8 bytes instead of 16.
  private var hasShortTag: Bool { facts.sharedServerHello?.cipherSuite == .aes128CCM8 }

  /// Whether the client offers early data, which is encrypted and precedes its Finished.
  private var offersEarlyData: Bool { facts.sharedOffer?.extensions.contains(.earlyData) == true }

  /// Whether the client may offer early data, also in a part of its hello that the capture lacks. Only with a pre-shared key can the server
  /// accept it.
  private var mayOfferEarlyData: Bool {
    offersEarlyData || facts.isResumed == true && evidence.clientHello != .complete
  }

  /// Whether a ServerHello that was not captured may have chosen TLS 1.3.
  private var mayBeTLS13: Bool {
    guard facts.sharedServerHello == nil, !server.flight.isFull else { return false }
    guard evidence.clientHello == .complete, let offer = facts.sharedOffer else { return true }
    return offer.versions.contains { $0.hasTLS13Handshake }
  }
}

// MARK: - Transitions

extension Handshake {
  /// Receives a decrypted Finished.
  mutating func finish(in direction: Direction, _ frame: UInt64) {
    guard let isClient = isClient(direction) else { return }
    if !isClient {
      noteServerFinished()
    } else if !client.hasFinished, !isRefusedByShape {
      client = .finished
    }
    establishIfFinished(frame)
  }

  /// Records the server's decrypted Finished, which ends its part of the handshake.
  mutating func noteServerFinished() { server.finish(isRead: true) }

  private mutating func finishServer(_ frame: UInt64) {
    server.finish(isRead: false)
    establishIfFinished(frame)
  }

  /// Advances the client to `.finished` or `.sentData`. A client that continues did not refuse.
  private mutating func finishClient(_ state: ClientState, _ frame: UInt64) {
    if isRefusedByShape { withdrawRefusal() }
    if case .sentData = client {} else { client = state }
    establishIfFinished(frame)
  }

  private mutating func refuse(_ frame: UInt64) {
    note(.encryptedAlertFromClient)
    client = .refused
    conclude(.refusedByClient, frame)
  }

  private mutating func withdrawRefusal() {
    client = .finished
    facts.outcome = .incomplete
    evidence.frames[.outcome] = FrameList()
    evidence.remove(.encryptedAlertFromClient)
  }

  /// Withdraws a refusal that was inferred because the server had not finished. The client received more from the server than was read, so
  /// the server may have finished. In TLS 1.3 the inference does not depend on the server.
  package mutating func doubtRefusal() {
    if isRefusedByShape, !negotiation.isTLS13 { withdrawRefusal() }
  }

  private mutating func establishIfFinished(_ frame: UInt64) {
    if client.hasFinished, server.hasFinished { establish(frame) }
  }

  /// Records that both sides have finished.
  mutating func establish(_ frame: UInt64) {
    guard facts.outcome == .incomplete else { return }
    conclude(.established, frame)
  }

  mutating func conclude(_ outcome: TLSFacts.Outcome, _ frame: UInt64) {
    facts.outcome = outcome
    evidence.frames[.outcome].insert(frame)
  }
}
