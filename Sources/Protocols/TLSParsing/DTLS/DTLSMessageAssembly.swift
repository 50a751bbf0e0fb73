public import ByteParsing

/// Puts the handshake messages of one direction of a DTLS connection together from their fragments.
///
/// Fragments come in any order and more than once; of bytes that come twice the first copy counts. What is held is
/// bounded, and never more than the bytes that came.
public struct DTLSMessageAssembly: Sendable {
  /// A message that is whole, or what there is of one.
  public struct Message: Hashable, Sendable {
    /// What it is.
    public var type: HandshakeType

    /// Which message of its sender it is.
    public var sequence: UInt16

    /// The body, without a header; of a message that is not whole, its bytes up to the first gap.
    public var body: Bytes

    /// Whether all of it is there.
    public var isWhole: Bool

    /// The numbers of the packets that brought it, in the order in which they came; of many the first ones and the last.
    public var packets: [UInt64]
  }

  /// The longest message that is put together, in bytes: as many as a TLS message may have here.
  public static let maximumMessageLength = 256 * 1024

  /// Messages that are put together at the same time; a flight has fewer.
  public static let maximumOpenMessageCount = 16

  /// Fragments of one message that are held apart.
  public static let maximumPieceCount = 512

  /// Messages of one sender that are told apart; handshakes have a dozen, negotiations anew some more.
  public static let maximumSequence: UInt16 = 255

  /// Packets that are named of one message.
  public static let maximumPacketCount = 64

  /// Whether a limit was hit, so that a message may be missing.
  public private(set) var hitLimit = false

  private struct Piece {
    var offset: Int
    var bytes: Bytes
    var end: Int { offset + bytes.count }
  }

  private struct Open {
    var type: HandshakeType
    var sequence: UInt16
    var length: Int
    /// In the order of their offsets, none overlapping another.
    var pieces: [Piece] = []
    /// Bytes in all pieces.
    var received = 0
    /// The packets that brought them.
    var packets: [UInt64] = []

    mutating func note(_ packet: UInt64) {
      guard packets.last != packet else { return }
      if packets.count == maximumPacketCount { packets.removeLast() }
      packets.append(packet)
    }

    /// The bytes from the start up to the first gap.
    var start: Bytes {
      var start = Bytes()
      for piece in pieces {
        guard piece.offset == start.count else { break }
        start.append(contentsOf: piece.bytes)
      }
      return start
    }
  }

  private var open: [Open] = []
  private var withheld: [Message] = []
  private var finished: Set<UInt16> = []

  /// The number of the hello that was seen last, and the greatest of any message.
  private var hello: UInt16?
  private var greatest: UInt16?

  /// Whether a ServerHelloDone was seen, which ends a server's first flight.
  public private(set) var hasHelloDone = false

  /// Whether messages from the hello on are missing, or parts of them: each has the next number (RFC 6347 §4.2.2).
  public var isBroken: Bool {
    guard let greatest else { return false }
    guard let hello, hello <= greatest else { return true }
    return (hello...greatest).contains { !finished.contains($0) }
  }

  /// Creates an assembly to which nothing has come yet.
  public init() {}

  /// Bytes of parts of messages that are held, with what each part takes besides.
  public private(set) var heldBytes = 0

  /// What a part takes besides its bytes.
  private static let pieceCost = 64

  /// Whether parts of messages are held.
  public var isEmpty: Bool { open.isEmpty }

  /// Takes a fragment, whose bytes lie in `record` where it says, and which came in a packet of this number; returns the message
  /// that it makes whole.
  public mutating func take(
    _ fragment: DTLSFragment, in record: Span<UInt8>, packet: UInt64
  ) -> Message? {
    guard !finished.contains(fragment.messageSequence), fragment.body.lowerBound >= 0,
      fragment.body.upperBound <= record.count, fragment.body.count == fragment.range.count
    else { return nil }
    guard fragment.messageLength <= Self.maximumMessageLength,
      fragment.messageSequence <= Self.maximumSequence
    else {
      hitLimit = true
      return nil
    }
    note(fragment)
    let bytes = record.extracting(fragment.body)
    if fragment.range.count == fragment.messageLength {
      finish(fragment)
      return Message(
        type: fragment.type, sequence: fragment.messageSequence, body: Bytes(copying: bytes), isWhole: true,
        packets: [packet])
    }
    guard let index = place(of: fragment) else { return nil }
    insert(bytes, at: fragment.range.lowerBound, packet, into: index)
    guard open[index].received == fragment.messageLength else { return nil }
    let whole = open[index]
    finish(fragment)
    return Message(
      type: fragment.type, sequence: fragment.messageSequence, body: whole.start, isWhole: true,
      packets: whole.packets)
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
  public mutating func withhold(_ message: Message) {
    guard withheld.count < Self.maximumOpenMessageCount else {
      hitLimit = true
      return
    }
    withheld.append(message)
    heldBytes += message.body.count + Self.pieceCost
  }

  /// Gives out the messages that were kept whole.
  public mutating func takeWithheld() -> [Message] {
    for message in withheld { heldBytes -= message.body.count + Self.pieceCost }
    defer { withheld = [] }
    return withheld
  }

  /// Gives out what is there of the messages that are not whole, in the order in which they were sent.
  public mutating func takeUnfinished() -> [Message] {
    for message in open { heldBytes -= message.received + message.pieces.count * Self.pieceCost }
    defer { open = [] }
    return open.sorted { $0.sequence < $1.sequence }.map {
      Message(
        type: $0.type, sequence: $0.sequence, body: $0.start, isWhole: false, packets: $0.packets)
    }
  }

  private mutating func finish(_ fragment: DTLSFragment) {
    // A server that keeps nothing of a client before its cookie comes back may number its ServerHello as it did this.
    if fragment.type != .helloVerifyRequest { finished.insert(fragment.messageSequence) }
    guard let index = open.firstIndex(where: { $0.sequence == fragment.messageSequence }) else { return }
    heldBytes -= open[index].received + open[index].pieces.count * Self.pieceCost
    open.remove(at: index)
  }

  /// The open message that a fragment belongs to; nil where it contradicts what came before, or where there is no room.
  private mutating func place(of fragment: DTLSFragment) -> Int? {
    if let index = open.firstIndex(where: { $0.sequence == fragment.messageSequence }) {
      let isSame = open[index].type == fragment.type && open[index].length == fragment.messageLength
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
    var start = offset
    let end = offset + bytes.count
    while start < end {
      // Fragments mostly come in order, so the place is looked for from behind.
      var next = open[index].pieces.count
      while next > 0, open[index].pieces[next - 1].end > start { next -= 1 }
      let following = next < open[index].pieces.count ? open[index].pieces[next].offset : end
      if following <= start {
        start = open[index].pieces[next].end
        continue
      }
      let stop = min(end, following)
      let new = bytes.extracting((start - offset)..<(stop - offset))
      if next > 0, open[index].pieces[next - 1].end == start {
        open[index].pieces[next - 1].bytes.append(copying: new)
      } else if open[index].pieces.count < Self.maximumPieceCount {
        open[index].pieces.insert(Piece(offset: start, bytes: Bytes(copying: new)), at: next)
        heldBytes += Self.pieceCost
      } else {
        hitLimit = true
        return
      }
      open[index].received += stop - start
      heldBytes += stop - start
      open[index].note(packet)
      start = stop
    }
  }
}
