import BasicContainers
package import ByteParsing
package import PacketParsing
package import Values

/// The bytes of handshakes that were read last, so that what is sent again can be held against them.
///
/// Bytes in order are read where they lie, and the buffer that they lie in is filled again. Copies of them go into a few
/// blocks that all connections share and that are used in turn: memory is the same however many connections are open, and
/// a retransmission is compared as long as its first copy has not given way to others.
@usableFromInline package struct RecentBytes: ~Copyable {
  /// Where bytes that were remembered lie: those of one direction form a chain. 0 stands for none.
  package typealias Place = UInt64

  /// The packet that bytes were read from.
  package struct Origin: Sendable {
    /// The packet's number.
    package var frame: UInt64
    /// The packet's time; nil where the capture has none.
    package var time: Timestamp?
    /// The checksums of its segment, to which the bytes are to be added.
    package var checksum: SegmentChecksum

    package init(
      frame: UInt64 = 0, time: Timestamp? = nil, checksum: SegmentChecksum = SegmentChecksum(.unknown)
    ) {
      self.frame = frame
      self.time = time
      self.checksum = checksum
    }
  }

  /// Bytes that differ from those that were read in their place, from one packet.
  package struct Dispute: Sendable {
    /// The bytes from the first that differs to the last.
    package var range: SequenceRange
    /// All bytes that both packets hold.
    package var overlap: SequenceRange
    /// The packet that was read.
    package var frame: UInt64
    /// What the checksums say of that packet.
    package var verdict: SegmentChecksum.Verdict
  }

  /// Bytes that were read from one packet.
  package struct Excerpt: Sendable {
    package var sequence: SequenceNumber
    package var bytes: Bytes
    package var frame: UInt64
    /// Its time; nil where the capture has none.
    package var time: Timestamp?
    /// Counts what was remembered, of all connections.
    package var order: UInt64
  }

  struct Piece {
    /// The piece of the same direction that was remembered before.
    var previous: Place
    var sequence: SequenceNumber
    var start: Int
    var count: Int
    var order: UInt64
    var origin: Origin

    var range: SequenceRange { SequenceRange(start: sequence, count: count) }
  }

  // Other modules have to know it by name, since they destroy what holds it.
  @usableFromInline
  struct Block: ~Copyable {
    var bytes = RigidArray<UInt8>(capacity: 0)
    var pieces = RigidArray<Piece>(capacity: 0)

    func hasRoom(for count: Int) -> Bool { count <= bytes.freeCapacity && !pieces.isFull }

    mutating func clear() {
      if bytes.capacity == 0 {
        bytes.reserveCapacity(RecentBytes.blockSize)
        pieces.reserveCapacity(RecentBytes.piecesInBlock)
      }
      bytes.removeAll()
      pieces.removeAll()
    }

    /// How many bytes differ from those of a piece, and the piece of the same direction before it; nil where there is no such piece.
    func disagreements(
      of bytes: Span<UInt8>, at sequence: SequenceNumber, with entry: Int
    ) -> (count: Int, previous: Place)? {
      guard entry >= 0, entry < pieces.count else { return nil }
      let piece = pieces[entry]
      let offset = sequence.distance(to: piece.sequence)
      let lower = max(0, offset)
      let upper = min(bytes.count, offset + piece.count)
      var different = 0
      if lower < upper {
        for position in lower..<upper where bytes[position] != self.bytes[piece.start + position - offset] {
          different += 1
        }
      }
      return (different, piece.previous)
    }

    /// Adds bytes that there is room for; returns how many pieces there are then.
    mutating func append(
      _ span: Span<UInt8>, at sequence: SequenceNumber, after previous: Place, order: UInt64,
      from origin: Origin
    ) -> Int {
      pieces.append(
        Piece(
          previous: previous, sequence: sequence, start: bytes.count, count: span.count, order: order,
          origin: origin))
      bytes.append(copying: span)
      return pieces.count
    }

    /// The bytes of a piece.
    @_lifetime(borrow self)
    func bytes(of piece: Piece) -> Span<UInt8> {
      bytes.span.extracting(piece.start..<(piece.start + piece.count))
    }

    /// How `bytes` differ from those of a piece; nil where they do not.
    func dispute(_ bytes: Span<UInt8>, at sequence: SequenceNumber, with piece: Piece) -> Dispute? {
      let offset = sequence.distance(to: piece.sequence)
      let lower = max(0, offset)
      let upper = min(bytes.count, offset + piece.count)
      guard lower < upper else { return nil }
      var differing: Range<Int>?
      for position in lower..<upper where bytes[position] != self.bytes[piece.start + position - offset] {
        differing = (differing?.lowerBound ?? position)..<(position + 1)
      }
      guard let differing else { return nil }
      return Dispute(
        range: SequenceRange(start: sequence.advanced(by: differing.lowerBound), count: differing.count),
        overlap: SequenceRange(start: sequence.advanced(by: lower), count: upper - lower),
        frame: piece.origin.frame, verdict: piece.origin.checksum.verdict(adding: self.bytes(of: piece)))
    }

    /// Replaces those bytes of a piece that `again` holds, which come from `origin`. What is left of the piece before and after
    /// them becomes pieces of its own; `number` is the block's. Returns false where there is no room for those.
    mutating func replace(
      _ entry: Int, by again: Span<UInt8>, at sequence: SequenceNumber, from origin: Origin, number: UInt64
    ) -> Bool {
      let piece = pieces[entry]
      let offset = sequence.distance(to: piece.sequence)
      let lower = max(0, offset) - offset
      let upper = min(again.count - offset, piece.count)
      guard lower < upper else { return true }
      let rest = (lower > 0 ? 1 : 0) + (upper < piece.count ? 1 : 0)
      guard pieces.freeCapacity >= rest else { return false }
      // What is left of a packet has no checksum by itself.
      let verdict = piece.origin.checksum.verdict(adding: bytes(of: piece))
      for position in lower..<upper { bytes[piece.start + position] = again[position + offset] }
      func part(_ range: Range<Int>, _ origin: Origin, after previous: Place) -> Piece {
        Piece(
          previous: previous, sequence: piece.sequence.advanced(by: range.lowerBound),
          start: piece.start + range.lowerBound, count: range.count, order: piece.order, origin: origin)
      }
      var old = piece.origin
      old.checksum = SegmentChecksum(verdict)
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

  /// A block takes one of the longest segments and more; 1 MiB in all is some two hundred handshakes.
  private static let blockSize = 64 * 1024
  private static let blockCount = 16

  /// Pieces of a block: segments of a byte each must not make it grow.
  private static let piecesInBlock = 2048

  /// Pieces of one direction that are looked through.
  private static let longestChain = 2048

  /// Bytes of one direction that are remembered, from its start: more than any handshake is long.
  package static let maximumByteCount = 48 * 1024

  /// The block that is being filled; without memory before the first byte.
  private var present = Block()

  /// Its number, counted from 0.
  private var newest: UInt64 = 0

  /// The blocks before it, each at its number modulo as many as they may be.
  private var earlier = UniqueArray<Block>()
  private static let earlierCount = UInt64(blockCount - 1)

  package init() {}

  /// Pieces remembered so far.
  private var order: UInt64 = 0

  /// Remembers bytes from `sequence` on; returns the place from which they and those of `previous` are found.
  package mutating func remember(
    _ bytes: Span<UInt8>, at sequence: SequenceNumber, after previous: Place, from origin: Origin = Origin()
  ) -> Place {
    let count = min(bytes.count, RecentBytes.maximumByteCount)
    guard count > 0 else { return previous }
    if !present.hasRoom(for: count) { turnOver() }
    var origin = origin
    if count < bytes.count { origin.checksum = SegmentChecksum(.unknown) }
    order += 1
    let entry = present.append(
      bytes.extracting(first: count), at: sequence, after: previous, order: order, from: origin)
    // Block and piece, both counted from 1, so that 0 is not a place.
    return (newest + 1) << 16 | UInt64(truncatingIfNeeded: entry)
  }

  /// Begins the next block, in the memory of the oldest one.
  private mutating func turnOver() {
    if present.bytes.capacity > 0 {
      let place = Int(newest % RecentBytes.earlierCount)
      if place == earlier.count { earlier.append(Block()) }
      swap(&present, &earlier[place])
      newest += 1
    }
    present.clear()
  }

  /// Where the block of a place is: nil for the present one; and its number and the piece in it. Nil where it was forgotten.
  private func find(_ place: Place) -> (earlier: Int?, number: UInt64, entry: Int)? {
    guard place > 0xFFFF else { return nil }
    let number = (place >> 16) - 1
    let entry = Int(place & 0xFFFF) - 1
    // What was in a block before was forgotten with it.
    guard number <= newest, newest - number < UInt64(RecentBytes.blockCount), entry >= 0 else { return nil }
    if number == newest { return entry < present.pieces.count ? (nil, number, entry) : nil }
    let index = Int(number % RecentBytes.earlierCount)
    guard index < earlier.count, entry < earlier[index].pieces.count else { return nil }
    return (index, number, entry)
  }

  private func piece(at place: Place) -> Piece? {
    guard let (index, _, entry) = find(place) else { return nil }
    return index.map { earlier[$0].pieces[entry] } ?? present.pieces[entry]
  }

  /// How many of these bytes, the first of which has the number `sequence`, differ from those remembered at `place`.
  package func disagreements(of bytes: Span<UInt8>, at sequence: SequenceNumber, with place: Place) -> Int {
    var different = 0
    var place = place
    for _ in 0..<RecentBytes.longestChain {
      guard let (index, _, entry) = find(place),
        let found = index.map({ earlier[$0].disagreements(of: bytes, at: sequence, with: entry) })
          ?? present.disagreements(of: bytes, at: sequence, with: entry)
      else { return different }
      different += found.count
      place = found.previous
    }
    return different
  }

  /// How these bytes differ from those remembered at `place`, packet by packet.
  package func disputes(
    of bytes: Span<UInt8>, at sequence: SequenceNumber, with place: Place
  ) -> [Dispute] {
    var disputes: [Dispute] = []
    var place = place
    for _ in 0..<RecentBytes.longestChain {
      guard let (index, _, entry) = find(place) else { break }
      let found: (Dispute?, Place)
      if let index {
        let piece = earlier[index].pieces[entry]
        found = (earlier[index].dispute(bytes, at: sequence, with: piece), piece.previous)
      } else {
        let piece = present.pieces[entry]
        found = (present.dispute(bytes, at: sequence, with: piece), piece.previous)
      }
      if let dispute = found.0 { disputes.append(dispute) }
      place = found.1
    }
    return disputes
  }

  /// Whether packets that `place` leads to, those with bytes of `range` excepted, have right checksums, and wrong ones.
  package func soundness(at place: Place, besides range: SequenceRange) -> (hasRight: Bool, hasWrong: Bool) {
    var sound = (hasRight: false, hasWrong: false)
    var place = place
    for _ in 0..<RecentBytes.longestEvidence {
      guard let (index, _, entry) = find(place) else { break }
      let piece = index.map { earlier[$0].pieces[entry] } ?? present.pieces[entry]
      place = piece.previous
      if piece.range.overlaps(range) { continue }
      let verdict =
        if let index {
          piece.origin.checksum.verdict(adding: earlier[index].bytes(of: piece))
        } else {
          piece.origin.checksum.verdict(adding: present.bytes(of: piece))
        }
      if verdict == .right { sound.hasRight = true }
      if verdict == .wrong { sound.hasWrong = true }
    }
    return sound
  }

  /// Packets whose checksums tell whether a sender leaves them to its card.
  private static let longestEvidence = 32

  /// Replaces bytes remembered at `place` by others in their place, which come from `origin`. Returns false where not all could be.
  package mutating func replace(
    _ bytes: Span<UInt8>, at sequence: SequenceNumber, with place: Place, from origin: Origin
  ) -> Bool {
    let range = SequenceRange(start: sequence, count: bytes.count)
    var place = place
    for _ in 0..<RecentBytes.longestChain {
      guard let (index, number, entry) = find(place), let piece = piece(at: place) else { return place == 0 }
      place = piece.previous
      guard piece.range.overlaps(range) else { continue }
      let isDone =
        if let index {
          earlier[index].replace(entry, by: bytes, at: sequence, from: origin, number: number)
        } else {
          present.replace(entry, by: bytes, at: sequence, from: origin, number: number)
        }
      if !isDone { return false }
    }
    return false
  }

  /// All that `place` leads to, in the order of its reading; nil where some of it was forgotten.
  package func transcript(at place: Place) -> [Excerpt]? {
    var excerpts: [Excerpt] = []
    var place = place
    while place != 0 {
      guard excerpts.count < RecentBytes.longestChain, let (index, _, entry) = find(place),
        let piece = piece(at: place)
      else { return nil }
      let bytes =
        if let index {
          Bytes(copying: earlier[index].bytes(of: earlier[index].pieces[entry]))
        } else {
          Bytes(copying: present.bytes(of: present.pieces[entry]))
        }
      excerpts.append(
        Excerpt(
          sequence: piece.sequence, bytes: bytes, frame: piece.origin.frame, time: piece.origin.time,
          order: piece.order))
      place = piece.previous
    }
    excerpts.reverse()
    return excerpts
  }
}
