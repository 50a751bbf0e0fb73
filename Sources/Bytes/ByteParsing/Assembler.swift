/// Overlapping pieces of one sequence of bytes in order: fragments of IP, segments of TCP, CRYPTO frames, fragments of DTLS.
///
/// Of bytes that come again the first copy is kept, and `insert` returns where copies disagree.
@usableFromInline package struct Assembler<Origin: Equatable & Sendable>: Sendable {
  /// Bytes of one origin.
  @usableFromInline package struct Piece: Sendable {
    /// The offset of the first byte.
    package let start: Int
    /// The bytes that were sent.
    package fileprivate(set) var length: Int
    /// Those that were captured: fewer than `length` where the snapshot length truncated them.
    package fileprivate(set) var bytes: Bytes
    /// Where they come from.
    package let origin: Origin

    package var end: Int { start + length }
  }

  /// Bytes that came again with different content.
  package struct Conflict: Sendable {
    /// The bytes that were sent twice; all of them are in one piece.
    package let range: Range<Int>
    /// Those of them that were captured twice.
    package let captured: Range<Int>
    package let disagreeingBytes: Int
    /// Where the kept copy comes from.
    package let origin: Origin
  }

  /// The pieces in order, none overlapping another.
  @usableFromInline package private(set) var pieces: ContiguousArray<Piece> = []

  /// Bytes that were sent, in all pieces.
  package private(set) var length = 0

  /// Bytes that are held, with what each piece takes besides.
  package private(set) var cost = 0

  /// Whether bytes were left out because there were too many pieces.
  package private(set) var hitLimit = false

  private let maximumPieces: Int

  /// What a piece takes besides its bytes: the array's header and its place in the list.
  private static var pieceCost: Int { 96 }

  /// Holds this many pieces at most.
  package init(maximumPieces: Int = .max) { self.maximumPieces = maximumPieces }

  @inlinable
  package var isEmpty: Bool { pieces.isEmpty }

  /// Inserts the bytes that are not there yet. `length` bytes were sent from the offset `start` on, of which the first were captured.
  package mutating func insert(
    _ bytes: Span<UInt8>, length: Int, at start: Int, from origin: Origin
  ) -> [Conflict] {
    var conflicts: [Conflict] = []
    let end = start + length
    var position = start
    while position < end {
      // The list changes with each piece, so that the next one is found again.
      let index = firstIndex(endingAfter: position)
      let next = index < pieces.count ? pieces[index].start : end
      if position < next {
        let stop = min(end, next)
        add(bytes, position..<stop, at: start, from: origin, before: index)
        position = stop
      } else {
        let stop = min(end, pieces[index].end)
        if let conflict = pieces[index].conflict(with: bytes, at: start, in: position..<stop) {
          conflicts.append(conflict)
        }
        position = stop
      }
    }
    return conflicts
  }

  /// Puts other bytes in the place of those in the range of a conflict. They are from the offset `start` on.
  package mutating func replace(_ range: Range<Int>, by bytes: Span<UInt8>, at start: Int, from origin: Origin) {
    let index = firstIndex(endingAfter: range.lowerBound)
    guard index < pieces.count, pieces[index].start <= range.lowerBound, range.upperBound <= pieces[index].end
    else { return }
    let old = remove(at: index)
    for (range, bytes, start, origin) in [
      (old.start..<range.lowerBound, old.bytes, old.start, old.origin),
      (range, Bytes(copying: bytes), start, origin),
      (range.upperBound..<old.end, old.bytes, old.start, old.origin),
    ] where !range.isEmpty {
      add(bytes.span, range, at: start, from: origin, before: firstIndex(endingAfter: range.lowerBound))
    }
  }

  package mutating func removeFirst() -> Piece { remove(at: 0) }

  /// Appends to the bytes from offset 0 on those that follow them without a gap.
  package func append(to bytes: inout Bytes) {
    for piece in pieces[firstIndex(endingAfter: bytes.count)...] {
      let known = bytes.count - piece.start
      guard known >= 0, known < piece.bytes.count else { return }
      bytes.append(copying: piece.bytes.span.extracting(known..<piece.bytes.count))
      if piece.bytes.count < piece.length { return }
    }
  }

  /// The bytes from offset 0 up to the first gap.
  package var contiguous: Bytes {
    var bytes = Bytes()
    append(to: &bytes)
    return bytes
  }

  package func pieces(in range: Range<Int>) -> ArraySlice<Piece> {
    pieces[firstIndex(endingAfter: range.lowerBound)...].prefix { $0.start < range.upperBound }
  }

  /// Adds a part of bytes that begin at the offset `start`, in a gap before the piece at `index`; it joins a neighbor of its origin.
  private mutating func add(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at start: Int, from origin: Origin, before index: Int
  ) {
    let lower = min(range.lowerBound - start, bytes.count)
    let captured = bytes.extracting(lower..<min(range.upperBound - start, bytes.count))
    if index > 0, pieces[index - 1].end == range.lowerBound, pieces[index - 1].origin == origin,
      pieces[index - 1].bytes.count == pieces[index - 1].length
    {
      pieces[index - 1].bytes.append(copying: captured)
      pieces[index - 1].length += range.count
      length += range.count
      cost += captured.count
      return
    }
    guard pieces.count < maximumPieces else {
      hitLimit = true
      return
    }
    pieces.insert(
      Piece(start: range.lowerBound, length: range.count, bytes: Bytes(copying: captured), origin: origin),
      at: index)
    length += range.count
    cost += captured.count + Assembler.pieceCost
  }

  private mutating func remove(at index: Int) -> Piece {
    length -= pieces[index].length
    cost -= pieces[index].bytes.count + Assembler.pieceCost
    return pieces.remove(at: index)
  }

  /// The index of the first piece that ends after an offset.
  private func firstIndex(endingAfter offset: Int) -> Int {
    // Most pieces come in order.
    if let last = pieces.last, last.end <= offset { return pieces.count }
    return pieces.partitioningIndex { $0.end > offset }
  }
}

extension Assembler.Piece {
  /// Where other bytes, which begin at the offset `start`, disagree with these in a range that both have.
  fileprivate func conflict(
    with other: Span<UInt8>, at start: Int, in range: Range<Int>
  ) -> Assembler.Conflict? {
    let upper = min(range.upperBound, start + other.count, self.start + bytes.count)
    guard range.lowerBound < upper else { return nil }
    let captured = range.lowerBound..<upper
    let count = captured.count { other[$0 - start] != bytes[$0 - self.start] }
    guard count > 0 else { return nil }
    return Assembler.Conflict(range: range, captured: captured, disagreeingBytes: count, origin: origin)
  }
}
