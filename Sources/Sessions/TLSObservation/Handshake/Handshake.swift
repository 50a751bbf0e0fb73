import ByteParsing
import HandshakeDecryption
package import SessionModel
package import TLSParsing
package import Values

/// The observations of one handshake, from both directions of a connection.
///
/// This file splits the directions into records and dispatches them. `HandshakeStates.swift` defines the progress of each side. The
/// messages are in `Handshake+Hellos.swift` and `Handshake+Messages.swift`; `Handshake+Alerts.swift`, `Handshake+Finished.swift` and
/// `Handshake+Conclusion.swift` determine how the handshake ends.
package struct Handshake: ~Copyable {
  package var facts = TLSFacts()

  /// The captured extent of each message, with its packets.
  package var evidence = Evidence()

  /// The transport of the messages.
  let transport: JA4Inputs.Transport

  // MARK: - States

  /// The endpoint that is the client, as far as known.
  var clientEndpoint = ClientEndpoint.unknown

  /// The result of the hellos so far.
  var negotiation = Negotiation.awaitingServerHello(isClientHelloRepeated: false)

  /// The client's progress after its hello.
  var client = ClientState.handshaking

  /// The server's progress after its hello.
  var server = ServerState.handshaking(.begun)

  /// The server's means of authentication.
  var serverCredential = ServerCredential.certificate

  /// Whether the server requests a raw public key instead of the client's certificates.
  var requestsRawPublicKey = false

  /// The first FIN or RST before the outcome was known.
  var closing: Closing?

  /// The packet of an alert that the server sent after its Finished, and before the client's in the capture; nil if there is none.
  var refusalAfterFinished: UInt64?

  // MARK: - Observations

  /// Whether the client offered pre-shared keys that seem to be external, all of them.
  var offersOnlyExternalPSKs = false

  /// The direction of the SYN that opened the connection; nil if none was captured.
  package var opener: Direction?

  /// Whether an encrypted record was observed that is an alert, or has the length of one.
  package var sawEncryptedAlert = false

  /// The number of bytes that begin an HTTP response of the server so far, and of those in the last piece.
  var httpStart = (seen: 0, inPiece: 0)

  /// Whether bytes of either direction are missing before the end of the server's first flight.
  package var lost = BothDirections(false)

  /// Whether whole records of either direction may be missing.
  var hidden = BothDirections(false)

  // MARK: - Reading

  var records = BothDirections(fromLower: RecordStream(), fromUpper: RecordStream())

  /// The byte ranges of the messages that were read in cleartext.
  var extents = MessageExtents()

  /// The byte range of the current message; empty if it is not in cleartext.
  var extent = 0..<0

  /// A ServerKeyExchange that was read before the ClientHello, whose random its signature covers; nil if there is none.
  var earlyExchange: Bytes?

  // MARK: - Decryption

  /// The bytes that a server sent before the client's hello in the capture; nil if there are none.
  var early: EarlyServerBytes?

  /// The inner hello, if the client's outer one was decrypted; otherwise nil.
  var inner: InnerHello?

  /// The transcript that the server signs in TLS 1.3; nil if it is unknown.
  var transcript: HandshakeTranscript?

  /// Whether the transcript surely begins with the connection's first ClientHello.
  var isTranscriptWhole = true

  /// Decrypts protected records; nil without secrets.
  var decryptor: HandshakeDecryptor?

  package init(over transport: JA4Inputs.Transport = .tls) { self.transport = transport }

  /// The direction in which the client sends; nil while it is unknown.
  package var clientDirection: Direction? { clientEndpoint.direction }

  /// Whether the client sends in a direction; nil while it is unknown.
  package func isClient(_ direction: Direction) -> Bool? { clientDirection.map { $0 == direction } }

  /// Whether the capture lacks the ClientHello that a HelloRetryRequest answers.
  package var lacksFirstHello: Bool {
    if case .helloRetryRequest = negotiation { facts.sharedOffer == nil } else { false }
  }

  /// Whether the server has finished, and the client may have.
  package var mayBeFinished: Bool {
    if case .mayHaveFinished = client { server.hasFinished } else { false }
  }

  /// Whether both sides have finished, so that no further cleartext is expected.
  package var isOver: Bool { facts.outcome == .established }

  /// Whether the server may still refuse the client's certificate, or its absence, with an alert that secrets decrypt.
  package var awaitsAlert: Bool {
    mutating get { facts.isClientCertificateRequested && decryptor?.mayDecryptLateAlert == true }
  }

  /// Whether the client seems to have refused, with an encrypted alert that is recognized only by its length.
  package var isRefusedByShape: Bool {
    mutating get { if case .refused = client { true } else { false } }
  }

  package var hitLimit: Bool {
    mutating get { records.fromLower.hitLimit || records.fromUpper.hitLimit || decryptor?.hitLimit == true }
  }

  /// The memory that incomplete messages and records, an inner hello and an early ServerKeyExchange take, in bytes.
  package mutating func heldBytes() -> Int {
    let kept = (earlyExchange?.count ?? 0) + (inner?.body.count ?? 0) + (transcript?.heldBytes ?? 0)
    return records.fromLower.heldBytes + records.fromUpper.heldBytes + (decryptor?.heldBytes ?? 0) + (early?.byteCount ?? 0) + kept
  }

  /// Reads the first bytes of each endpoint as a hello in the SSL 2 format if they begin like one: a server may respond to such a hello
  /// with SSL 2.0 or with TLS.
  package mutating func expectSSL2Hellos() {
    records.fromLower.expectSSL2Hello()
    records.fromUpper.expectSSL2Hello()
  }

  /// Returns the number of bytes at the end of the last piece that were not read, once.
  package mutating func takeUnread(in direction: Direction) -> Int { records[direction].takeUnread() }

  /// Adds a note to the evidence, unless it is already present.
  package mutating func note(_ note: EvidenceNote) { evidence.add(note) }
}

