import ByteParsing
import HandshakeDecryption
package import SessionModel
import TLSParsing
package import Values

/// Joins both directions of a connection into what was observed of one handshake.
///
/// This file cuts the directions into records and hands on what is found. `HandshakeStates.swift` defines how far each side has come. The
/// messages are in `Handshake+Hellos.swift` and `Handshake+Messages.swift`; `Handshake+Alerts.swift`, `Handshake+Finished.swift` and
/// `Handshake+Conclusion.swift` determine how the handshake ends.
package struct Handshake: ~Copyable {
  /// What was observed.
  package var facts = TLSFacts()

  /// Where it was observed.
  package var evidence = Evidence()

  /// What carries the messages.
  let transport: JA4Inputs.Transport

  // MARK: - States

  /// Which endpoint is the client.
  var clientEndpoint = ClientEndpoint.unknown

  /// What the hellos have settled.
  var negotiation = Negotiation.awaitingServerHello(isClientHelloRepeated: false)

  /// How far the client has come after its hello.
  var client = ClientState.handshaking

  /// How far the server has come after its hello.
  var server = ServerState.handshaking(.begun)

  /// What the server proves its identity with.
  var serverCredential = ServerCredential.certificate

  /// The first FIN or RST before the outcome was known.
  var closing: Closing?

  // MARK: - Observations

  /// The direction of the SYN that opened the connection; nil where none was seen.
  package var opener: Direction?

  /// Whether an encrypted record was observed that is an alert, or has the length of one.
  package var sawSealedAlert = false

  /// Whether bytes of either direction are missing before the end of the server's first flight.
  package var lost = BothDirections(false)

  /// Whether whole records of either direction may be missing.
  var hidden = BothDirections(false)

  // MARK: - Reading

  var records = BothDirections(fromLower: RecordStream(), fromUpper: RecordStream())

  /// Where the messages that were read in the clear lie in their directions.
  var extents = MessageExtents()

  /// Where the message at hand lies; empty where that is not in the clear.
  var extent = 0..<0

  // MARK: - Decryption, where there are secrets

  /// What a server sent before the client's hello.
  var early: EarlyServerBytes?

  /// The inner hello, where the client's outer one was decrypted.
  var inner: InnerHello?

  /// What the server signs in TLS 1.3.
  var transcript: HandshakeTranscript?

  /// Opens protected records.
  var opening: HandshakeOpening?

  /// Creates a handshake of which nothing was read.
  package init() { self.init(over: .tls) }

  init(over transport: JA4Inputs.Transport) { self.transport = transport }

  /// The direction in which the client sends; nil before anything shows it.
  package var clientDirection: Direction? { clientEndpoint.direction }

  /// Whether the client sends in a direction; nil before anything shows it.
  package func isClient(_ direction: Direction) -> Bool? { clientDirection.map { $0 == direction } }

  /// Whether both sides have finished, so that no further cleartext is expected.
  package var isOver: Bool { facts.outcome == .established }

  /// Whether the client seems to have refused, with an encrypted alert that only its length shows.
  package var refusedByShape: Bool { if case .refused = client { true } else { false } }

  /// Whether a limit was hit.
  package var hitLimit: Bool {
    records.fromLower.hitLimit || records.fromUpper.hitLimit || opening?.hitLimit == true
  }

  /// Bytes of messages and records that are not complete yet, and of an inner hello.
  @inline(__always)
  package var heldBytes: Int {
    records.fromLower.heldBytes + records.fromUpper.heldBytes + (opening?.heldBytes ?? 0)
      + (early?.byteCount ?? 0) + (inner?.body.count ?? 0) + (transcript?.heldBytes ?? 0)
  }

  /// Takes the next bytes from one endpoint for a hello in the format of SSL 2.
  package mutating func expectSSL2Hello(in direction: Direction) {
    records[direction].expectSSL2Hello()
  }

  /// Returns how many bytes at the end of the last piece were not read.
  package mutating func takeUnread(in direction: Direction) -> Int { records[direction].takeUnread() }

  /// Adds a note to the evidence, once.
  package mutating func note(_ note: EvidenceNote) { evidence.add(note) }
}

// MARK: - Bytes

extension Handshake {
  /// Continues reading in one direction.
  @inline(__always)
  package mutating func consume(
    _ piece: Span<UInt8>, in direction: Direction, frame: UInt64, sharing shared: inout SharedFacts
  ) {
    if facts.offer == nil, !shared.secrets.isEmpty, keepEarly(piece, direction, frame, sharing: &shared) {
      return
    }
    read(piece, in: direction, frame: frame, sharing: &shared)
    if early != nil, facts.offer != nil { readEarly(sharing: &shared) }
  }

