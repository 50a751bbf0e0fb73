/// Reassembles overlapping pieces of one sequence of bytes: IP fragments, TCP segments, CRYPTO frames, DTLS fragments.
///
/// Of repeated bytes the first copy is kept, and `insert` returns the ranges in which copies disagree.
@usableFromInline package struct Assembler<Origin: Equatable & Sendable>: Sendable {
  /// Bytes of one origin.
  @usableFromInline package struct Piece: Sendable {
    /// The offset of the first byte.
    package let start: Int
    /// The original length in bytes.
    package fileprivate(set) var length: Int
    /// The captured bytes: fewer than `length` if they were truncated to the snapshot length.
    package fileprivate(set) var bytes: Bytes
    /// The origin of the bytes.
    package let origin: Origin

    package var end: Int { start + length }
  }

  /// Bytes that were sent again with different content.
  package struct Conflict: Sendable {
    /// The range of the bytes sent twice, within one piece.
    package let range: Range<Int>
    /// The part of the range that was captured twice.
    package let captured: Range<Int>
    package let disagreeingBytes: Int
    /// The origin of the kept copy.
    package let origin: Origin
  }

  /// The pieces in order; they do not overlap.
  @usableFromInline package private(set) var pieces: ContiguousArray<Piece> = []

  /// The total original length of all pieces.
  package private(set) var length = 0

  /// The memory that the pieces take, in bytes.
  package private(set) var cost = 0

  /// Whether bytes were dropped because there were too many pieces.
  package private(set) var hitLimit = false

  private let maximumPieces: Int

  /// The memory that a piece takes besides its bytes: the array's header and the list entry.
  private static var pieceCost: Int { 96 }

  /// Creates an assembler with this maximum number of pieces.
  package init(maximumPieces: Int = .max) { self.maximumPieces = maximumPieces }

  @inlinable
  package var isEmpty: Bool { pieces.isEmpty }

  /// Inserts the bytes that are not present yet. `length` bytes were sent at offset `start`, of which the first ones were captured.
  package mutating func insert(_ bytes: Span<UInt8>, length: Int, at start: Int, from origin: Origin) -> [Conflict] {
    var conflicts: [Conflict] = []
    let end = start + length
    var position = start
    while position < end {
      // Each insertion changes the list, so the index must be found again.
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

  /// Replaces the bytes in the range of a conflict by others, which begin at offset `start`.
  package mutating func replace(_ range: Range<Int>, by bytes: Span<UInt8>, at start: Int, from origin: Origin) {
    let index = firstIndex(endingAfter: range.lowerBound)
    guard index < pieces.count, pieces[index].start <= range.lowerBound, range.upperBound <= pieces[index].end else { return }
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

  /// Extends `bytes`, which begin at offset 0, up to the next gap.
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

  /// Adds part of the bytes at offset `start`, in a gap before the piece at `index`. The part is joined to an adjacent piece of the same
  /// origin.
  private mutating func add(_ bytes: Span<UInt8>, _ range: Range<Int>, at start: Int, from origin: Origin, before index: Int) {
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
    pieces.insert(Piece(start: range.lowerBound, length: range.count, bytes: Bytes(copying: captured), origin: origin), at: index)
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
    pieces.partitioningIndex { $0.end > offset }
  }
}

extension Assembler.Piece {
  /// The conflict between these bytes and others at offset `start`, within a common range; nil if they agree.
  fileprivate func conflict(with other: Span<UInt8>, at start: Int, in range: Range<Int>) -> Assembler.Conflict? {
    let upper = min(range.upperBound, start + other.count, self.start + bytes.count)
    guard range.lowerBound < upper else { return nil }
    let captured = range.lowerBound..<upper
    let count = captured.count { other[$0 - start] != bytes[$0 - self.start] }
    guard count > 0 else { return nil }
    return Assembler.Conflict(range: range, captured: captured, disagreeingBytes: count, origin: origin)
  }
}
