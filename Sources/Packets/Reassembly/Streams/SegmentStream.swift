public import ByteParsing
package import PacketParsing
package import Values

/// One direction of a TCP connection, reassembled.
///
/// Segments in order are not copied: `locate` determines which of their bytes are next, and the caller reads them in place. Out-of-order
/// segments are held. Of several copies of a byte, the first one counts, unless only a later one has a correct checksum.
@usableFromInline package struct SegmentStream: ~Copyable, Sendable {
  /// An out-of-order segment.
  package struct Held: Sendable {
    package var sequence: SequenceNumber
    /// Its captured bytes.
    package var bytes: Bytes
    /// Its original length; more than the count of `bytes` if it was truncated to the snapshot length.
    package var lengthOnWire: Int
    /// The packet that carries it.
    package var frame: UInt64
    /// The packet's time; nil if the capture has none.
    package var time: Timestamp?
    /// The checksum validity of the packet.
    package var validity: SegmentChecksum.Validity
  }

  @usableFromInline struct HeldOrigin: Equatable, Sendable {
    var frame: UInt64
    var time: Timestamp?
    var validity: SegmentChecksum.Validity
  }

  /// Bytes whose copies disagree although no checksum decides between them.
  package struct ContestedRange: Hashable, Sendable {
    package var range: SequenceRange
    /// The packet whose bytes were read.
    package var frame: UInt64
    /// The first packet with a different copy.
    package var other: UInt64
    /// Whether all copies so far are invalid, so that a valid one would decide.
    package var hasOnlyInvalid: Bool
  }

  /// The position of a segment relative to the stream.
  package enum RelativePosition: Hashable, Sendable {
    /// The bytes from offset `skip` on are the next ones.
    case next(skip: Int)
    /// The segment contains nothing new.
    case old
    /// Bytes before the segment are missing so far.
    case ahead
  }

  /// The maximum number of bytes held in one direction; beyond it, the gap before them is skipped.
  package static let maximumHeldByteCount = 256 * 1024

  /// How far the next sequence number may be moved back before anything has been read: an unscaled window.
  private static let rebaseWindow = 65_535

  package private(set) var next = SequenceNumber(0)

  /// Whether `next` is known.
  package private(set) var isSynchronized = false

  /// Whether `next` is based on a SYN, and not inferred in the middle of a stream.
  package private(set) var isFromSYN = false

  /// The number of bytes read or skipped.
  package private(set) var position = 0

  /// The number of bytes skipped because the capture lacks them.
  package private(set) var missingBytes = 0

  /// The number of bytes that differ from an earlier copy.
  package private(set) var disagreeingBytes = 0

  /// The first packet with such a byte; 0 if there is none.
  package private(set) var disputeFrame: UInt64 = 0

  /// Bytes whose copies disagree although no checksum decides between them; empty almost always.
  package private(set) var contestedRanges: ContiguousArray<ContestedRange> = []

  /// The maximum number of contested ranges that are kept apart; further ones extend the last.
  private static let maximumContestedRangeCount = 64

  /// The checksum validity of the SYN; unknown if there was none.
  package var synValidity = SegmentChecksum.Validity.unknown

  /// The location of the most recently read bytes; see `RecentBytes`.
  package var recentBytes: RecentBytes.Location = 0

  /// The sequence number after the last byte, from a FIN or RST; nil if unknown.
  private var end: SequenceNumber?

  /// The sequence number up to which the peer has acknowledged bytes, if that is beyond `next`.
  private var acknowledged: SequenceNumber?

  /// How far beyond `next` an acknowledgment is still believed: the window of a fast link.
  private static let acknowledgmentWindow = 1 << 20

  /// A second possible start, from another SYN; the data shows which is right.
  private var otherStart: SequenceNumber?

  /// The out-of-order segments, by their distance from the start of the stream.
  @usableFromInline private(set) var held = Assembler<HeldOrigin>()

  /// The memory that held segments take, in bytes.
  package var heldBytes: Int { held.cost }

  package init() {}

  /// A second stream with the same start, of which no byte has been read.
  package func sharingStart() -> SegmentStream {
    var other = SegmentStream()
    other.next = next
    other.isSynchronized = isSynchronized
    other.isFromSYN = isFromSYN
    other.synValidity = synValidity
    other.end = end
    other.acknowledged = acknowledged
    other.otherStart = otherStart
    return other
  }

  @inlinable
  @inline(__always)
  package var hasHeld: Bool { !held.isEmpty }

  /// Whether every byte up to the end has been read or skipped.
  package var isFinished: Bool {
    if let end { next.distance(to: end) <= 0 } else { false }
  }

  /// Whether the end of the stream is known, from a FIN or RST.
  package var hasEnd: Bool { end != nil }

  /// Sets the start from a SYN. Returns false if it contradicts bytes that were read.
  package mutating func synchronize(bySYN sequence: SequenceNumber) -> Bool {
    let start = sequence.advanced(by: 1)
    if !isSynchronized || (position == 0 && !isFromSYN && held.isEmpty) {
      next = start
      isSynchronized = true
      isFromSYN = true
      return true
    }
    if start.advanced(by: position) == next {
      isFromSYN = true
      return true
    }
    guard position == 0, held.isEmpty else { return false }
    otherStart = next
    next = start
    return true
  }

  /// Records the peer's acknowledgment, which also sets the start if nothing better is known.
  package mutating func acknowledge(upTo sequence: SequenceNumber) {
    if isSynchronized {
      noteUnread(upTo: sequence)
    } else {
      next = sequence
      isSynchronized = true
    }
  }

  /// Records bytes that the peer has acknowledged; they may be late in the capture, or missing from it.
  private mutating func noteUnread(upTo sequence: SequenceNumber) {
    let distance = next.distance(to: sequence)
    guard distance > 0, distance <= SegmentStream.acknowledgmentWindow else { return }
    if let acknowledged, acknowledged.distance(to: sequence) <= 0 { return }
    acknowledged = sequence
  }

  /// The number of acknowledged bytes that have not been read; 0 for a single one, which may be a FIN.
  package var unreadByteCount: Int {
    guard let acknowledged else { return 0 }
    let distance = next.distance(to: end ?? acknowledged)
    return distance > 1 && distance <= SegmentStream.acknowledgmentWindow ? distance : 0
  }

  /// Whether the peer has acknowledged bytes that have not been read.
  package var hasUnreadBytes: Bool { unreadByteCount > 0 }

  /// Whether the peer seems to have acknowledged a FIN that was not captured: one number after the last byte. It may be a single byte too,
  /// which is rare.
  package var lacksEnd: Bool {
    guard end == nil, held.isEmpty, isFromSYN || position > 0, let acknowledged else { return false }
    return next.distance(to: acknowledged) == 1
  }

  /// Whether `first` is the sequence number of the stream's first byte; nil if that is unknown.
  package func begins(at first: SequenceNumber) -> Bool? {
    guard isSynchronized else { return nil }
    if first.advanced(by: position) == next || position == 0 && first == otherStart { return true }
    return isFromSYN || position > 0 ? false : nil
  }

  /// The distance of `number` from the next byte; nil if that was only inferred.
  package func distanceToKnown(_ number: SequenceNumber) -> Int? {
    guard isSynchronized, isFromSYN || position > 0 else { return nil }
    let distance = next.distance(to: number)
    guard position == 0, let otherStart else { return distance }
    let other = otherStart.distance(to: number)
    return other.magnitude < distance.magnitude ? other : distance
  }

  /// Records that the stream ends before `sequence`.
  package mutating func finish(at sequence: SequenceNumber) {
    if end == nil { end = sequence }
  }

  /// The position of a segment of `length` bytes (as sent, at least 1). Does not advance the stream.
  package mutating func locate(_ sequence: SequenceNumber, length: Int) -> RelativePosition {
    if !isSynchronized {
      next = sequence
      isSynchronized = true
    }
    var distance = next.distance(to: sequence)
    if position == 0, distance != 0, held.isEmpty {
      if let other = otherStart, abs(other.distance(to: sequence)) < abs(distance) {
        next = other
        otherStart = nil
        acknowledged = nil
        distance = next.distance(to: sequence)
      } else if !isFromSYN, distance > SegmentStream.rebaseWindow || distance < 0 {
        // The start was only inferred, and nothing has been read since.
        next = sequence
        acknowledged = nil
        distance = 0
      }
    }
    if distance > 0 { return .ahead }
    return length + distance > 0 ? .next(skip: -distance) : .old
  }

  /// Whether a segment that contains the next byte overlaps held bytes, which were captured first.
  package func reachesHeld(_ sequence: SequenceNumber, length: Int) -> Bool {
    guard let first = held.pieces.first else { return false }
    return first.start < distanceFromStart(of: sequence) + length
  }

  /// Records bytes that differ from an earlier copy.
  package mutating func noteDispute(_ count: Int, frame: UInt64) {
    guard count > 0 else { return }
    disagreeingBytes += count
    if disputeFrame == 0 { disputeFrame = frame }
  }

  /// Records bytes whose copies disagree although no checksum decides between them.
  package mutating func noteContested(_ range: SequenceRange, _ frame: UInt64, _ other: UInt64, hasOnlyInvalid: Bool = false) {
    if let known = contestedRanges.firstIndex(where: { $0.range.contains(range) }) {
      if !hasOnlyInvalid { contestedRanges[known].hasOnlyInvalid = false }
      return
    }
    guard contestedRanges.count >= SegmentStream.maximumContestedRangeCount, var last = contestedRanges.popLast() else {
      contestedRanges.append(ContestedRange(range: range, frame: frame, other: other, hasOnlyInvalid: hasOnlyInvalid))
      return
    }
    last.range = last.range.union(range)
    last.hasOnlyInvalid = last.hasOnlyInvalid && hasOnlyInvalid
    contestedRanges.append(last)
  }

  /// Whether copies of some of these bytes disagree, and not all of them are invalid.
  package func isContested(_ range: SequenceRange) -> Bool {
    contestedRanges.contains { !$0.hasOnlyInvalid && $0.range.overlaps(range) }
  }

  /// Removes contested ranges whose copies were all invalid, because there is now a valid one.
  package mutating func resolveContested(in range: SequenceRange) {
    contestedRanges.removeAll { $0.hasOnlyInvalid && range.contains($0.range) }
  }

  /// Advances past `count` bytes that have been read.
  package mutating func advance(by count: Int) {
    next = next.advanced(by: count)
    position += count
  }

  /// The distance of a byte from the start of the stream; negative before it.
  private func distanceFromStart(of sequence: SequenceNumber) -> Int {
    position + next.distance(to: sequence)
  }

  private func sequence(at distance: Int) -> SequenceNumber { next.advanced(by: distance - position) }

  /// Holds an out-of-order segment, except for bytes that are already held.
  package mutating func hold(
    _ sequence: SequenceNumber, _ bytes: Span<UInt8>, lengthOnWire: Int, frame: UInt64, time: Timestamp? = nil,
    validity: SegmentChecksum.Validity = .unknown, isOffloaded: Bool = false
  ) {
    let origin = HeldOrigin(frame: frame, time: time, validity: validity)
    let start = distanceFromStart(of: sequence)
    for conflict in held.insert(bytes, length: lengthOnWire, at: start, from: origin) {
      noteDispute(conflict.disagreeingBytes, frame: frame)
      let disputed = SequenceRange(start: self.sequence(at: conflict.range.lowerBound), count: conflict.range.count)
      let other = conflict.origin
      switch (other.validity, validity) {
      case (.valid, .invalid) where !isOffloaded: break
      case (.invalid, .valid) where !isOffloaded && !isContested(disputed):
        resolveContested(in: disputed)
        held.replace(conflict.range, by: bytes, at: start, from: origin)
      default:
        noteContested(disputed, other.frame, frame, hasOnlyInvalid: other.validity == .invalid && validity == .invalid)
      }
    }
  }

  /// Whether the held bytes exceed the limit.
  package var isOverfull: Bool {
    heldBytes > SegmentStream.maximumHeldByteCount
  }

  /// Removes and returns the next held segment if the bytes before it have been read; `skip` bytes of it have been read already.
  package mutating func takeHeld() -> (segment: Held, skip: Int)? {
    while let first = held.pieces.first, first.start <= position {
      let segment = held.removeFirst()
      guard segment.end > position else { continue }
      let origin = segment.origin
      return (
        Held(
          sequence: sequence(at: segment.start), bytes: segment.bytes, lengthOnWire: segment.length, frame: origin.frame, time: origin.time,
          validity: origin.validity), position - segment.start
      )
    }
    return nil
  }

  /// The first packet with a held segment after a byte; nil if there is none.
  package func firstHeld(after sequence: SequenceNumber) -> UInt64? {
    let distance = distanceFromStart(of: sequence)
    return held.pieces.lazy.filter { $0.start > distance }.map(\.origin.frame).min()
  }

  /// Skips the missing bytes before the first held segment, and returns their number; 0 if nothing is held.
  package mutating func skipGap() -> Int {
    guard let first = held.pieces.first else { return 0 }
    let gap = first.start - position
    guard gap > 0 else { return 0 }
    advance(by: gap)
    missingBytes += gap
    return gap
  }

  /// Skips the missing bytes before the known end, or up to the peer's acknowledgment, and returns their number; 0 if segments are held.
  package mutating func skipUnseenEnd() -> Int {
    guard isSynchronized, held.isEmpty else { return 0 }
    let gap = end.map { next.distance(to: $0) } ?? unreadByteCount
    guard gap > 0 else { return 0 }
    advance(by: gap)
    missingBytes += gap
    return gap
  }

  /// Records that bytes which the capture seemed to lack were found.
  package mutating func noteFound(_ count: Int) { missingBytes -= min(count, missingBytes) }

  /// Whether bytes from `sequence` on belong to the stream, as far as its start is known.
  package func contains(_ sequence: SequenceNumber) -> Bool { distanceFromStart(of: sequence) >= 0 }

  /// Records bytes lost to the snapshot length.
  package mutating func noteMissing(_ count: Int) { missingBytes += count }
}
