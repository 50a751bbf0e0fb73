package import ByteParsing

/// Reassembles the handshake messages of one direction of a DTLS connection.
///
/// Fragments may arrive in any order and repeatedly; of repeated bytes the first copy counts. Memory is bounded, and never exceeds the
/// number of bytes received.
package struct DTLSMessageAssembly: Sendable {
  /// A message, complete or not.
  package struct Message: Hashable, Sendable {
    package var type: HandshakeType

    /// The number of the message among those of its sender.
    package var sequence: UInt16

    /// The body, without a header; of an incomplete message, the bytes up to the first gap.
    package var body: Bytes

    /// Whether the message is complete.
    package var isWhole: Bool

    /// The packets that carried it, in the order received; of very many, the first ones and the last.
    package var packets: [UInt64]
  }

  /// The maximum number of incomplete messages; a flight has fewer.
  package static let maximumOpenMessageCount = 16

  /// The maximum number of separate pieces of one message.
  package static let maximumPieceCount = 512

  /// The maximum number of a message; handshakes have a dozen, and renegotiations some more.
  package static let maximumSequence: UInt16 = 255

  /// The maximum number of packets recorded for one message.
  package static let maximumPacketCount = 64

  /// Whether a limit was exceeded, so that a message may be missing.
  package private(set) var hitLimit = false

  private struct Open {
    var type: HandshakeType
    var sequence: UInt16
    var length: Int
    var pieces = Assembler<UInt64>(maximumPieces: maximumPieceCount)
    var packets: [UInt64] = []

    mutating func note(_ packet: UInt64) {
      guard packets.last != packet else { return }
      if packets.count == maximumPacketCount { packets.removeLast() }
      packets.append(packet)
    }
  }

  private var open: [Open] = []
  private var withheld: [Message] = []
  /// The complete messages, as far as they are kept for comparison with later copies.
  private var finished: [UInt16: Message?] = [:]

  /// The maximum total size of messages kept for comparison.
  private static let maximumComparedByteCount = 65_536
  private var comparedBytes = 0

  /// The number of bytes that were sent again with different content; the first copy was kept.
  package private(set) var disagreeingBytes = 0

  /// The first packet with such bytes; 0 if there is none.
  package private(set) var disputePacket: UInt64 = 0

  /// The number of the last hello, and the largest number of any message.
  private var hello: UInt16?
  private var greatest: UInt16?

  /// Whether a ServerHelloDone was received, which ends a server's first flight.
  package private(set) var hasHelloDone = false

  /// Whether messages after the hello are missing or incomplete; message numbers are consecutive (RFC 6347 §4.2.2).
  package var isBroken: Bool {
    guard let greatest else { return false }
    guard let hello, hello <= greatest else { return true }
    return (hello...greatest).contains { finished[$0] == nil }
  }

  package init() {}

  /// The memory that incomplete, withheld and compared messages take, in bytes.
  package var heldBytes: Int { open.reduce(withheldBytes + comparedBytes) { $0 + $1.pieces.cost } }
  private var withheldBytes: Int { withheld.reduce(0) { $0 + $1.body.count + MemoryLayout<Message>.stride } }

  /// Whether there are no incomplete messages.
  package var isEmpty: Bool { open.isEmpty }

  /// Adds a fragment, whose bytes are in `record` and were received in packet `packet`; returns the message that it completes.
  package mutating func add(_ fragment: DTLSFragment, in record: Span<UInt8>, packet: UInt64) -> Message? {
    guard fragment.body.lowerBound >= 0, fragment.body.upperBound <= record.count,
      fragment.body.count == fragment.range.count
    else { return nil }
    if let known = finished[fragment.messageSequence] {
      if let known { compare(fragment, record.extracting(fragment.body), packet, with: known) }
      return nil
    }
    guard fragment.messageLength <= HandshakeHeader.maximumLength, fragment.messageSequence <= Self.maximumSequence else {
      hitLimit = true
      return nil
    }
    note(fragment)
    let bytes = record.extracting(fragment.body)
    if fragment.range.count == fragment.messageLength {
      let message = Message(
        type: fragment.type, sequence: fragment.messageSequence, body: Bytes(copying: bytes), isWhole: true, packets: [packet])
      finish(message)
      return message
    }
    guard let index = messageIndex(of: fragment, packet) else { return nil }
    insert(bytes, at: fragment.range.lowerBound, packet, into: index)
    guard open[index].pieces.length == fragment.messageLength else { return nil }
    let whole = open[index]
    let message = Message(
      type: fragment.type, sequence: fragment.messageSequence, body: whole.pieces.contiguous, isWhole: true, packets: whole.packets)
    finish(message)
    return message
  }

  /// Compares a fragment with the complete message of the same number.
  private mutating func compare(_ fragment: DTLSFragment, _ bytes: Span<UInt8>, _ packet: UInt64, with known: Message) {
    guard fragment.type == known.type, fragment.messageLength == known.body.count,
      fragment.range.upperBound <= known.body.count
    else { return note(disagreeing: max(1, bytes.count), packet) }
    compare(bytes, with: known.body.span.extracting(fragment.range), packet)
  }

  private mutating func compare(_ bytes: Span<UInt8>, with known: Span<UInt8>, _ packet: UInt64) {
    note(disagreeing: (0..<min(bytes.count, known.count)).count { bytes[$0] != known[$0] }, packet)
  }

  private mutating func note(disagreeing count: Int, _ packet: UInt64) {
    guard count > 0 else { return }
    disagreeingBytes += count
    if disputePacket == 0 { disputePacket = packet }
  }

  private mutating func note(_ fragment: DTLSFragment) {
    // A server may give its hello the number of its HelloVerifyRequest, or the next one.
    guard fragment.type != .helloVerifyRequest else { return }
    if fragment.type == .serverHelloDone { hasHelloDone = true }
    greatest = max(greatest ?? 0, fragment.messageSequence)
    if fragment.type == .clientHello || fragment.type == .serverHello {
      hello = max(hello ?? 0, fragment.messageSequence)
    }
  }

  /// Keeps a complete message that cannot be interpreted before another one of the same sender, which may arrive later.
  package mutating func withhold(_ message: Message) {
    guard withheld.count < Self.maximumOpenMessageCount else {
      hitLimit = true
      return
    }
    withheld.append(message)
  }

  /// Removes and returns the withheld messages.
  package mutating func takeWithheld() -> [Message] { exchange(&withheld, with: []) }

  /// Removes and returns the incomplete messages, in the order in which they were sent.
  package mutating func takeUnfinished() -> [Message] {
    exchange(&open, with: []).sorted { $0.sequence < $1.sequence }.map {
      Message(type: $0.type, sequence: $0.sequence, body: $0.pieces.contiguous, isWhole: false, packets: $0.packets)
    }
  }

  private mutating func finish(_ message: Message) {
    // A server that is stateless until the cookie returns may give its ServerHello the same number.
    if message.type != .helloVerifyRequest {
      let isKept = comparedBytes + message.body.count <= Self.maximumComparedByteCount
      if isKept { comparedBytes += message.body.count }
      finished[message.sequence] = .some(isKept ? message : nil)
    }
    open.removeAll { $0.sequence == message.sequence }
  }

  /// The index of the incomplete message that a fragment belongs to; nil if the fragment contradicts earlier ones, or a limit is reached.
  private mutating func messageIndex(of fragment: DTLSFragment, _ packet: UInt64) -> Int? {
    if let index = open.firstIndex(where: { $0.sequence == fragment.messageSequence }) {
      let isSame = open[index].type == fragment.type && open[index].length == fragment.messageLength
      if !isSame { note(disagreeing: max(1, fragment.range.count), packet) }
      return isSame ? index : nil
    }
    guard open.count < Self.maximumOpenMessageCount else {
      hitLimit = true
      return nil
    }
    open.append(Open(type: fragment.type, sequence: fragment.messageSequence, length: fragment.messageLength))
    return open.count - 1
  }

  /// Adds the bytes that are not present yet.
  private mutating func insert(_ bytes: Span<UInt8>, at offset: Int, _ packet: UInt64, into index: Int) {
    let before = open[index].pieces.length
    for conflict in open[index].pieces.insert(bytes, length: bytes.count, at: offset, from: packet) {
      note(disagreeing: conflict.disagreeingBytes, packet)
    }
    if open[index].pieces.length > before { open[index].note(packet) }
    if open[index].pieces.hitLimit { hitLimit = true }
  }
}