  mutating func read(
    _ piece: Span<UInt8>, in direction: Direction, frame: UInt64, sharing shared: inout SharedFacts
  ) {
    if facts.offer != nil, facts.serverHello == nil { noteHTTPResponse(piece, direction, frame) }
    var position = 0
    // At the end of a piece there is nothing to read, unless records are opened.
    while position < piece.count || opening != nil,
      let event = nextEvent(piece, &position, direction, frame, sharing: &shared)
    {
      // A client that continues has sent its hello, which the capture lacks then.
      if early != nil, !event.isOfClientHello { readEarly(sharing: &shared) }
      noteExtent(direction, upTo: position)
      if case .message(let type, let body) = event {
        receive(
          type, piece.extracting(body), isWhole: true, direction, FrameList(frame), sharing: &shared)
      } else {
        receive(event, direction, frame, sharing: &shared)
      }
    }
    records[direction].dropReturned()
    records[direction].passPiece(piece.count)
  }

  /// Records where the message at hand lies, which ends at a position of the piece.
  @inline(__always)
  private mutating func noteExtent(_ direction: Direction, upTo position: Int) {
    let start = records[direction].messageStart
    extent = start..<max(start, records[direction].offset &+ position)
  }

  @inline(__always)
  private mutating func nextEvent(
    _ piece: Span<UInt8>, _ position: inout Int, _ direction: Direction, _ frame: UInt64,
    sharing shared: inout SharedFacts
  ) -> RecordStream.Event? {
    let start = position
    let event = records[direction].next(in: piece, at: &position, frame: frame)
    if opening != nil {
      open(piece.extracting(start..<position), direction, frame, sharing: &shared)
    } else if case .protected = event {
      records[direction].pass(in: piece, at: &position)
    }
    return event
  }

  /// Steps over bytes that the capture lacks in one direction.
  package mutating func skip(
    missing count: Int, in direction: Direction, frame: UInt64, sharing shared: inout SharedFacts
  ) {
    if early?.direction == direction { readEarly(sharing: &shared) }
    if opening != nil { loseOpening(direction, frame) }
    noteLost(direction)
    if records[direction].mayHideRecords(in: count) { hidden[direction] = true }
    if let event = records[direction].skip(missing: count) {
      noteExtent(direction, upTo: 0)
      receive(event, direction, frame, sharing: &shared)
    }
    records[direction].passPiece(count)
  }

  /// Records that messages of one direction may be missing, if the server's first flight is not over.
  private mutating func noteLost(_ direction: Direction) {
    if !server.flight.isEndSeen { lost[direction] = true }
  }

  /// Takes what was begun in both directions for all that there is.
  package mutating func breakOff(frame: UInt64, sharing shared: inout SharedFacts) {
    readEarly(sharing: &shared)
    for direction in Direction.allCases {
      guard let event = records[direction].breakOff() else { continue }
      noteExtent(direction, upTo: 0)
      receive(event, direction, frame, sharing: &shared)
    }
    if opening != nil { breakOffOpening(frame) }
  }
}

// MARK: - Records

extension Handshake {
  private mutating func receive(
    _ event: RecordStream.Event, _ direction: Direction, _ frame: UInt64, sharing shared: inout SharedFacts
  ) {
    switch event {
    case .message:
      break
    case .lost:
      // A message that is not found may follow what is not a record.
      noteLost(direction)
    case .gatheredMessage(let type):
      receiveGathered(type, isWhole: true, direction, sharing: &shared)
    case .brokenMessage(let type):
      receiveGathered(type, isWhole: false, direction, sharing: &shared)
    case .brokenSSL2Hello:
      receiveBrokenSSL2Hello(records[direction].gathered, direction, records[direction].frames)
    case .ssl2Hello:
      receiveSSL2Hello(records[direction].gathered, direction, records[direction].frames, sharing: &shared)
    case .alert(let level, let description):
      receiveAlert(ObservedAlert(level: level, description: description, frame: frame), direction)
    case .changeCipherSpec:
      receiveChangeCipherSpec(direction)
    case .protected(let header):
      if let opening, let isClient = isClient(direction), opening.isOpen(forClient: isClient) {
        opening.begin(header, isClient: isClient)
      } else {
        receiveProtected(header.contentType, length: header.length, direction, frame)
      }
    }
  }

  private mutating func receiveGathered(
    _ type: HandshakeType, isWhole: Bool, _ direction: Direction, sharing shared: inout SharedFacts
  ) {
    let message = records[direction].gathered
    let frames = records[direction].frames
    let start = min(HandshakeHeader.byteCount, message.count)
    receive(
      type, message.span.extracting(start..<message.count), isWhole: isWhole, direction, frames,
      sharing: &shared)
  }
}
