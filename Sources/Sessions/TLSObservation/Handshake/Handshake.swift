import ByteParsing
import HandshakeDecryption
package import SessionModel
import TLSParsing

/// Joins both directions of a connection into what was observed of one handshake.
///
/// This file cuts the directions into records; messages are taken in `Handshake+Messages.swift`, and how it ends is told in
/// `Handshake+Outcome.swift`. What is no `private` state is for those, and for nothing outside this folder.
package struct Handshake {
  /// What has been seen.
  package var facts = TLSFacts.Content()

  /// Where it was seen.
  package var evidence = Evidence()

  /// Whether the lower end of the connection is the client; nil before a hello tells.
  package var isClientLower: Bool?

  /// Whether the lower end opened the connection; nil where no SYN was seen.
  package var isOpenedByLower: Bool?

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
  package var hitLimit: Bool { lower.hitLimit || upper.hitLimit || opening?.hitLimit == true }

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

  var lower = RecordStream()
  var upper = RecordStream()
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
  package var lostOfLower = false
  package var lostOfUpper = false

  /// Whether whole records of either direction may be missing.
  var hiddenOfLower = false
  var hiddenOfUpper = false

  /// The end that closed the connection before the handshake was over, and the packet; nil for none.
  var closed: (fromLower: Bool, isByReset: Bool, frame: UInt64)?

  /// Whether one end closed the connection before the handshake was over and neither had said why: an alert that answers a close
  /// is no reason. Nothing more is to come then.
  package var isClosedWithoutAlert = false

  /// How many alerts of one side are kept.
  static let alertLimit = 32

  /// Takes the bytes to come from one end for a hello in the format of SSL 2.
  package mutating func expectSSL2Hello(fromLower: Bool) {
    if fromLower { lower.expectSSL2Hello() } else { upper.expectSSL2Hello() }
  }

  /// Whether it holds nothing but what nearly every handshake has.
  @inline(__always)
  package var isPlain: Bool { opening == nil && early == nil && inner == nil && transcript == nil }

  /// Becomes one of which nothing was read, where it is plain and its facts and evidence were taken.
  @inline(__always)
  package mutating func restart() {
    isClientLower = nil
    isOpenedByLower = nil
    isOver = false
    isTLS13 = false
    showsRawPublicKey = false
    showsDelegatedCredential = false
    isRetryLast = false
    saidHelloAgain = false
    saidHelloAfterRetry = false
    refusedByShape = false
    sawSealedAlert = false
    isClientGuessed = false
    isQUIC = false
    sawServerFinished = false
    isServerFlightUnread = false
    lower.restart()
    upper.restart()
    client = SideProgress()
    server = SideProgress()
    extents = MessageExtents()
    extent = 0..<0
    offeredTicket = false
    offeredEarlyData = false
    lostOfLower = false
    lostOfUpper = false
    hiddenOfLower = false
    hiddenOfUpper = false
    closed = nil
    isClosedWithoutAlert = false
  }

  /// Reads on in one direction.
  @inline(__always)
  package mutating func consume(
    _ piece: Span<UInt8>, fromLower: Bool, frame: UInt64, sharing shared: inout SharedFacts
  ) {
    if facts.offer == nil, !shared.secrets.isEmpty, keepEarly(piece, fromLower, frame, sharing: &shared) {
      return
    }
    read(piece, fromLower: fromLower, frame: frame, sharing: &shared)
    if early != nil, facts.offer != nil { readEarly(sharing: &shared) }
  }

  /// Gives out how many bytes at the end of the piece read last nothing was read of.
  package mutating func takeUnread(fromLower: Bool) -> Int { fromLower ? lower.takeUnread() : upper.takeUnread() }

  mutating func read(
    _ piece: Span<UInt8>, fromLower: Bool, frame: UInt64, sharing shared: inout SharedFacts
  ) {
    if facts.offer != nil, facts.answer == nil { noteHTTPResponse(piece, fromLower, frame) }
    var position = 0
    // Nothing comes of the end of a piece but that the message before it is let go, unless records are opened.
    while position < piece.count || opening != nil,
      let event = nextEvent(piece, &position, fromLower, frame, sharing: &shared)
    {
      // A client that goes on has said its hello, which the capture lacks then.
      if early != nil, !event.isOfClientHello { readEarly(sharing: &shared) }
      noteExtent(fromLower, upTo: position)
      if case .message(let type, let body) = event {
        // All of it lies in the present packet.
        receive(
          type, piece.extracting(body), isWhole: true, fromLower, FrameList(frame), sharing: &shared)
      } else {
        receive(event, fromLower, frame, sharing: &shared)
      }
    }
    if fromLower {
      lower.letGo(to: &shared.spareBuffers)
      lower.passPiece(piece.count)
    } else {
      upper.letGo(to: &shared.spareBuffers)
      upper.passPiece(piece.count)
    }
  }

  /// Takes note of where the message at hand lies, which ends at a position of the piece.
  @inline(__always)
  private mutating func noteExtent(_ fromLower: Bool, upTo position: Int) {
    let start = fromLower ? lower.messageStart : upper.messageStart
    extent = start..<max(start, (fromLower ? lower.offset : upper.offset) &+ position)
  }

  @inline(__always)
  mutating func nextEvent(
    _ piece: Span<UInt8>, _ position: inout Int, _ fromLower: Bool, _ frame: UInt64,
    sharing shared: inout SharedFacts
  ) -> RecordStream.Event? {
    let start = position
    let event =
      fromLower
      ? lower.next(in: piece, at: &position, frame: frame, spare: &shared.spareBuffers)
      : upper.next(in: piece, at: &position, frame: frame, spare: &shared.spareBuffers)
    if opening != nil {
      open(piece.extracting(start..<position), fromLower, frame, sharing: &shared)
    } else if case .protected = event {
      if fromLower { lower.pass(in: piece, at: &position) } else { upper.pass(in: piece, at: &position) }
    }
    return event
  }

  /// Takes note of bytes that the capture lacks in one direction.
  package mutating func skip(missing count: Int, fromLower: Bool, frame: UInt64, sharing shared: inout SharedFacts) {
    if early?.fromLower == fromLower { readEarly(sharing: &shared) }
    if opening != nil { loseOpening(fromLower, frame) }
    noteLost(fromLower)
    if fromLower ? lower.mayHideRecords(in: count) : upper.mayHideRecords(in: count) {
      if fromLower { hiddenOfLower = true } else { hiddenOfUpper = true }
    }
    let event =
      fromLower
      ? lower.skip(missing: count, spare: &shared.spareBuffers)
      : upper.skip(missing: count, spare: &shared.spareBuffers)
    if let event {
      noteExtent(fromLower, upTo: 0)
      receive(event, fromLower, frame, sharing: &shared)
    }
    if fromLower { lower.passPiece(count) } else { upper.passPiece(count) }
  }

  /// Takes note that messages of one direction may be missing, if the server's first flight is not over.
  private mutating func noteLost(_ fromLower: Bool) {
    guard !server.endedFlight else { return }
    if fromLower { lostOfLower = true } else { lostOfUpper = true }
  }

  /// Takes what was begun in both directions for all that there is.
  package mutating func breakOff(frame: UInt64, sharing shared: inout SharedFacts) {
    readEarly(sharing: &shared)
    if let event = lower.breakOff(spare: &shared.spareBuffers) {
      noteExtent(true, upTo: 0)
      receive(event, true, frame, sharing: &shared)
    }
    if let event = upper.breakOff(spare: &shared.spareBuffers) {
      noteExtent(false, upTo: 0)
      receive(event, false, frame, sharing: &shared)
    }
    if opening != nil { breakOffOpening(frame) }
    lower.giveBuffer(to: &shared.spareBuffers)
    upper.giveBuffer(to: &shared.spareBuffers)
  }

  mutating func receive(
    _ event: RecordStream.Event, _ fromLower: Bool, _ frame: UInt64, sharing shared: inout SharedFacts
  ) {
    switch event {
    case .message:
      break
    case .lost:
      // What is no record may have a message behind it that is not found.
      noteLost(fromLower)
    case .gatheredMessage(let type):
      receiveGathered(type, isWhole: true, fromLower, sharing: &shared)
    case .brokenMessage(let type):
      receiveGathered(type, isWhole: false, fromLower, sharing: &shared)
    case .brokenSSL2Hello:
      receiveBrokenSSL2Hello(
        fromLower ? lower.gathered : upper.gathered, fromLower, fromLower ? lower.frames : upper.frames)
    case .ssl2Hello:
      let message = fromLower ? lower.gathered : upper.gathered
      receiveSSL2Hello(message, fromLower, fromLower ? lower.frames : upper.frames, sharing: &shared)
    case .alert(let level, let description):
      receiveAlert(ObservedAlert(level: level, description: description, frame: frame), fromLower)
    case .changeCipherSpec:
      receiveChangeCipherSpec(fromLower)
    case .protected(let type, let length):
      if let opening, let isClient = isClient(fromLower), opening.isOpen(forClient: isClient) {
        opening.begin(
          type, version: fromLower ? lower.recordVersion : upper.recordVersion, length: length,
          isClient: isClient)
      } else {
        receiveProtected(type, length: length, fromLower, frame)
      }
    }
  }

  mutating func receiveGathered(
    _ type: HandshakeType, isWhole: Bool, _ fromLower: Bool, sharing shared: inout SharedFacts
  ) {
    let message = fromLower ? lower.gathered : upper.gathered
    let frames = fromLower ? lower.frames : upper.frames
    let start = min(HandshakeHeader.byteCount, message.count)
    receive(
      type, message.span.extracting(start..<message.count), isWhole: isWhole, fromLower, frames,
      sharing: &shared)
  }

  package func isClient(_ fromLower: Bool) -> Bool? { isClientLower.map { $0 == fromLower } }

  /// Bytes of messages and of records that are not whole yet, and of an inner hello.
  @inline(__always)
  package var heldBytes: Int {
    lower.gathered.count + upper.gathered.count + (opening?.heldBytes ?? 0) + (early?.byteCount ?? 0)
      + (inner?.body.count ?? 0) + (transcript?.heldBytes ?? 0)
  }

  /// Takes the messages to come for those of QUIC packets.
  mutating func expectQUIC() { isQUIC = true }

  /// Creates a handshake of which nothing was read.
  package init() {}
}
