import SessionModel
import TLSParsing
import Values

/// Protected records, from which the Finished of both sides is inferred, or a refusal.
extension Handshake {
  /// The least fragment that holds a Finished of TLS 1.3: 4 bytes of header, 32 of digest, the type, a tag of 8.
  static let leastFinishedLength = 45

  mutating func receiveChangeCipherSpec(_ direction: Direction) {
    // In TLS 1.3 the record is there for middleboxes only (RFC 8446 appendix D.4).
    guard !negotiation.isTLS13, let isClient = isClient(direction) else { return }
    if !isClient { server.flight.noteChangeCipherSpec() }
    records[direction].isProtected = true
  }

  /// Takes a record that is encrypted, and was not decrypted.
  mutating func receiveProtected(
    _ type: ContentType, length: Int, _ direction: Direction, _ frame: UInt64
  ) {
    guard let isClient = isClient(direction), facts.outcome == .incomplete || refusedByShape else { return }
    if type == .alert || negotiation.isTLS13 && isSealedAlert(length) { sawSealedAlert = true }
    switch (negotiation, isClient) {
    case (.tls13, true), (.helloRetryRequest(isAnswered: true), true):
      receiveTLS13Record(length, direction, frame)
    case (.tls13, false):
      finishServer(frame)
    case (.helloRetryRequest, _):
      // What the client sends before its second hello is early data. The ServerHello may be late: a gap in it is
      // given up only at the end.
      break
    case (_, true):
      receiveClientRecord(type, length, direction, frame)
    case (_, false):
      if type == .handshake || type == .applicationData { finishServer(frame) }
    }
  }

  /// Takes a record of a client in TLS 1.3.
  private mutating func receiveTLS13Record(_ length: Int, _ direction: Direction, _ frame: UInt64) {
    if length >= Handshake.leastFinishedLength {
      finishClient(.finished, frame)
    } else if case .handshaking = client, isSealedAlert(length), !offersEarlyData, !hidden[direction],
      !isAfterClose(direction, frame)
    {
      // Before its Finished a client has nothing else of that length to send.
      refuse(frame)
    }
  }

  /// Takes a record of a client up to TLS 1.2, or of a session whose ServerHello was not read.
  private mutating func receiveClientRecord(
    _ type: ContentType, _ length: Int, _ direction: Direction, _ frame: UInt64
  ) {
    switch type {
    case .alert:
      receiveSealedAlert(direction, frame)
    case .handshake, .applicationData:
      // Early data does not show how the handshake will end.
      if facts.serverHello == nil, offersEarlyData {
        if case .handshaking = client { client = .mayHaveFinished }
        return
      }
      // Where the ServerHello is missing, the server may have chosen TLS 1.3, whose alerts look like application data.
      if type == .applicationData, length < Handshake.leastFinishedLength, mayBeTLS13 { return }
      finishClient(type == .applicationData ? .sentData : .finished, frame)
    default: break
    }
  }

  /// Takes an encrypted alert of a client up to TLS 1.2. A client that checks the certificate in parallel sends one after its
  /// Finished, without waiting for the server's; after application data, it may just be closing.
  private mutating func receiveSealedAlert(_ direction: Direction, _ frame: UInt64) {
    guard case .finished = client, !server.hasFinished, !hidden.fromLower, !hidden.fromUpper,
      !isAfterClose(direction, frame)
    else { return }
    refuse(frame)
  }

  /// Whether a fragment has the length of an alert of TLS 1.3 and nothing else: 2 bytes, the type, the tag, and the
  /// 16 bytes of padding that Java puts into every record. An empty Certificate message of a client is six bytes longer.
  @inline(__always)
  private func isSealedAlert(_ length: Int) -> Bool {
    switch length {
    case 19, 35: !hasShortTag
    case 11, 27: hasShortTag
    default: false
    }
  }

  /// Whether the tags of records have 8 bytes and not 16.
  private var hasShortTag: Bool {
    guard let serverHello = facts.serverHello, let suite = serverHello.cipherSuite else { return false }
    return suite == .aes128CCM8
  }

  /// Whether the client offers early data, which is protected and comes before its Finished.
  private var offersEarlyData: Bool { facts.offer?.extensions.contains(.earlyData) == true }

  /// Whether TLS 1.3 may have been chosen in a ServerHello that is not in the capture.
  private var mayBeTLS13: Bool {
    guard facts.serverHello == nil, !server.flight.isFull else { return false }
    guard evidence.clientHello == .complete, let offer = facts.offer else { return true }
    return offer.versions.contains { $0.hasTLS13Handshake }
  }
}

// MARK: - Transitions

extension Handshake {
  /// Takes the Finished of one side, which was decrypted.
  mutating func finish(in direction: Direction, _ frame: UInt64) {
    guard let isClient = isClient(direction) else { return }
    if !isClient {
      noteServerFinished()
    } else if !client.hasFinished, !refusedByShape {
      client = .finished
    }
    establishIfFinished(frame)
  }

  /// Records the server's Finished, which was decrypted and ends its part of the handshake.
  mutating func noteServerFinished() { server.finish(isRead: true) }

  private mutating func finishServer(_ frame: UInt64) {
    server.finish(isRead: false)
    establishIfFinished(frame)
  }

  /// Moves the client on to `.finished` or `.sentData`. A client that continues did not refuse.
  private mutating func finishClient(_ state: ClientState, _ frame: UInt64) {
    if refusedByShape { withdrawRefusal() }
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
    evidence.notes.removeAll { $0 == EvidenceNote.encryptedAlertFromClient.rawValue }
  }

  /// Takes back a refusal that rests on the server not having finished, where it may have: the client had more of it than was
  /// read. In TLS 1.3 the refusal rests on the client's own Finished.
  package mutating func doubtRefusal() {
    if refusedByShape, !negotiation.isTLS13 { withdrawRefusal() }
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