// MARK: - Bytes

extension Handshake {
  /// Reads on in one direction.
  @inline(__always)
  package mutating func consume(_ piece: Span<UInt8>, in direction: Direction, frame: UInt64, sharing shared: inout SharedFacts) {
    // The endpoint continues, so what seemed to be its FIN was the first of these bytes.
    if closing != nil { continueAfterUnseenClose(in: direction) }
    if facts.sharedOffer == nil, !shared.secrets.isEmpty, keepEarly(piece, direction, frame, sharing: &shared) { return }
    read(piece, in: direction, frame: frame, sharing: &shared)
    if closing != nil { passUnread(piece.count, direction) }
    if early != nil, facts.sharedOffer != nil { readEarly(sharing: &shared) }
  }

  mutating func read(_ piece: Span<UInt8>, in direction: Direction, frame: UInt64, sharing shared: inout SharedFacts) {
    if facts.sharedOffer != nil, facts.sharedServerHello == nil { noteHTTPResponse(piece, direction, frame) }
    var position = 0
    // At the end of a piece there is nothing to read, unless records are being decrypted.
    while position < piece.count || decryptor != nil, let event = nextEvent(piece, &position, direction, frame, sharing: &shared) {
      // A client that continues has sent its hello, so the capture lacks it.
      if early != nil, !event.isOfClientHello { readEarly(sharing: &shared) }
      noteExtent(direction, upTo: position)
      if case .message(let type, let body) = event {
        receive(type, piece.extracting(body), isWhole: true, direction, FrameList(frame), sharing: &shared)
      } else {
        receive(event, direction, frame, sharing: &shared)
      }
    }
    records[direction].dropReturned()
    records[direction].passPiece(piece.count)
  }

  /// Records the byte range of the current message, which ends at `position` of the piece.
  @inline(__always)
  private mutating func noteExtent(_ direction: Direction, upTo position: Int) {
    extent = records.reading(direction) { $0.messageStart..<max($0.messageStart, $0.offset &+ position) }
  }

