package import ByteParsing

/// Puts the handshake messages of one direction of a DTLS connection together from their fragments.
///
/// Fragments come in any order and more than once; of bytes that come twice the first copy counts. What is held is
/// bounded, and never more than the bytes that came.
package struct DTLSMessageAssembly: Sendable {
  /// A message that is whole, or what there is of one.
  package struct Message: Hashable, Sendable {
    /// What it is.
    package var type: HandshakeType

    /// Which message of its sender it is.
    package var sequence: UInt16

    /// The body, without a header; of a message that is not whole, its bytes up to the first gap.
    package var body: Bytes

    /// Whether all of it is there.
    package var isWhole: Bool

    /// The numbers of the packets that brought it, in the order in which they came; of many the first ones and the last.
    package var packets: [UInt64]
  }

  /// Messages that are put together at the same time; a flight has fewer.
  package static let maximumOpenMessageCount = 16

  /// Fragments of one message that are held apart.
  package static let maximumPieceCount = 512

  /// Messages of one sender that are distinguished; handshakes have a dozen, negotiations anew some more.
  package static let maximumSequence: UInt16 = 255

  /// Packets that are named of one message.
  package static let maximumPacketCount = 64

  /// Whether a limit was hit, so that a message may be missing.
  package private(set) var hitLimit = false

  private struct Open {
    var type: HandshakeType
    var sequence: UInt16
    var length: Int
    var pieces = Assembler<UInt64>(maximumPieces: maximumPieceCount)
    /// The packets that brought them.
    var packets: [UInt64] = []

    mutating func note(_ packet: UInt64) {
      guard packets.last != packet else { return }
      if packets.count == maximumPacketCount { packets.removeLast() }
      packets.append(packet)
    }
  }

  private var open: [Open] = []
  private var withheld: [Message] = []
  /// The messages that were put together, as far as they are kept to be compared with later copies.
  private var finished: [UInt16: Message?] = [:]

  /// Bytes of messages that are kept for this.
  private static let maximumComparedByteCount = 65_536
  private var comparedBytes = 0

  /// Bytes that came again with another content; the first copy was kept.
  package private(set) var disagreeingBytes = 0

  /// The packet that brought the first of them; 0 for none.
  package private(set) var disagreementPacket: UInt64 = 0

  /// The number of the hello that was seen last, and the greatest of any message.
  private var hello: UInt16?
  private var greatest: UInt16?

  /// Whether a ServerHelloDone was seen, which ends a server's first flight.
  package private(set) var hasHelloDone = false

  /// Whether messages from the hello on are missing, or parts of them: each has the next number (RFC 6347 §4.2.2).
  package var isBroken: Bool {
    guard let greatest else { return false }
    guard let hello, hello <= greatest else { return true }
    return (hello...greatest).contains { finished[$0] == nil }
  }

  /// Creates an assembly to which nothing has come yet.
  package init() {}

  /// Bytes of parts of messages that are held, with what each part takes besides, and of messages that are withheld or kept to be
  /// compared.
  package var heldBytes: Int { open.reduce(withheldBytes + comparedBytes) { $0 + $1.pieces.cost } }
  private var withheldBytes: Int { withheld.reduce(0) { $0 + $1.body.count + MemoryLayout<Message>.stride } }

  /// Whether parts of messages are held.
  package var isEmpty: Bool { open.isEmpty }

  /// Takes a fragment, whose bytes lie in `record` where it says, and which came in a packet of this number; returns the message
  /// that it makes whole.
  package mutating func add(
    _ fragment: DTLSFragment, in record: Span<UInt8>, packet: UInt64
  ) -> Message? {
    guard fragment.body.lowerBound >= 0, fragment.body.upperBound <= record.count,
      fragment.body.count == fragment.range.count
    else { return nil }
    if let known = finished[fragment.messageSequence] {
      if let known { compare(fragment, record.extracting(fragment.body), packet, with: known) }
      return nil
    }
    guard fragment.messageLength <= HandshakeHeader.maximumLength,
      fragment.messageSequence <= Self.maximumSequence
    else {
      hitLimit = true
      return nil
    }
    note(fragment)
    let bytes = record.extracting(fragment.body)
    if fragment.range.count == fragment.messageLength {
      let message = Message(
        type: fragment.type, sequence: fragment.messageSequence, body: Bytes(copying: bytes), isWhole: true,
        packets: [packet])
      finish(message)
      return message
    }
    guard let index = place(of: fragment, packet) else { return nil }
    insert(bytes, at: fragment.range.lowerBound, packet, into: index)
    guard open[index].pieces.length == fragment.messageLength else { return nil }
    let whole = open[index]
    let message = Message(
      type: fragment.type, sequence: fragment.messageSequence, body: whole.pieces.contiguous, isWhole: true,
      packets: whole.packets)
    finish(message)
    return message
  }

  /// Compares a fragment with the message that was put together before.
  private mutating func compare(
    _ fragment: DTLSFragment, _ bytes: Span<UInt8>, _ packet: UInt64, with known: Message
  ) {
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
    if disagreementPacket == 0 { disagreementPacket = packet }
  }

  private mutating func note(_ fragment: DTLSFragment) {
    // A server may give its hello the number of its request for a cookie, or the next one.
    guard fragment.type != .helloVerifyRequest else { return }
    if fragment.type == .serverHelloDone { hasHelloDone = true }
    greatest = max(greatest ?? 0, fragment.messageSequence)
    if fragment.type == .clientHello || fragment.type == .serverHello {
      hello = max(hello ?? 0, fragment.messageSequence)
    }
  }

  /// Keeps a whole message that cannot be read before another one of the same sender, which datagrams may bring later.
  package mutating func withhold(_ message: Message) {
    guard withheld.count < Self.maximumOpenMessageCount else {
      hitLimit = true
      return
    }
    withheld.append(message)
  }

  /// Returns the messages that were kept whole.
  package mutating func takeWithheld() -> [Message] {
    defer { withheld = [] }
    return withheld
  }

  /// Returns what is there of the messages that are not whole, in the order in which they were sent.
  package mutating func takeUnfinished() -> [Message] {
    defer { open = [] }
    return open.sorted { $0.sequence < $1.sequence }.map {
      Message(
        type: $0.type, sequence: $0.sequence, body: $0.pieces.contiguous, isWhole: false, packets: $0.packets)
    }
  }

  private mutating func finish(_ message: Message) {
    // A server that keeps nothing of a client before its cookie comes back may number its ServerHello as it did this.
    if message.type != .helloVerifyRequest {
      let isKept = comparedBytes + message.body.count <= Self.maximumComparedByteCount
      if isKept { comparedBytes += message.body.count }
      finished[message.sequence] = .some(isKept ? message : nil)
    }
    open.removeAll { $0.sequence == message.sequence }
  }

  /// The open message that a fragment belongs to; nil where it contradicts what came before, or where there is no room.
  private mutating func place(of fragment: DTLSFragment, _ packet: UInt64) -> Int? {
    if let index = open.firstIndex(where: { $0.sequence == fragment.messageSequence }) {
      let isSame = open[index].type == fragment.type && open[index].length == fragment.messageLength
      if !isSame { note(disagreeing: max(1, fragment.range.count), packet) }
      return isSame ? index : nil
    }
    guard open.count < Self.maximumOpenMessageCount else {
      hitLimit = true
      return nil
    }
    open.append(
      Open(type: fragment.type, sequence: fragment.messageSequence, length: fragment.messageLength))
    return open.count - 1
  }

  /// Adds the bytes that are not there yet.
  private mutating func insert(_ bytes: Span<UInt8>, at offset: Int, _ packet: UInt64, into index: Int) {
    let before = open[index].pieces.length
    for conflict in open[index].pieces.insert(bytes, length: bytes.count, at: offset, from: packet) {
      note(disagreeing: conflict.disagreeingBytes, packet)
    }
    if open[index].pieces.length > before { open[index].note(packet) }
    if open[index].pieces.hitLimit { hitLimit = true }
  }
}
