import PacketParsing
import Reassembly
import Values

// Addresses and ports do not name a connection where networks that are kept apart by tags or tunnels use the same ones, or
// where captures of several networks were merged. Sequence numbers do: both ends begin with random ones. The tunnels alone do
// not: a mirrored packet comes in two of them, and the two directions often have different labels or endpoints.
extension Connection {
  /// How well a segment fits.
  enum Fit {
    /// It belongs to another connection between the same ends.
    case foreign
    /// It may belong here; the greater the number, the more speaks for it.
    case possible(Int)
  }

  /// How far the numbers of one connection may be apart: more than is under way, or lost in one piece, during a handshake.
  private static let reach: UInt32 = 1 << 20

  /// Whether the number of a segment lies about where its direction has come to. What does not may still belong here.
  @inline(__always)
  func isNear(_ head: SegmentHead) -> Bool {
    let next = streams[head.direction].next.rawValue
    return head.sequence.rawValue &- next &+ Connection.reach <= 2 * Connection.reach
  }

  /// Whether a segment is the first of its direction and answers the other: what it acknowledges lies about where that has come to.
  /// Nothing else of such a segment can speak against a connection that addresses and ports alone name.
  @inline(__always)
  func isFirstAnswer(_ head: SegmentHead) -> Bool {
    guard !streams[head.direction].isSynchronized, head.flags.contains(.ack) else {
      return false
    }
    return isNearKnown(head.direction.opposite, head.acknowledgment)
  }

  /// How well a segment fits by its numbers, and by what it traveled in; `isHello` says that it begins with a hello of TLS,
  /// which nothing but a stream's beginning does.
  func fit(_ head: SegmentHead, isHello: Bool) -> Fit {
    let isSame = isOnSamePath(head)
    // What came the other way counts less: labels and endpoints of tunnels often have a direction.
    var score = isSame ? 6 : saw[head.direction] ? -6 : 0
    let answers = head.direction.opposite
    if saw[answers], paths[answers] == head.path { score += 1 }
    if head.flags.contains(.syn), let begins = beginsHere(head) {
      // A server may answer once more, with another number. Any other start is that of another connection.
      guard begins || head.flags.contains(.ack) && isNearKnown(head.direction.opposite, head.acknowledgment)
      else {
        return .foreign
      }
      if begins { score += 8 }
    }
    let sequence = distance(head.direction, head.firstByte)
    let acknowledgment =
      head.flags.contains(.ack) ? distance(head.direction.opposite, head.acknowledgment) : nil
    var far = 0
    var known = 0
    for distance in [sequence, acknowledgment] {
      guard let distance else { continue }
      known += 1
      if distance.magnitude > Connection.reach { far += 1 } else { score += 4 }
    }
    // In the same network one number alone may be odd: of a reset, or of a peer's window that was lost.
    if far > 0, far == known, !isSame || far == 2 || isHello && sequence != nil { return .foreign }
    return .possible(score - 8 * far)
  }

  /// Whether the segment travels in what the others of its direction did; in what the other direction did where it is the first.
  func isOnSamePath(_ head: SegmentHead) -> Bool {
    head.path == paths[saw[head.direction] ? head.direction : head.direction.opposite]
  }

  /// Whether the segment has other bytes than the ones that were read in their place.
  func disagrees(_ bytes: Span<UInt8>, _ head: SegmentHead, with recent: borrowing RecentBytes) -> Bool {
    recent.disagreements(
      of: bytes, at: head.firstByte, with: streams[head.direction].recentBytes) > 0
  }

  /// Notes what a direction travels in: the first segment, and once more the first with payload.
  mutating func notePath(_ head: SegmentHead) {
    if head.path != 0 { isNamedByEndpoints = false }
    if !saw[head.direction] || head.lengthOnWire > 0 && isUnread(head.direction) {
      paths[head.direction] = head.path
    }
  }

  /// Whether no byte of a direction has been read, and none is held.
  func isUnread(_ direction: Direction) -> Bool {
    streams[direction].position == 0 && !streams[direction].hasHeld
  }

  /// Expects the answers in what the questions came in.
  mutating func expectAnswers(to direction: Direction, in path: UInt32) {
    (paths[direction.opposite], saw[direction.opposite]) = (path, true)
  }

  /// Whether a SYN has the number that its direction began with; nil where that is not known.
  private func beginsHere(_ head: SegmentHead) -> Bool? {
    streams[head.direction].begins(at: head.firstByte)
  }

  private func isNearKnown(_ direction: Direction, _ number: SequenceNumber) -> Bool {
    distance(direction, number).map { $0.magnitude <= Connection.reach } ?? false
  }

  /// How far a number is from where a direction has come to; nil where that was only guessed.
  private func distance(_ direction: Direction, _ number: SequenceNumber) -> Int? {
    streams[direction].distanceToKnown(number)
  }
}
