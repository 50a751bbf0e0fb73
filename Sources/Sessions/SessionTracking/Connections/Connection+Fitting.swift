import PacketParsing
import Reassembly
import Values

// Addresses and ports do not identify a connection if networks that are separated by tags or tunnels use the same ones, or if captures of
// several networks were merged. Sequence numbers do, because both endpoints begin with random ones. Tunnels alone do not: a mirrored packet
// occurs in two of them, and the two directions often have different labels or endpoints.
extension Connection {
  /// The result of comparing a segment with a connection.
  enum Fit {
    /// The segment belongs to another connection between the same endpoints.
    case foreign
    /// The segment may belong to the connection; a higher score is a better match.
    case possible(Int)
  }

  /// The maximum difference of sequence numbers within one connection: more than is in flight, or lost at once, during a handshake.
  private static let reach: UInt32 = 1 << 20

  /// Whether a segment's sequence number is close to the next one expected. Other segments may still belong to the connection.
  @inline(__always)
  func isNear(_ head: SegmentHead) -> Bool {
    let next = streams.reading(head.direction) { $0.next.rawValue }
    return head.sequence.rawValue &- next &+ Connection.reach <= 2 * Connection.reach
  }

  /// Whether a segment is the first of its direction and acknowledges a number close to the other direction's next one. For a connection
  /// identified by addresses and ports alone, that is sufficient.
  @inline(__always)
  func isFirstReply(_ head: SegmentHead) -> Bool {
    guard !streams.reading(head.direction, { $0.isSynchronized }), head.flags.contains(.ack) else { return false }
    return isNearKnown(head.direction.opposite, head.acknowledgment)
  }

  /// How well a segment fits by its numbers and tunnels. `isHello` means that it begins with a TLS hello, which occurs only at the start of
  /// a stream.
  func fit(_ head: SegmentHead, isHello: Bool) -> Fit {
    let isSame = isOnSamePath(head)
    // The other direction's tunnel counts less, because labels and tunnel endpoints often depend on the direction.
    var score = isSame ? 6 : saw[head.direction] ? -6 : 0
    let opposite = head.direction.opposite
    if saw[opposite], paths[opposite] == head.path { score += 1 }
    if head.flags.contains(.syn), let begins = beginsHere(head) {
      // A server may repeat its SYN-ACK with another number. Any other start belongs to another connection.
      guard begins || head.flags.contains(.ack) && isNearKnown(head.direction.opposite, head.acknowledgment)
      else { return .foreign }
      if begins { score += 8 }
    }
    let sequence = distance(head.direction, head.firstByte)
    let acknowledgment = head.flags.contains(.ack) ? distance(head.direction.opposite, head.acknowledgment) : nil
    var far = 0
    var known = 0
    for distance in [sequence, acknowledgment] {
      guard let distance else { continue }
      known += 1
      if distance.magnitude > Connection.reach { far += 1 } else { score += 4 }
    }
    // In the same network, a single number may differ: that of a reset, or one after the loss of a whole window.
    if far > 0, far == known, !isSame || far == 2 || isHello && sequence != nil { return .foreign }
    return .possible(score - 8 * far)
  }

  /// Whether a FIN may belong to this connection. Its receiver does not accept one before the next byte (RFC 9293 §3.10.7.4), unless the
  /// bytes after it were lost: some stacks then answer a FIN with one before these bytes. If both numbers of a FIN are far from the known
  /// ones, it is left over from an earlier connection, or forged.
  func mayFinish(_ head: SegmentHead) -> Bool {
    let end = distance(head.direction, head.firstByte.advanced(by: head.lengthOnWire))
    if let end, end < 0, !streams.reading(head.direction.opposite, { $0.hasEnd }) { return false }
    let acknowledgment = head.flags.contains(.ack) ? distance(head.direction.opposite, head.acknowledgment) : nil
    // A single number may be far: most packets of a long transfer may be missing from the capture.
    guard let least = [end, acknowledgment].compactMap({ $0?.magnitude }).min() else { return true }
    return least <= Connection.reach
  }

  /// Whether the segment has the same tunnel as earlier ones of its direction, or of the other direction if it is the first.
  func isOnSamePath(_ head: SegmentHead) -> Bool {
    head.path == paths[saw[head.direction] ? head.direction : head.direction.opposite]
  }

  /// Records the tunnel of a direction: that of its first segment, replaced once by that of the first segment with payload.
  mutating func notePath(_ head: SegmentHead) {
    if head.path != 0 { isNamedByEndpoints = false }
    if !saw[head.direction] || head.lengthOnWire > 0 && isUnread(head.direction) {
      paths[head.direction] = head.path
    }
  }

  /// Whether no byte of a direction has been read or held.
  func isUnread(_ direction: Direction) -> Bool {
    streams.reading(direction) { $0.position == 0 && !$0.hasHeld }
  }

  /// Expects the responses in the same tunnel as the requests.
  mutating func expectReplies(to direction: Direction, in path: UInt32) {
    (paths[direction.opposite], saw[direction.opposite]) = (path, true)
  }

  /// Whether a SYN has the initial sequence number of its direction; nil if that is unknown.
  private func beginsHere(_ head: SegmentHead) -> Bool? {
    streams.reading(head.direction) { $0.begins(at: head.firstByte) }
  }

  private func isNearKnown(_ direction: Direction, _ number: SequenceNumber) -> Bool {
    distance(direction, number).map { $0.magnitude <= Connection.reach } ?? false
  }

  /// The distance of a number from the next one expected in a direction; nil if that is only a guess.
  private func distance(_ direction: Direction, _ number: SequenceNumber) -> Int? {
    streams.reading(direction) { $0.distanceToKnown(number) }
  }
}
