import ByteParsing
import HandshakeDecryption
package import SessionModel
import TLSParsing
package import Values

/// Joins both directions of a connection into what was observed of one handshake.
///
/// This file cuts the directions into records; messages are taken in `Handshake+Messages.swift`, and how it ends is told in
/// `Handshake+Outcome.swift`. What is no `private` state is for those, and for nothing outside this folder.
package struct Handshake {
  /// What has been seen.
  package var facts = TLSFacts()

  /// Where it was seen.
  package var evidence = Evidence()

  /// The direction in which the client sends; nil before a hello shows it.
  package var clientDirection: Direction?

  /// The direction of the SYN that opened the connection; nil where none was seen.
  package var opener: Direction?

  /// Whether the outcome is known and nothing more is to be expected in the clear.
  package var isOver = false

  /// Whether the server chose the version family of TLS 1.3, drafts included; false before it has chosen.
  var isTLS13 = false

  /// Whether the server shows a raw public key in place of certificates (RFC 7250).
  var showsRawPublicKey = false

  /// Whether the server's last word was a HelloRetryRequest; meaningful once it has answered.
  var isRetryLast = false

  /// Whether the client said hello a second time before an answer was seen.
  var saidHelloAgain = false

  /// Whether the client said hello once more after a HelloRetryRequest: what it encrypts from there on is no early data.
  var saidHelloAfterRetry = false

  /// Whether a limit was hit.
  package var hitLimit: Bool {
    records.fromLower.hitLimit || records.fromUpper.hitLimit || opening?.hitLimit == true
  }

  /// Opens what is protected, where there are secrets for it.
  var opening: HandshakeOpening?

  /// The inner hello, where the client's outer one was decrypted.
  var inner: InnerHello?

  /// What the server signs in TLS 1.3, where there are secrets for it.
  var transcript: HandshakeTranscript?

  /// Whether the server signs with the key of a delegated credential and not with that of its leaf (RFC 9345).
  var showsDelegatedCredential = false

  /// What a server said before the client's hello, kept where there are secrets.
  var early: EarlyServerBytes?

  /// Whether the client was taken to have refused because of what a sealed record of its looks like.
  package var refusedByShape = false

  /// Whether a sealed record was seen that is an alert, or has the length of one.
  package var sawSealedAlert = false

  /// Whether which end is the client was concluded from an alert, for want of anything better.
  var isClientGuessed = false

  /// Whether the messages come out of QUIC packets and not out of records.
  var isQUIC = false

  /// Whether the server's Finished was seen: nothing that was not seen before it was sent.
  var sawServerFinished = false

  /// Whether there are secrets for what the server sends up to its Finished, but not all of that is in the capture.
  package var isServerFlightUnread = false

  var records = BothDirections(RecordStream())
  var client = SideProgress()
  var server = SideProgress()
  var offeredTicket = false
  var offeredEarlyData = false

  /// Where the messages that were read in the clear lie in their directions.
  var extents = MessageExtents()

  /// Where the message at hand lies; empty where that is not in the clear.
  var extent = 0..<0

  /// How far one side has come.
  struct SideProgress {
    /// It sent a ChangeCipherSpec.
    var changedCipherSpec = false
    /// It sent a protected record that can be its Finished or application data.
    var finished = false
    /// It sent a record that can be its Finished, or early data: which of the two, a ServerHello would tell.
    var mayHaveFinished = false
    /// It sent application data, in a version before TLS 1.3.
    var sentData = false
    /// It sent a handshake message that only a full handshake has.
    var sentFullHandshakeMessage = false
    /// It ended its first flight (ServerHelloDone), or went on behind it.
    var wentOn = false
    /// The end of its first flight was seen in its own direction: no gap behind it hides a part of the flight.
    var endedFlight = false
  }

  /// Whether bytes of either direction are missing from before the end of the server's first flight.
  package var lost = BothDirections(false)

  /// Whether whole records of either direction may be missing.
  var hidden = BothDirections(false)

  /// The end that closed the connection before the handshake was over, and the packet; nil for none.
  var closed: (direction: Direction, isByReset: Bool, frame: UInt64)?

  /// Whether one end closed the connection before the handshake was over and neither had said why: an alert that answers a close
  /// is no reason. Nothing more is to come then.
  package var isClosedWithoutAlert = false

  /// How many alerts of one side are kept.
  static let alertLimit = 32

  /// Takes the bytes to come from one end for a hello in the format of SSL 2.
  package mutating func expectSSL2Hello(in direction: Direction) {
    records[direction].expectSSL2Hello()
  }

  /// Reads on in one direction.
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

  /// Gives out how many bytes at the end of the piece read last nothing was read of.
  package mutating func takeUnread(in direction: Direction) -> Int { records[direction].takeUnread() }

  mutating func read(
    _ piece: Span<UInt8>, in direction: Direction, frame: UInt64, sharing shared: inout SharedFacts
  ) {
    if facts.offer != nil, facts.serverHello == nil { noteHTTPResponse(piece, direction, frame) }
    var position = 0
    // Nothing comes of the end of a piece but that the message before it is let go, unless records are opened.
    while position < piece.count || opening != nil,
      let event = nextEvent(piece, &position, direction, frame, sharing: &shared)
    {
      // A client that goes on has said its hello, which the capture lacks then.
      if early != nil, !event.isOfClientHello { readEarly(sharing: &shared) }
      noteExtent(direction, upTo: position)
      if case .message(let type, let body) = event {
        // All of it lies in the present packet.
        receive(
          type, piece.extracting(body), isWhole: true, direction, FrameList(frame), sharing: &shared)
      } else {
        receive(event, direction, frame, sharing: &shared)
      }
    }
    records[direction].letGo(to: &shared.spareBuffers)
    records[direction].passPiece(piece.count)
  }

  /// Takes note of where the message at hand lies, which ends at a position of the piece.
  @inline(__always)
  private mutating func noteExtent(_ direction: Direction, upTo position: Int) {
    let start = records[direction].messageStart
    extent = start..<max(start, records[direction].offset &+ position)
  }

  @inline(__always)
  mutating func nextEvent(
    _ piece: Span<UInt8>, _ position: inout Int, _ direction: Direction, _ frame: UInt64,
    sharing shared: inout SharedFacts
  ) -> RecordStream.Event? {
    let start = position
    let event =
      records[direction].next(in: piece, at: &position, frame: frame, spare: &shared.spareBuffers)
    if opening != nil {
      open(piece.extracting(start..<position), direction, frame, sharing: &shared)
    } else if case .protected = event {
      records[direction].pass(in: piece, at: &position)
    }
    return event
  }

  /// Takes note of bytes that the capture lacks in one direction.
  package mutating func skip(
    missing count: Int, in direction: Direction, frame: UInt64, sharing shared: inout SharedFacts
  ) {
    if early?.direction == direction { readEarly(sharing: &shared) }
    if opening != nil { loseOpening(direction, frame) }
    noteLost(direction)
    if records[direction].mayHideRecords(in: count) {
      hidden[direction] = true
    }
    let event =
      records[direction].skip(missing: count, spare: &shared.spareBuffers)
    if let event {
      noteExtent(direction, upTo: 0)
      receive(event, direction, frame, sharing: &shared)
    }
    records[direction].passPiece(count)
  }

  /// Takes note that messages of one direction may be missing, if the server's first flight is not over.
  private mutating func noteLost(_ direction: Direction) {
    guard !server.endedFlight else { return }
    lost[direction] = true
  }

  /// Takes what was begun in both directions for all that there is.
  package mutating func breakOff(frame: UInt64, sharing shared: inout SharedFacts) {
    readEarly(sharing: &shared)
    for direction in Direction.allCases {
      guard let event = records[direction].breakOff(spare: &shared.spareBuffers) else { continue }
      noteExtent(direction, upTo: 0)
      receive(event, direction, frame, sharing: &shared)
    }
    if opening != nil { breakOffOpening(frame) }
    for direction in Direction.allCases { records[direction].giveBuffer(to: &shared.spareBuffers) }
  }

  mutating func receive(
    _ event: RecordStream.Event, _ direction: Direction, _ frame: UInt64, sharing shared: inout SharedFacts
  ) {
    switch event {
    case .message:
      break
    case .lost:
      // What is no record may have a message behind it that is not found.
      noteLost(direction)
    case .gatheredMessage(let type):
      receiveGathered(type, isWhole: true, direction, sharing: &shared)
    case .brokenMessage(let type):
      receiveGathered(type, isWhole: false, direction, sharing: &shared)
    case .brokenSSL2Hello:
      receiveBrokenSSL2Hello(
        records[direction].gathered, direction, records[direction].frames)
    case .ssl2Hello:
      let message = records[direction].gathered
      receiveSSL2Hello(message, direction, records[direction].frames, sharing: &shared)
    case .alert(let level, let description):
      receiveAlert(ObservedAlert(level: level, description: description, frame: frame), direction)
    case .changeCipherSpec:
      receiveChangeCipherSpec(direction)
    case .protected(let type, let length):
      if let opening, let isClient = isClient(direction), opening.isOpen(forClient: isClient) {
        opening.begin(
          type, version: records[direction].recordVersion, length: length,
          isClient: isClient)
      } else {
        receiveProtected(type, length: length, direction, frame)
      }
    }
  }

  mutating func receiveGathered(
    _ type: HandshakeType, isWhole: Bool, _ direction: Direction, sharing shared: inout SharedFacts
  ) {
    let message = records[direction].gathered
    let frames = records[direction].frames
    let start = min(HandshakeHeader.byteCount, message.count)
    receive(
      type, message.span.extracting(start..<message.count), isWhole: isWhole, direction, frames,
      sharing: &shared)
  }

  package func isClient(_ direction: Direction) -> Bool? { clientDirection.map { $0 == direction } }

  /// Bytes of messages and of records that are not whole yet, and of an inner hello.
  @inline(__always)
  package var heldBytes: Int {
    records.fromLower.gathered.count + records.fromUpper.gathered.count + (opening?.heldBytes ?? 0)
      + (early?.byteCount ?? 0)
      + (inner?.body.count ?? 0) + (transcript?.heldBytes ?? 0)
  }

  /// Takes the messages to come for those of QUIC packets.
  mutating func expectQUIC() { isQUIC = true }

  /// Creates a handshake of which nothing was read.
  package init() {}
}
