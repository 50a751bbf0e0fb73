import ByteParsing
import TLSParsing

/// The CRYPTO bytes that one side sends at one level, put into order (RFC 9000 §7.5 and §19.6).
///
/// Frames may come shuffled, repeated and overlapping; where copies of a byte differ, the first counts.
struct CryptoStream: Sendable {
  /// Bytes up to which there is no gap.
  private(set) var contiguous = Bytes()

  /// Bytes that came again with another content.
  private(set) var disagreeingBytes = 0

  /// Whether bytes were left out because of a limit.
  private(set) var hitLimit = false

  /// Bytes held, gaps or not, with what each piece takes besides.
  var heldBytes: Int {
    contiguous.count + waitingBytes + waiting.count * CryptoStream.pieceCost + origins.count * 16
  }

  private static let pieceCost = 96

  /// Where the next message begins.
  private var messageStart = 0
  /// Pieces behind a gap, in order, without overlaps.
  private var waiting: [Piece] = []
  private var waitingBytes = 0
  /// Where the parts of `contiguous` end, and the packets that brought them.
  private var origins: [(end: Int, frame: UInt64)] = []
  private let byteLimit: Int

  private struct Piece: Sendable {
    var start: Int
    var bytes: Bytes
    var frame: UInt64
    var end: Int { start + bytes.count }
  }

  /// A hello that is cut into single bytes is not more than this many pieces apart from its prefix.
  private static let pieceLimit = 1024
  private static let originLimit = 4096

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// Whether there are bytes that are not part of a whole message yet.
  var hasUnfinishedMessage: Bool { messageStart < contiguous.count || !waiting.isEmpty }

  /// Whether the first byte of all is missing, and others are there.
  var lacksBeginning: Bool { contiguous.isEmpty && !waiting.isEmpty }

  /// The packets that brought what lies behind a gap.
  var waitingFrames: [UInt64] { Set(waiting.map(\.frame)).sorted() }

  /// What is there of an unfinished message up to the first gap, header included.
  var unfinished: Bytes { Bytes(contiguous[messageStart...]) }

  /// Takes the bytes of a frame.
  mutating func insert(_ bytes: Span<UInt8>, at offset: UInt64, frame: UInt64) {
    guard let start = Int(exactly: offset), start <= byteLimit, bytes.count <= byteLimit - start else {
      hitLimit = true
      return
    }
    let end = start + bytes.count
    var position = start
    if position < contiguous.count {
      let common = min(end, contiguous.count)
      compare(bytes.extracting(0..<(common - start)), contiguous, from: position)
      position = common
    }
    var index = 0
    while position < end {
      while index < waiting.count, waiting[index].end <= position { index += 1 }
      guard index < waiting.count, waiting[index].start < end else {
        add(bytes.extracting((position - start)..<(end - start)), at: position, frame, before: index)
        break
      }
      let piece = waiting[index]
      if position < piece.start {
        add(
          bytes.extracting((position - start)..<(piece.start - start)), at: position, frame, before: index)
        index += 1
      }
      let from = max(position, piece.start)
      let to = min(end, piece.end)
      compare(bytes.extracting((from - start)..<(to - start)), piece.bytes, from: from - piece.start)
      position = to
    }
    joinWaiting()
  }

  private mutating func compare(_ bytes: Span<UInt8>, _ known: Bytes, from start: Int) {
    for index in 0..<bytes.count where known[start + index] != bytes[index] { disagreeingBytes += 1 }
  }

  private mutating func add(_ bytes: Span<UInt8>, at start: Int, _ frame: UInt64, before index: Int) {
    guard bytes.count > 0 else { return }
    if start == contiguous.count {
      append(bytes, frame)
      return
    }
    guard waiting.count < CryptoStream.pieceLimit else {
      hitLimit = true
      return
    }
    waiting.insert(
      Piece(start: start, bytes: Bytes(copying: bytes), frame: frame), at: min(index, waiting.count))
    waitingBytes += bytes.count
  }

  private mutating func append(_ bytes: Span<UInt8>, _ frame: UInt64) {
    contiguous.append(copying: bytes)
    if let last = origins.last, last.frame == frame || origins.count >= CryptoStream.originLimit {
      origins[origins.count - 1] = (contiguous.count, last.frame)
    } else {
      origins.append((contiguous.count, frame))
    }
  }

  private mutating func joinWaiting() {
    var joined = 0
    while joined < waiting.count, waiting[joined].start == contiguous.count {
      let piece = waiting[joined]
      append(piece.bytes.span, piece.frame)
      waitingBytes -= piece.bytes.count
      joined += 1
    }
    waiting.removeFirst(joined)
  }

  /// The next whole message.
  mutating func next() -> (type: HandshakeType, body: Bytes, frames: [UInt64])? {
    guard contiguous.count - messageStart >= HandshakeHeader.byteCount,
      let header = try? HandshakeHeader(
        parsing: contiguous.span.extracting(messageStart..<contiguous.count))
    else { return nil }
    let bodyStart = messageStart + HandshakeHeader.byteCount
    guard contiguous.count - bodyStart >= header.length else { return nil }
    let body = bodyStart..<(bodyStart + header.length)
    let frames = frames(of: messageStart..<body.upperBound)
    messageStart = body.upperBound
    return (header.type, Bytes(contiguous[body]), frames)
  }

  /// The packets that brought these bytes, in their order.
  func frames(of range: Range<Int>) -> [UInt64] {
    var frames: Set<UInt64> = []
    var start = 0
    for origin in origins {
      if start < range.upperBound, origin.end > range.lowerBound { frames.insert(origin.frame) }
      start = origin.end
    }
    return frames.sorted()
  }

  /// The packets that brought what is there of an unfinished message.
  var unfinishedFrames: [UInt64] { frames(of: messageStart..<contiguous.count) }
}
