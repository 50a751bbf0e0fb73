import BasicContainers
package import ByteParsing
package import PacketParsing
package import Values

/// The most recently read bytes of handshakes, for comparison with retransmissions.
///
/// Bytes in order are read in place, and their buffer is then reused. They are copied into a few blocks that all connections share and that
/// are reused in rotation: memory does not depend on the number of open connections, and a retransmission can be compared as long as the
/// first copy has not been overwritten.
@usableFromInline package struct RecentBytes: ~Copyable {
  /// The location of stored bytes: their block and piece. The bytes of a direction form a chain; 0 for none.
  package typealias Location = UInt64

  /// The packet that bytes were read from.
  package struct Origin: Sendable {
    /// The frame number.
    package var frame: UInt64
    /// The packet's time; nil if the capture has none.
    package var time: Timestamp?
    /// The checksums of its segment, to which the bytes are still to be added.
    package var checksum: SegmentChecksum

    package init(frame: UInt64 = 0, time: Timestamp? = nil, checksum: SegmentChecksum = SegmentChecksum(.unknown)) {
      self.frame = frame
      self.time = time
      self.checksum = checksum
    }
  }

  /// Bytes of one packet that differ from those read at the same sequence numbers.
  package struct Dispute: Sendable {
    /// The range from the first differing byte to the last.
    package var range: SequenceRange
    /// The range of all bytes that both packets contain.
    package var overlap: SequenceRange
    /// The number of differing bytes.
    package var disagreeingBytes: Int
    /// The packet that was read.
    package var frame: UInt64
    /// The checksum validity of that packet.
    package var validity: SegmentChecksum.Validity
  }

  /// Bytes that were read from one packet.
  package struct Excerpt: Sendable {
    package var sequence: SequenceNumber
    package var bytes: Bytes
    package var frame: UInt64
    /// The packet's time; nil if the capture has none.
    package var time: Timestamp?
    /// The position in the order of reading, over all connections.
    package var order: UInt64
  }

  /// Consecutive pieces of a chain, which are skipped together in the search for a range that they do not overlap: a repeated segment must
  /// not cost more the more pieces its direction has.
  struct Run {
    /// A range that contains those of its pieces.
    var range: SequenceRange
    var count: Int
    /// The piece before the first of the run.
    var previous: Location
  }

  struct Piece {
    /// The previous piece of the same direction.
    var previous: Location
    /// The run from its first piece up to this one.
    var run: Run
    var sequence: SequenceNumber
    var start: Int
    var count: Int
    var order: UInt64
    var origin: Origin

    var range: SequenceRange { SequenceRange(start: sequence, count: count) }
  }

  // Not private, because other modules destroy values that contain it.
  @usableFromInline struct Block: ~Copyable {
    var bytes = RigidArray<UInt8>(capacity: RecentBytes.blockSize)
    var pieces = RigidArray<Piece>(capacity: RecentBytes.piecesInBlock)

    func hasRoom(for count: Int) -> Bool { count <= bytes.freeCapacity && !pieces.isFull }

    mutating func clear() {
      bytes.removeAll()
      pieces.removeAll()
    }

    /// Adds the bytes of a piece, for which there must be room; returns the new number of pieces.
    mutating func append(_ span: Span<UInt8>, as piece: Piece) -> Int {
      pieces.append(piece)
      bytes.append(copying: span)
      return pieces.count
    }

    @_lifetime(borrow self)
    func bytes(of piece: Piece) -> Span<UInt8> {
      bytes.span.extracting(piece.start..<(piece.start + piece.count))
    }

    /// The difference between `bytes` and those of a piece; nil if there is none.
    func dispute(_ bytes: Span<UInt8>, at sequence: SequenceNumber, with piece: Piece) -> Dispute? {
      let offset = sequence.distance(to: piece.sequence)
      let lower = max(0, offset)
      let upper = min(bytes.count, offset + piece.count)
      guard lower < upper else { return nil }
      var differing: Range<Int>?
      var count = 0
      for position in lower..<upper where bytes[position] != self.bytes[piece.start + position - offset] {
        differing = (differing?.lowerBound ?? position)..<(position + 1)
        count += 1
      }
      guard let differing else { return nil }
      return Dispute(
        range: SequenceRange(start: sequence.advanced(by: differing.lowerBound), count: differing.count),
        overlap: SequenceRange(start: sequence.advanced(by: lower), count: upper - lower),
        disagreeingBytes: count, frame: piece.origin.frame, validity: piece.origin.checksum.validity(adding: self.bytes(of: piece)))
    }

    /// Replaces the bytes of a piece that `again` contains, which come from `origin`. The bytes before and after them become separate
    /// pieces. `number` is the block's. Returns false if there is no room for those pieces.
    mutating func replace(_ entry: Int, by again: Span<UInt8>, at sequence: SequenceNumber, from origin: Origin, number: UInt64) -> Bool {
      let piece = pieces[entry]
      let offset = sequence.distance(to: piece.sequence)
      let lower = max(0, offset) - offset
      let upper = min(again.count - offset, piece.count)
      guard lower < upper else { return true }
      let rest = (lower > 0 ? 1 : 0) + (upper < piece.count ? 1 : 0)
      guard pieces.freeCapacity >= rest else { return false }
      // Part of a packet has no checksum, so that of the whole is evaluated first.
      let validity = piece.origin.checksum.validity(adding: bytes(of: piece))
      for position in lower..<upper { bytes[piece.start + position] = again[position + offset] }
      func part(_ range: Range<Int>, _ origin: Origin, after previous: Location) -> Piece {
        Piece(
          previous: previous, run: piece.run, sequence: piece.sequence.advanced(by: range.lowerBound),
          start: piece.start + range.lowerBound, count: range.count, order: piece.order, origin: origin)
      }
      var old = piece.origin
      old.checksum = SegmentChecksum(validity)
      var previous = piece.previous
      if lower > 0 {
        pieces.append(part(0..<lower, old, after: previous))
        previous = (number + 1) << 16 | UInt64(truncatingIfNeeded: pieces.count)
      }
      if upper < piece.count {
        pieces.append(part(lower..<upper, origin, after: previous))
        previous = (number + 1) << 16 | UInt64(truncatingIfNeeded: pieces.count)
        pieces[entry] = part(upper..<piece.count, old, after: previous)
      } else {
        pieces[entry] = part(lower..<upper, origin, after: previous)
      }
      return true
    }
  }

  /// A block is larger than the longest segment; 1 MiB in all is some two hundred handshakes.
  private static let blockSize = 64 * 1024
  private static let blockCount: UInt64 = 16

  /// The maximum number of pieces in a block, which one-byte segments must not make grow.
  private static let piecesInBlock = 2048

  /// The maximum number of pieces of one direction that are searched.
  private static let maximumChainLength = 2048

  /// The maximum number of pieces that are skipped together, so that about as many runs are searched as pieces in one of them.
  private static let maximumRunLength = 64

  /// The maximum number of bytes stored from the start of one direction: more than any handshake has.
  package static let maximumByteCount = 48 * 1024

  /// The blocks, each at its number modulo `blockCount`; there is none before the first byte.
  private var blocks = UniqueArray<Block>()

  /// The number of the block being filled, counted from 0.
  private var newest: UInt64 = 0

  package init() {}

  /// The number of pieces stored so far.
  private var order: UInt64 = 0

  /// Stores bytes from `sequence` on; returns the location that leads to them and to those of `previous`. `known` is their position in the
  /// order of reading if they are not the last.
  package mutating func remember(
    _ bytes: Span<UInt8>, at sequence: SequenceNumber, after previous: Location, from origin: Origin = Origin(),
    orderedAs known: UInt64? = nil
  ) -> Location {
    let count = min(bytes.count, RecentBytes.maximumByteCount)
    guard count > 0 else { return previous }
    if blocks.isEmpty || !self[newest].hasRoom(for: count) { turnOver() }
    var origin = origin
    if count < bytes.count { origin.checksum = SegmentChecksum(.unknown) }
    order += 1
    let piece = Piece(
      previous: previous, run: run(to: SequenceRange(start: sequence, count: count), after: previous), sequence: sequence,
      start: self[newest].bytes.count, count: count, order: known ?? order, origin: origin)
    let entry = self[newest].append(bytes.extracting(first: count), as: piece)
    // Block and piece are both counted from 1, so that 0 is not a location.
    return (newest + 1) << 16 | UInt64(truncatingIfNeeded: entry)
  }

  /// The run that ends with a new piece.
  private func run(to range: SequenceRange, after previous: Location) -> Run {
    guard let (number, entry) = find(previous) else { return Run(range: range, count: 1, previous: previous) }
    let run = self[number].pieces[entry].run
    guard run.count < RecentBytes.maximumRunLength else { return Run(range: range, count: 1, previous: previous) }
    return Run(range: run.range.union(range), count: run.count + 1, previous: run.previous)
  }

  private subscript(number: UInt64) -> Block {
    _read { yield blocks[Int(number % RecentBytes.blockCount)] }
    _modify { yield &blocks[Int(number % RecentBytes.blockCount)] }
  }

  /// Begins the next block, in the memory of the oldest one.
  private mutating func turnOver() {
    if !blocks.isEmpty { newest += 1 }
    if newest < RecentBytes.blockCount { blocks.append(Block()) } else { self[newest].clear() }
  }

  /// The number of the block that contains a location, and the index of the piece in it; nil if it was overwritten.
  private func find(_ location: Location) -> (number: UInt64, entry: Int)? {
    guard location > 0xFFFF else { return nil }
    let number = (location >> 16) - 1
    let entry = Int(location & 0xFFFF) - 1
    // The previous contents of a block are overwritten with it.
    guard number <= newest, newest - number < RecentBytes.blockCount, !blocks.isEmpty,
      self[number].pieces.indices.contains(entry)
    else { return nil }
    return (number, entry)
  }

  /// A stored piece: its block's number, its index in the block, and the piece itself.
  private typealias Link = (number: UInt64, entry: Int, piece: Piece)

  /// Calls `body` with the block and index of the pieces that a location leads to, the last one first: those that may overlap `range`, or
  /// all without one. Returns false if some were overwritten, or if there are more than `limit`.
  private func visit(
    _ location: Location, _ range: SequenceRange? = nil, upTo limit: Int = maximumChainLength, _ body: (UInt64, Int) -> Void
  ) -> Bool {
    var location = location
    var count = 0
    while location != 0 {
      guard count < limit, let (number, entry) = find(location) else { return false }
      let run = self[number].pieces[entry].run
      if let range, !run.range.overlaps(range) {
        count += run.count
        location = run.previous
      } else {
        body(number, entry)
        count += 1
        location = self[number].pieces[entry].previous
      }
    }
    return count <= limit
  }

  /// The pieces that `visit` calls its body with.
  private func chain(
    at location: Location, _ range: SequenceRange? = nil, upTo limit: Int = maximumChainLength
  ) -> (links: [Link], isWhole: Bool) {
    var links: [Link] = []
    let isWhole = visit(location, range, upTo: limit) { links.append(($0, $1, self[$0].pieces[$1])) }
    return (links, isWhole)
  }

  /// Whether all bytes that a location leads to are still stored.
  package func isWhole(at location: Location) -> Bool { visit(location) { _, _ in } }

  /// The number of these bytes, from `sequence` on, that differ from those stored at `location`.
  package func disagreements(of bytes: Span<UInt8>, at sequence: SequenceNumber, with location: Location) -> Int {
    disputes(of: bytes, at: sequence, with: location).reduce(0) { $0 + $1.disagreeingBytes }
  }

  /// The differences between these bytes and those stored at `location`, by packet.
  package func disputes(of bytes: Span<UInt8>, at sequence: SequenceNumber, with location: Location) -> [Dispute] {
    var disputes: [Dispute] = []
    for (number, _, piece) in chain(at: location, SequenceRange(start: sequence, count: bytes.count)).links {
      if let dispute = self[number].dispute(bytes, at: sequence, with: piece) { disputes.append(dispute) }
    }
    return disputes
  }

  /// Whether packets outside `range` had valid checksums, and whether any had invalid ones.
  package func soundness(at location: Location, besides range: SequenceRange) -> (hasValid: Bool, hasInvalid: Bool) {
    var sound = (hasValid: false, hasInvalid: false)
    for (number, _, piece) in chain(at: location, upTo: RecentBytes.maximumEvidenceCount).links where !piece.range.overlaps(range) {
      let bytes = self[number].bytes(of: piece)
      let validity = piece.origin.checksum.validity(adding: bytes)
      if validity == .valid { sound.hasValid = true }
      if validity == .invalid { sound.hasInvalid = true }
    }
    return sound
  }

  /// The number of packets whose checksums show whether a sender offloads them.
  private static let maximumEvidenceCount = 32

  /// Replaces stored bytes at `location` by others, which come from `origin`. Returns false if not all could be replaced.
  package mutating func replace(_ bytes: Span<UInt8>, at sequence: SequenceNumber, with location: Location, from origin: Origin) -> Bool {
    let (links, isWhole) = chain(at: location, SequenceRange(start: sequence, count: bytes.count))
    for (number, entry, _) in links {
      guard self[number].replace(entry, by: bytes, at: sequence, from: origin, number: number) else { return false }
    }
    return isWhole
  }

  /// The ranges of these bytes that are not stored at `location`, relative to `range`; nil if some bytes were overwritten.
  package func gaps(in range: SequenceRange, at location: Location) -> [Range<Int>]? {
    var gaps = [0..<range.count]
    let (links, isWhole) = chain(at: location, range)
    for (_, _, piece) in links {
      let start = range.start.distance(to: piece.sequence)
      gaps = gaps.flatMap { gap in
        [
          gap.lowerBound..<max(gap.lowerBound, min(gap.upperBound, start)),
          min(gap.upperBound, max(gap.lowerBound, start + piece.count))..<gap.upperBound,
        ]
        .filter { !$0.isEmpty }
      }
    }
    return gaps.isEmpty || isWhole ? gaps : nil
  }

  /// Stores bytes that were missing between others, so that they are read in their place; returns the new location.
  package mutating func insert(_ bytes: Span<UInt8>, at sequence: SequenceNumber, after previous: Location, from origin: Origin) -> Location
  {
    let later = chain(at: previous).links.filter { sequence.distance(to: $0.piece.sequence) > 0 }
    let earliest = later.map(\.piece.order).min()
    return remember(bytes, at: sequence, after: previous, from: origin, orderedAs: earliest)
  }

  /// All bytes that `location` leads to, in the order of reading; nil if some were overwritten.
  package func transcript(at location: Location) -> [Excerpt]? {
    let (links, isWhole) = chain(at: location)
    guard isWhole else { return nil }
    return links.reversed().map { number, _, piece in
      let bytes = self[number].bytes(of: piece)
      return Excerpt(
        sequence: piece.sequence, bytes: Bytes(copying: bytes), frame: piece.origin.frame, time: piece.origin.time, order: piece.order)
    }
  }
}
