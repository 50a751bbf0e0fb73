import PacketParsing
import Reassembly

/// What a segment travelled in, as a number; see `TunnelPath.code`.
struct SegmentPath {
  var code: UInt32
}

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
  func isNear(_ sequence: UInt32, _ fromLower: Bool) -> Bool {
    let next = fromLower ? lower.next.rawValue : upper.next.rawValue
    return sequence &- next &+ Connection.reach <= 2 * Connection.reach
  }

  /// Whether a segment is the first of its direction and answers the other: what it acknowledges lies about where that has come to.
  /// Nothing else of such a segment can speak against a connection that addresses and ports alone name.
  @inline(__always)
  func isFirstAnswer(_ head: SegmentHead) -> Bool {
    guard !(head.fromLower ? lower.isSynchronized : upper.isSynchronized), head.flags.contains(.ack) else {
      return false
    }
    return isNearKnown(!head.fromLower, head.acknowledgment)
  }

  /// How well a segment fits by its numbers, and by what it travelled in; `isHello` says that it begins with a hello of TLS,
  /// which nothing but a stream's beginning does.
  func fit(_ head: SegmentHead, _ path: SegmentPath, isHello: Bool) -> Fit {
    let isSame = isOnSamePath(head.fromLower, path)
    // What came the other way counts less: labels and endpoints of tunnels often have a direction.
    var score = isSame ? 6 : (head.fromLower ? sawLower : sawUpper) ? -6 : 0
    if head.fromLower ? sawUpper && upperPath == path.code : sawLower && lowerPath == path.code { score += 1 }
    if head.flags.contains(.syn), let begins = beginsHere(head) {
      // A server may answer once more, with another number. Any other start is that of another connection.
      guard begins || head.flags.contains(.ack) && isNearKnown(!head.fromLower, head.acknowledgment) else {
        return .foreign
      }
      if begins { score += 8 }
    }
    let sequence = distance(head.fromLower, head.firstByte)
    let acknowledgment = head.flags.contains(.ack) ? distance(!head.fromLower, head.acknowledgment) : nil
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
  func isOnSamePath(_ fromLower: Bool, _ path: SegmentPath) -> Bool {
    if fromLower ? sawLower : sawUpper { return path.code == (fromLower ? lowerPath : upperPath) }
    return fromLower ? upperPath == path.code : lowerPath == path.code
  }

  /// Whether the segment has other bytes than the ones that were read in their place.
  func disagrees(_ bytes: Span<UInt8>, _ head: SegmentHead, with recent: borrowing RecentBytes) -> Bool {
    recent.disagreements(
      of: bytes, at: head.firstByte, with: head.fromLower ? lower.recentBytes : upper.recentBytes) > 0
  }

  /// Notes what a direction travels in: the first segment, and once more the first with payload.
  mutating func note(_ path: SegmentPath, _ fromLower: Bool, hasPayload: Bool) {
    if path.code != 0 { isPlain = false }
    if fromLower {
      if !sawLower || hasPayload && lower.position == 0 && !lower.hasHeld { lowerPath = path.code }
    } else if !sawUpper || hasPayload && upper.position == 0 && !upper.hasHeld {
      upperPath = path.code
    }
  }

  /// Where the answers to what a direction brings begin; nil where some of them have been read.
  func unreadAnswers(to fromLower: Bool) -> SegmentStream? {
    let stream = fromLower ? upper : lower
    return stream.position == 0 && !stream.hasHeld ? stream : nil
  }

  /// Expects the answers from `stream`, if it is told, and in what the questions came in.
  mutating func expectAnswers(to fromLower: Bool, _ stream: SegmentStream?, in path: UInt32) {
    if fromLower {
      if let stream { upper = stream }
      (upperPath, sawUpper) = (path, true)
    } else {
      if let stream { lower = stream }
      (lowerPath, sawLower) = (path, true)
    }
  }

  /// Whether a SYN has the number that its direction began with; nil where that is not known.
  private func beginsHere(_ head: SegmentHead) -> Bool? {
    head.fromLower ? lower.begins(at: head.firstByte) : upper.begins(at: head.firstByte)
  }

  private func isNearKnown(_ ofLower: Bool, _ number: SequenceNumber) -> Bool {
    distance(ofLower, number).map { $0.magnitude <= Connection.reach } ?? false
  }

  /// How far a number is from where a direction has come to; nil where that was only guessed.
  private func distance(_ ofLower: Bool, _ number: SequenceNumber) -> Int? {
    ofLower ? lower.distanceToKnown(number) : upper.distanceToKnown(number)
  }
}
