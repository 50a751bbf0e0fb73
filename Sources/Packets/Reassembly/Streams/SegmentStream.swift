public import ByteParsing
package import PacketParsing
package import Values

/// One direction of a TCP connection, put back in order.
///
/// Segments in order are not copied: `place` says which of their bytes are next, and the caller reads them where they
/// lie. Segments ahead of their turn are held. The first copy of a byte is the one that counts.
@usableFromInline package struct SegmentStream: ~Copyable, Sendable {
  /// A segment that came before its turn.
  package struct Held: Sendable {
    package var sequence: SequenceNumber
    /// What the capture holds of it.
    package var bytes: Bytes
    /// Its length as sent; more than `bytes` where the snapshot length cut it.
    package var lengthOnWire: Int
    /// The packet that carries it.
    package var frame: UInt64
    /// The time of that packet; nil where the capture has none.
    package var time: Timestamp?
    /// What the checksums say of that packet.
    package var verdict: SegmentChecksum.Verdict
  }

  @usableFromInline
  struct HeldOrigin: Equatable, Sendable {
    var frame: UInt64
    var time: Timestamp?
    var verdict: SegmentChecksum.Verdict
  }

  /// Bytes whose copies disagree where no checksum decides between them.
  package struct Contest: Hashable, Sendable {
    package var range: SequenceRange
    /// The packet whose bytes were read.
    package var frame: UInt64
    /// The first packet with others.
    package var other: UInt64
    /// Whether all copies so far are wrong, so that a right one would decide.
    package var hasOnlyWrong: Bool
  }

  /// Where a segment stands.
  package enum Placement: Hashable, Sendable {
    /// Its bytes from `skip` on are next.
    case next(skip: Int)
    /// It holds nothing new.
    case old
    /// Bytes before it have not come yet.
    case ahead
  }

  /// Bytes held ahead of their turn in one direction, at most; beyond it the gap before them is given up.
  package static let maximumHeldByteCount = 256 * 1024

  /// How far back the sequence number may be moved while nothing has been read: a window without scaling.
  private static let rebaseWindow = 65_535

  package private(set) var next = SequenceNumber(0)

  /// Whether `next` is known.
  package private(set) var isSynchronized = false

  /// Whether `next` was told by a SYN and not guessed from the middle of a stream.
  package private(set) var isFromSYN = false

  /// Bytes read or given up since the start.
  package private(set) var position = 0

  /// Bytes given up because the capture does not hold them.
  package private(set) var missingBytes = 0

  /// Bytes that came again with another content than before.
  package private(set) var disagreeingBytes = 0

  /// The packet of the first such byte; 0 where there is none.
  package private(set) var disagreementFrame: UInt64 = 0

  /// Bytes whose copies disagree where no checksum decides; none, as almost always.
  package private(set) var contests: ContiguousArray<Contest> = []

  /// Contests that are distinguished; the last one takes in whatever comes after.
  private static let maximumContestCount = 64

  /// What the checksums say of the SYN; unknown where there was none.
  package var synVerdict = SegmentChecksum.Verdict.unknown

  /// Where the bytes that were read last are remembered; see `RecentBytes`.
  package var recentBytes: RecentBytes.Place = 0

  /// Number of the byte after the last one, once a FIN told it.
  private var end: SequenceNumber?

  /// Number after the last byte that the peer says to have, where that is ahead of what was read.
  private var acknowledged: SequenceNumber?

  /// How far an acknowledgment may be ahead to be believed: the window of a fast link.
  private static let acknowledgmentWindow = 1 << 20

  /// A second start that another SYN told: which is right shows when data comes.
  private var otherStart: SequenceNumber?

  /// Segments ahead of their turn, by their distance from the start of the stream.
  @usableFromInline
  private(set) var held = Assembler<HeldOrigin>()

  /// Bytes that are held, with what each segment takes besides.
  package var heldBytes: Int { held.cost }

  package init() {}

  /// A second stream of which the same start is known; none of its bytes have been read.
  package func sharingStart() -> SegmentStream {
    var other = SegmentStream()
    other.next = next
    other.isSynchronized = isSynchronized
    other.isFromSYN = isFromSYN
    other.synVerdict = synVerdict
    other.end = end
    other.acknowledged = acknowledged
    other.otherStart = otherStart
    return other
  }

  /// Whether segments wait for bytes before them.
  @inlinable
  @inline(__always)
  package var hasHeld: Bool { !held.isEmpty }

  /// Whether every byte up to the FIN has been read or given up.
  package var isFinished: Bool {
    if let end { next.distance(to: end) <= 0 } else { false }
  }

  /// Whether a FIN has been seen.
  package var hasEnd: Bool { end != nil }

  /// Takes the start that a SYN names. Returns false if it contradicts what has been read already.
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

  /// Takes the peer's acknowledgment: as the start, where nothing better is known.
  package mutating func acknowledge(upTo sequence: SequenceNumber) {
    if isSynchronized {
      noteUnread(upTo: sequence)
    } else {
      next = sequence
      isSynchronized = true
    }
  }

  /// Records what the peer says to have; it may have bytes that are late in the capture, or not in it.
  private mutating func noteUnread(upTo sequence: SequenceNumber) {
    let distance = next.distance(to: sequence)
    guard distance > 0, distance <= SegmentStream.acknowledgmentWindow else { return }
    if let acknowledged, acknowledged.distance(to: sequence) <= 0 { return }
    acknowledged = sequence
  }

  /// How many bytes the peer has that have not been read. A single one is the number of a FIN, or may be.
  private var unreadByteCount: Int {
    guard let acknowledged else { return 0 }
    let distance = next.distance(to: end ?? acknowledged)
    return distance > 1 && distance <= SegmentStream.acknowledgmentWindow ? distance : 0
  }

  /// Whether the peer has bytes that have not been read.
  package var hasUnreadBytes: Bool { unreadByteCount > 0 }

  /// Whether `first` is the number of the stream's first byte; nil where that is not known.
  package func begins(at first: SequenceNumber) -> Bool? {
    guard isSynchronized else { return nil }
    if first.advanced(by: position) == next || position == 0 && first == otherStart { return true }
    return isFromSYN || position > 0 ? false : nil
  }

  /// How far `number` is from the next byte; nil where that was only guessed.
  package func distanceToKnown(_ number: SequenceNumber) -> Int? {
    guard isSynchronized, isFromSYN || position > 0 else { return nil }
    let distance = next.distance(to: number)
    guard position == 0, let otherStart else { return distance }
    let other = otherStart.distance(to: number)
    return other.magnitude < distance.magnitude ? other : distance
  }

  /// Notes that the stream ends before `sequence`.
  package mutating func finish(at sequence: SequenceNumber) {
    if end == nil { end = sequence }
  }

  /// Says where a segment of `length` bytes (as sent, 1 or more) stands, without taking it.
  package mutating func place(_ sequence: SequenceNumber, length: Int) -> Placement {
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
        // A start that was only guessed, and nothing read under it yet.
        next = sequence
        acknowledged = nil
        distance = 0
      }
    }
    if distance > 0 { return .ahead }
    return length + distance > 0 ? .next(skip: -distance) : .old
  }

  /// Whether a segment of which the next byte is a part reaches bytes that are held: those came first.
  package func reachesHeld(_ sequence: SequenceNumber, length: Int) -> Bool {
    guard let first = held.pieces.first else { return false }
    return first.start < distanceFromStart(of: sequence) + length
  }

  /// Notes bytes that came again with another content.
  package mutating func noteDisagreement(_ count: Int, frame: UInt64) {
    guard count > 0 else { return }
    disagreeingBytes += count
    if disagreementFrame == 0 { disagreementFrame = frame }
  }

  /// Notes bytes whose copies disagree where no checksum decides.
  package mutating func contest(
    _ range: SequenceRange, _ frame: UInt64, _ other: UInt64, hasOnlyWrong: Bool = false
  ) {
    if let known = contests.firstIndex(where: { $0.range.contains(range) }) {
      if !hasOnlyWrong { contests[known].hasOnlyWrong = false }
      return
    }
    guard contests.count >= SegmentStream.maximumContestCount, var last = contests.popLast() else {
      contests.append(Contest(range: range, frame: frame, other: other, hasOnlyWrong: hasOnlyWrong))
      return
    }
    let start = last.range.start.distance(to: range.start) < 0 ? range.start : last.range.start
    let end = last.range.end.distance(to: range.end) > 0 ? range.end : last.range.end
    last.range = SequenceRange(start: start, count: start.distance(to: end))
    last.hasOnlyWrong = last.hasOnlyWrong && hasOnlyWrong
    contests.append(last)
  }

  /// Whether copies of some of these bytes disagree, and not all of them are wrong.
  package func isContested(_ range: SequenceRange) -> Bool {
    contests.contains { !$0.hasOnlyWrong && $0.range.overlaps(range) }
  }

  /// Takes back that bytes are contested whose copies were all wrong: now there is a right one.
  package mutating func resolveContests(in range: SequenceRange) {
    contests.removeAll { $0.hasOnlyWrong && range.contains($0.range) }
  }

  /// Moves on over `count` bytes that have been read.
  package mutating func advance(by count: Int) {
    next = next.advanced(by: count)
    position += count
  }

  /// The distance of a byte from the start of the stream: negative before it.
  private func distanceFromStart(of sequence: SequenceNumber) -> Int {
    position + next.distance(to: sequence)
  }

  private func sequence(at distance: Int) -> SequenceNumber { next.advanced(by: distance - position) }

  /// Holds a segment that is ahead of its turn, except for the bytes that are held already.
  package mutating func hold(
    _ sequence: SequenceNumber, _ bytes: Span<UInt8>, lengthOnWire: Int, frame: UInt64,
    time: Timestamp? = nil,
    verdict: SegmentChecksum.Verdict = .unknown, isOffloaded: Bool = false
  ) {
    let origin = HeldOrigin(frame: frame, time: time, verdict: verdict)
    let start = distanceFromStart(of: sequence)
    for conflict in held.insert(bytes, length: lengthOnWire, at: start, from: origin) {
      noteDisagreement(conflict.disagreeingBytes, frame: frame)
      let disputed = SequenceRange(
        start: self.sequence(at: conflict.range.lowerBound), count: conflict.range.count)
      let other = conflict.origin
      switch (other.verdict, verdict) {
      case (.right, .wrong) where !isOffloaded: break
      case (.wrong, .right) where !isOffloaded && !isContested(disputed):
        resolveContests(in: disputed)
        held.replace(conflict.range, by: bytes, at: start, from: origin)
      default:
        contest(disputed, other.frame, frame, hasOnlyWrong: other.verdict == .wrong && verdict == .wrong)
      }
    }
  }

  /// Whether more is held than may be.
  package var isOverfull: Bool {
    heldBytes > SegmentStream.maximumHeldByteCount
  }

  /// Takes the next held segment if its turn has come; `skip` bytes of it have been read already.
  package mutating func takeHeld() -> (segment: Held, skip: Int)? {
    while let first = held.pieces.first, first.start <= position {
      let segment = held.removeFirst()
      guard segment.end > position else { continue }
      let origin = segment.origin
      return (
        Held(
          sequence: sequence(at: segment.start), bytes: segment.bytes, lengthOnWire: segment.length,
          frame: origin.frame, time: origin.time, verdict: origin.verdict),
        position - segment.start
      )
    }
    return nil
  }

  /// The first packet with a held segment after a byte; nil where none is held there.
  package func firstHeld(after sequence: SequenceNumber) -> UInt64? {
    let distance = distanceFromStart(of: sequence)
    return held.pieces.lazy.filter { $0.start > distance }.map(\.origin.frame).min()
  }

  /// Gives up the bytes before the first held segment, and returns how many they are; 0 where nothing waits.
  package mutating func skipGap() -> Int {
    guard let first = held.pieces.first else { return 0 }
    let gap = first.start - position
    guard gap > 0 else { return 0 }
    advance(by: gap)
    missingBytes += gap
    return gap
  }

  /// Gives up the bytes before the end that a FIN told, or that the peer has, where nothing is held, and returns how many
  /// they are.
  package mutating func skipUnseenEnd() -> Int {
    guard isSynchronized, held.isEmpty else { return 0 }
    let gap = end.map { next.distance(to: $0) } ?? unreadByteCount
    guard gap > 0 else { return 0 }
    advance(by: gap)
    missingBytes += gap
    return gap
  }

  /// Notes bytes that were sent but that the snapshot length kept out of the capture.
  package mutating func noteMissing(_ count: Int) { missingBytes += count }
}
