import ByteParsing
import TLSParsing

/// The CRYPTO bytes that one side sends at one level, put into order (RFC 9000 §7.5 and §19.6).
///
/// Frames may come shuffled, repeated and overlapping; where copies of a byte differ, the first counts.
struct CryptoStream: Sendable {
  /// Bytes up to which there is no gap.
  private(set) var contiguous = Bytes()

  /// Bytes that came again with different content.
  private(set) var disagreeingBytes = 0

  /// The packet of the first of them; 0 for none.
  private(set) var disagreementFrame: UInt64 = 0

  /// The largest packet number that was opened of the level; nil for none.
  private(set) var largestPacketNumber: UInt64?

  /// Where the next message begins.
  private var messageStart = 0
  /// All bytes, by the packets that carry them.
  private var pieces = Assembler<UInt64>(maximumPieces: 1024)
  private let maximumByteCount: Int
  private var isBeyondLimit = false

  init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

  /// Whether bytes were left out because of a limit.
  var hitLimit: Bool { isBeyondLimit || pieces.hitLimit }

  /// Bytes held, gaps or not, with what each piece takes besides.
  var heldBytes: Int { contiguous.count + pieces.cost }

  private var hasGap: Bool { pieces.length > contiguous.count }

  /// Whether there are bytes that are not part of a whole message yet.
  var hasUnfinishedMessage: Bool { messageStart < contiguous.count || hasGap }

  /// Whether the first byte of all is missing, and others are there.
  var lacksBeginning: Bool { contiguous.isEmpty && hasGap }

  /// The packets that carry what is after a gap.
  var waitingFrames: [UInt64] { frames(of: contiguous.count..<Int.max) }

  /// What is there of an unfinished message up to the first gap, header included.
  var unfinished: Bytes { Bytes(contiguous[messageStart...]) }

  /// Notes the number of a packet of the level that was opened.
  mutating func note(packetNumber: UInt64) {
    largestPacketNumber = max(largestPacketNumber ?? 0, packetNumber)
  }

  /// Takes the bytes of a frame.
  mutating func insert(_ bytes: Span<UInt8>, at offset: UInt64, frame: UInt64) {
    guard let start = Int(exactly: offset), start <= maximumByteCount, bytes.count <= maximumByteCount - start else {
      isBeyondLimit = true
      return
    }
    for conflict in pieces.insert(bytes, length: bytes.count, at: start, from: frame) {
      disagreeingBytes += conflict.disagreeingBytes
      if disagreementFrame == 0 { disagreementFrame = frame }
    }
    pieces.append(to: &contiguous)
  }

  /// The next whole message.
  mutating func next() -> (type: HandshakeType, body: Bytes, frames: [UInt64])? {
    guard let (type, body) = HandshakeHeader.message(in: contiguous.span, from: messageStart) else { return nil }
    let frames = frames(of: messageStart..<body.upperBound)
    messageStart = body.upperBound
    return (type, Bytes(contiguous[body]), frames)
  }

  /// The packets that brought these bytes, in their order.
  func frames(of range: Range<Int>) -> [UInt64] {
    Set(pieces.pieces(in: range).map(\.origin)).sorted()
  }

  /// The packets that brought what is there of an unfinished message.
  var unfinishedFrames: [UInt64] { frames(of: messageStart..<contiguous.count) }
}
