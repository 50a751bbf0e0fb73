import ByteParsing
import TLSParsing

/// Reassembles the CRYPTO data that one side sends at one encryption level (RFC 9000 §7.5 and §19.6).
///
/// Frames may be reordered, repeated and overlapping; if copies of a byte differ, the first counts.
struct CryptoStream: Sendable {
  /// The bytes before the first gap.
  private(set) var contiguous = Bytes()

  /// The number of bytes that were sent again with different content.
  private(set) var disagreeingBytes = 0

  /// The first packet with such bytes; 0 if there is none.
  private(set) var disputeFrame: UInt64 = 0

  /// The largest packet number decrypted at this level; nil if there is none.
  private(set) var largestPacketNumber: UInt64?

  /// The offset of the next message.
  private var messageStart = 0
  /// All bytes, with the packets that carry them.
  private var pieces = Assembler<UInt64>(maximumPieces: 1024)
  private let maximumByteCount: Int
  private var isBeyondLimit = false

  init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

  /// Whether bytes were dropped because of a limit.
  var hitLimit: Bool { isBeyondLimit || pieces.hitLimit }

  /// The memory that the bytes take, including those after gaps.
  var heldBytes: Int { contiguous.count + pieces.cost }

  private var hasGap: Bool { pieces.length > contiguous.count }

  /// Whether there are bytes that do not yet form a whole message.
  var hasUnfinishedMessage: Bool { messageStart < contiguous.count || hasGap }

  /// Whether the first byte is missing, although later ones arrived.
  var lacksBeginning: Bool { contiguous.isEmpty && hasGap }

  /// The packets that carry the bytes after the first gap.
  var waitingFrames: [UInt64] { frames(of: contiguous.count..<Int.max) }

  /// The bytes of an incomplete message up to the first gap, including its header.
  var unfinished: Bytes { Bytes(contiguous[messageStart...]) }

  /// Records the number of a decrypted packet.
  mutating func note(packetNumber: UInt64) {
    largestPacketNumber = max(largestPacketNumber ?? 0, packetNumber)
  }

  /// Inserts the data of a CRYPTO frame.
  mutating func insert(_ bytes: Span<UInt8>, at offset: UInt64, frame: UInt64) {
    guard let start = Int(exactly: offset), start <= maximumByteCount, bytes.count <= maximumByteCount - start else {
      isBeyondLimit = true
      return
    }
    for conflict in pieces.insert(bytes, length: bytes.count, at: start, from: frame) {
      disagreeingBytes += conflict.disagreeingBytes
      if disputeFrame == 0 { disputeFrame = frame }
    }
    pieces.append(to: &contiguous)
  }

  /// Removes and returns the next whole message; nil if there is none.
  mutating func next() -> (type: HandshakeType, body: Bytes, frames: [UInt64])? {
    guard let (type, body) = HandshakeHeader.message(in: contiguous.span, from: messageStart) else { return nil }
    let frames = frames(of: messageStart..<body.upperBound)
    messageStart = body.upperBound
    return (type, Bytes(contiguous[body]), frames)
  }

  /// The packets that carry these bytes, in ascending order.
  func frames(of range: Range<Int>) -> [UInt64] {
    Set(pieces.pieces(in: range).map(\.origin)).sorted()
  }

  /// The packets that carry the bytes of an incomplete message.
  var unfinishedFrames: [UInt64] { frames(of: messageStart..<contiguous.count) }
}
