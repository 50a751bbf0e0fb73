import ByteParsing
import PacketParsing

/// The fragments of a datagram, as far as they have come.
struct PartialDatagram {
  /// Bytes that came in one fragment and in none before it.
  struct Piece {
    /// The place of its first byte in the datagram.
    var start: Int

    /// How many bytes were sent.
    var lengthOnWire: Int

    /// Those that the capture holds.
    var bytes: Bytes

    /// The packet that carries them.
    var frame: UInt64

    var end: Int { start + lengthOnWire }
  }

  /// In order, and none over another.
  private(set) var pieces: [Piece] = []

  /// Bytes that the pieces were sent with.
  private var bytesOnWire = 0

  /// How long the datagram is; nil until its last fragment has come.
  private(set) var length: Int?

  /// What the datagram carries, as its first fragment says.
  private(set) var protocolNumber: UInt8?

  /// The headers of its first fragment; nil until that has come.
  private(set) var headers: PacketHeaders?

  /// The first packet with bytes that came before with another content; 0 where there is none.
  private(set) var disagreementFrame: UInt64 = 0

  /// Copies of bytes that disagree with those of `pieces`, each as far as it lies within one of them.
  private var others: [Piece] = []

  /// Such copies that are kept; with more of them the datagram is contested.
  private static let otherLimit = 16

  /// Such copies that are tried in every combination.
  private static let combinedLimit = 6

  /// When the first of its fragments came, in seconds.
  let begun: Int64

  /// The packet that it came in.
  let firstFrame: UInt64

  /// Bytes that it holds, with what each piece takes besides.
  private(set) var cost = 0

  /// What a piece takes besides its bytes: the array's header and its place in the list.
  static let pieceCost = 80

  init(begun: Int64, firstFrame: UInt64) {
    self.begun = begun
    self.firstFrame = firstFrame
  }

  /// What became of a fragment.
  struct Outcome {
    /// Bytes that came again with another content.
    var disagreeingBytes = 0

    /// Whether the fragment contradicts what is known of the datagram's length.
    var contradictsLength = false
  }

  /// Takes a fragment; of bytes that were there already the first copy stays.
  mutating func add(_ bytes: Span<UInt8>, _ headers: PacketHeaders, frame: UInt64) -> Outcome {
    let start = headers.fragment.offset
    let lengthOnWire = headers.payloadLengthOnWire
    let isLast = headers.fragment.isLast
    var outcome = Outcome()
    let end = start + lengthOnWire
    if let length, end > length || isLast && end != length {
      outcome.contradictsLength = true
      return outcome
    }
    if isLast {
      if let last = pieces.last, last.end > end {
        outcome.contradictsLength = true
        return outcome
      }
      length = end
    }
    if start == 0, protocolNumber == nil {
      protocolNumber = headers.fragment.protocolNumber
      self.headers = headers
    }
    // The common case: behind everything that is there.
    if pieces.last.map({ $0.end <= start }) ?? true {
      append(bytes, from: 0, to: lengthOnWire, at: start, frame, index: pieces.count)
      return outcome
    }
    var position = start
    var index = firstPiece(endingBehind: start)
    while position < end {
      guard index < pieces.count else {
        append(bytes, from: position - start, to: lengthOnWire, at: position, frame, index: index)
        break
      }
      let piece = pieces[index]
      if piece.end <= position {
        index += 1
        continue
      }
      if position < piece.start {
        let gapEnd = min(end, piece.start)
        append(bytes, from: position - start, to: gapEnd - start, at: position, frame, index: index)
        position = gapEnd
        index += 1
        continue
      }
      let count = disagreements(of: bytes, at: start, with: piece)
      if count > 0 {
        outcome.disagreeingBytes += count
        keep(bytes, at: start, over: piece, frame)
      }
      position = piece.end
      index += 1
    }
    if outcome.disagreeingBytes > 0, disagreementFrame == 0 { disagreementFrame = frame }
    return outcome
  }

  private mutating func append(
    _ bytes: Span<UInt8>, from first: Int, to end: Int, at start: Int, _ frame: UInt64, index: Int
  ) {
    let lower = min(first, bytes.count)
    let piece = Piece(
      start: start, lengthOnWire: end - first,
      bytes: Bytes(copying: bytes.extracting(lower..<min(max(end, lower), bytes.count))), frame: frame)
    cost += piece.bytes.count + PartialDatagram.pieceCost
    bytesOnWire += piece.lengthOnWire
    pieces.insert(piece, at: index)
  }