  @inline(__always)
  private mutating func nextEvent(
    _ piece: Span<UInt8>, _ position: inout Int, _ direction: Direction, _ frame: UInt64, sharing shared: inout SharedFacts
  ) -> RecordStream.Event? {
    let start = position
    let event = records[direction].next(in: piece, at: &position, frame: frame)
    if decryptor != nil {
      decrypt(piece.extracting(start..<position), direction, frame, sharing: &shared)
    } else if case .protected = event {
      records[direction].pass(in: piece, at: &position)
    }
    return event
  }

  /// Skips bytes that the capture lacks in one direction.
  package mutating func skip(missing count: Int, in direction: Direction, frame: UInt64, sharing shared: inout SharedFacts) {
    if early?.direction == direction { readEarly(sharing: &shared) }
    if decryptor != nil { loseProtectedBytes(direction, frame) }
    httpStart.seen = 0
    if closing != nil { passUnread(count, direction) }
    noteLost(direction)
    if records.reading(direction, { $0.mayHideRecords(in: count) }) { hidden[direction] = true }
    if let event = records[direction].skip(missing: count) {
      noteExtent(direction, upTo: 0)
      receive(event, direction, frame, sharing: &shared)
    }
    records[direction].passPiece(count)
  }

  /// Records that messages of one direction may be missing, unless the server's first flight is over.
  private mutating func noteLost(_ direction: Direction) {
    if !server.flight.isEndSeen { lost[direction] = true }
  }

  /// Ends reading; incomplete messages are read as far as possible.
  package mutating func endReading(frame: UInt64, sharing shared: inout SharedFacts) {
    readEarly(sharing: &shared)
    for direction in Direction.allCases {
      guard let event = records[direction].endReading() else { continue }
      noteExtent(direction, upTo: 0)
      receive(event, direction, frame, sharing: &shared)
    }
    if decryptor != nil { breakOffDecryption(frame) }
  }
}

// MARK: - Records

extension Handshake {
  private mutating func receive(_ event: RecordStream.Event, _ direction: Direction, _ frame: UInt64, sharing shared: inout SharedFacts) {
    switch event {
    case .message:
      break
    case .lost:
      // A missing message may follow bytes that are not a record.
      noteLost(direction)
    case .gatheredMessage(let type):
      receiveGathered(type, isWhole: true, direction, sharing: &shared)
    case .brokenMessage(let type):
      receiveGathered(type, isWhole: false, direction, sharing: &shared)
    case .brokenSSL2Hello:
      let (message, frames) = gathered(direction)
      receiveBrokenSSL2Hello(message, direction, frames)
    case .ssl2Hello:
      let (message, frames) = gathered(direction)
      receiveSSL2Hello(message, direction, frames, sharing: &shared)
    case .alert(let level, let description):
      receiveAlert(ObservedAlert(level: level, description: description, frame: frame), direction)
    case .changeCipherSpec:
      receiveChangeCipherSpec(direction)
    case .protected(let header):
      if let decryptor, let isClient = isClient(direction), decryptor.isOpen(forClient: isClient) {
        decryptor.begin(header, isClient: isClient)
      } else {
        receiveProtected(header.contentType, length: header.length, direction, frame)
      }
    }
  }

  /// The message that was last returned or broken off in a direction, with its header, and its packets.
  private func gathered(_ direction: Direction) -> (Bytes, FrameList) {
    records.reading(direction) { ($0.gathered, $0.frames) }
  }

  private mutating func receiveGathered(_ type: HandshakeType, isWhole: Bool, _ direction: Direction, sharing shared: inout SharedFacts) {
    let (message, frames) = gathered(direction)
    let start = min(HandshakeHeader.byteCount, message.count)
    receive(type, message.span.extracting(start..<message.count), isWhole: isWhole, direction, frames, sharing: &shared)
  }
}