  /// Keeps bytes that disagree with a piece.
  private mutating func keep(_ bytes: Span<UInt8>, at start: Int, over piece: Piece, _ frame: UInt64) {
    let (lower, upper) = (max(start, piece.start), min(start + bytes.count, piece.start + piece.bytes.count))
    guard lower < upper, others.count < PartialDatagram.otherLimit else { return }
    let copy = Bytes(copying: bytes.extracting((lower - start)..<(upper - start)))
    if others.contains(where: { $0.start == lower && $0.bytes == copy }) { return }
    others.append(Piece(start: lower, lengthOnWire: upper - lower, bytes: copy, frame: frame))
    cost += copy.count + PartialDatagram.pieceCost
  }

  /// The bytes of a datagram that is whole, and whether it is contested: fragments disagree, and not exactly one choice between them is
  /// right.
  func decided(isRight: (Bytes) -> Bool?) -> (bytes: Bytes, isContested: Bool) {
    let first = joined()
    guard disagreementFrame > 0 else { return (first, false) }
    guard others.count < PartialDatagram.otherLimit else { return (first, true) }
    // Every choice while they are few; else each alone, and all of them.
    let choices: [UInt64] =
      others.count <= PartialDatagram.combinedLimit
      ? Array(0..<(1 << UInt64(others.count)))
      : [0, .max] + others.indices.map { 1 << UInt64($0) }
    var found: Set<Bytes> = []
    for choice in choices {
      var bytes = first
      for (index, other) in others.enumerated() where choice >> UInt64(index) & 1 == 1 {
        guard other.start + other.bytes.count <= bytes.count else { continue }
        bytes.replaceSubrange(other.start..<(other.start + other.bytes.count), with: other.bytes)
      }
      guard let isRight = isRight(bytes) else { return (first, true) }
      if isRight { found.insert(bytes) }
    }
    guard let only = found.first, found.count == 1 else { return (first, true) }
    return (only, false)
  }

  private func disagreements(of bytes: Span<UInt8>, at start: Int, with piece: Piece) -> Int {
    var count = 0
    let lower = max(start, piece.start)
    let upper = min(start + bytes.count, piece.start + piece.bytes.count)
    guard lower < upper else { return 0 }
    for place in lower..<upper where bytes[place - start] != piece.bytes[place - piece.start] { count += 1 }
    return count
  }

  /// The packets that carry it, those whose copies of some bytes disagree included.
  var frames: [UInt64] { (pieces + others).map(\.frame) }

  /// Whether every byte has come, or would have without the snapshot length: no piece lies over another or beyond the length.
  var isComplete: Bool { bytesOnWire == length && !pieces.isEmpty }

  /// The index of the first piece that ends behind a place.
  private func firstPiece(endingBehind place: Int) -> Int {
    var (lower, upper) = (0, pieces.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if pieces[middle].end <= place { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }

  /// The bytes from the first on, up to the first that the capture lacks.
  func joined() -> Bytes {
    var bytes = Bytes()
    for piece in pieces {
      guard piece.start == bytes.count else { break }
      bytes.append(contentsOf: piece.bytes)
    }
    return bytes
  }

  /// What there is of the datagram, now that the rest will not come; nil without its first fragment, which says whose it is.
  var broken: BrokenDatagram? {
    guard let headers, let first = pieces.first, first.start == 0, let last = pieces.last else { return nil }
    let start = joined()
    var isCut = false
    var end = 0
    var rest: [BrokenDatagram.Piece] = []
    for piece in pieces {
      if piece.start < start.count {
        end = piece.end
        isCut = piece.bytes.count < piece.lengthOnWire
      } else {
        rest.append(
          BrokenDatagram.Piece(
            start: piece.start, bytes: piece.bytes, lengthOnWire: piece.lengthOnWire, frame: piece.frame))
      }
    }
    return BrokenDatagram(
      headers: headers, start: start, startLengthOnWire: isCut ? end : start.count, frame: first.frame,
      firstFrame: firstFrame, frames: frames, rest: rest, length: length,
      knownLength: length ?? last.end,
      disagreementFrame: disagreementFrame)
  }
}
