import PacketParsing
import Reassembly
import SessionModel
import Values

/// The fields of a segment that connection tracking needs.
struct SegmentHead {
  var sequence: SequenceNumber
  var acknowledgment: SequenceNumber
  var flags: TCPFlags
  var direction: Direction
  /// The captured payload length and the original one, in bytes.
  var length: Int
  var lengthOnWire: Int
  /// The code of the tunnel; see `TunnelPath.code`.
  var path: UInt32
  /// The time of the packet in seconds; nil if it has none.
  var seconds: Int64?

  @inline(__always)
  init(_ packet: borrowing Packet, _ direction: Direction) {
    // The payload of a RST explains the reset and is not part of the stream (RFC 9293 §3.5.3).
    let isReset = packet.headers.flags.contains(.rst)
    sequence = SequenceNumber(packet.headers.sequence)
    acknowledgment = SequenceNumber(packet.headers.acknowledgment)
    flags = packet.headers.flags
    self.direction = direction
    length = isReset ? 0 : packet.headers.payloadLength
    lengthOnWire = isReset ? 0 : packet.headers.payloadLengthOnWire
    path = packet.headers.tunnels.isEmpty ? 0 : packet.headers.tunnels.code
    seconds = packet.reference.time?.seconds
  }

  /// The sequence number of the first payload byte.
  var firstByte: SequenceNumber { flags.contains(.syn) ? sequence.advanced(by: 1) : sequence }
}

/// A RST that does not have the next sequence number: bytes before it are missing, or its receiver did not accept it (RFC 9293 §3.10.7.4).
final class DoubtfulReset: Sendable {
  let head: SegmentHead
  let reference: PacketReference
  /// The next sequence number of its direction when it was captured.
  let next: SequenceNumber
  /// Whether its receiver sent a FIN after it, and so probably did not accept it. Data captured late may still confirm the RST.
  let isContradicted: Bool
  /// Whether it is certain. The connection is then watched only for segments that were in flight.
  let isAccepted: Bool

  init(_ head: SegmentHead, at reference: PacketReference, next: SequenceNumber, isContradicted: Bool = false, isAccepted: Bool = false) {
    self.head = head
    self.reference = reference
    self.next = next
    self.isContradicted = isContradicted
    self.isAccepted = isAccepted
  }

  var contradicted: DoubtfulReset { DoubtfulReset(head, at: reference, next: next, isContradicted: true) }
}

/// A FIN or RST that was captured before any byte of its connection.
final class EarlyClose: Sendable {
  let head: SegmentHead
  let frame: UInt64

  init(_ head: SegmentHead, frame: UInt64) { (self.head, self.frame) = (head, frame) }
}

// Both streams are modified in place: copying a connection for each query would dominate the cost.
extension Connection {
  /// The next step for a segment.
  enum Step {
    /// The segment belongs to a new connection between the same endpoints.
    case supersede
    /// The segment contains no data.
    case nothing
    /// All data in the segment has been read before.
    case repeated
    /// The segment repeats the last byte, perhaps with another content.
    case keepAlive
    /// Read the data from offset `skip` on.
    case deliver(skip: Int)
    /// Hold the segment until the bytes before it have arrived.
    case hold
  }

  /// Determines the next step for a segment by its header, and records the header's contents.
  @inline(__always)
  mutating func determineStep(for head: SegmentHead) -> Step {
    if head.flags.contains(.syn), !synchronize(head) { return .supersede }
    if let seconds = head.seconds { lastSeen = seconds }
    saw[head.direction] = true
    if head.flags.contains(.ack) {
      streams[head.direction.opposite].acknowledge(upTo: head.acknowledgment)
    }
    if head.length < head.lengthOnWire { truncatedPackets += 1 }
    guard head.lengthOnWire > 0 else { return .nothing }
    let relativePosition = streams[head.direction].locate(head.firstByte, length: head.lengthOnWire)
    switch relativePosition {
    case .old: return isKeepAlive(head) ? .keepAlive : .repeated
    case .next(let skip): return reachesHeld(head) ? .hold : .deliver(skip: skip)
    case .ahead: return .hold
    }
  }

  /// Whether a segment has the form of a keep-alive: it repeats the last byte, with any content (RFC 9293 §3.8.4).
  private func isKeepAlive(_ head: SegmentHead) -> Bool {
    let next = streams.reading(head.direction) { $0.next }
    return head.lengthOnWire == 1 && head.firstByte.distance(to: next) == 1
  }

  private func reachesHeld(_ head: SegmentHead) -> Bool {
    streams.reading(head.direction) { $0.reachesHeld(head.firstByte, length: head.lengthOnWire) }
  }

  /// Advances a stream by `length` bytes, of which `bytes` were captured. Copies of these are kept for comparison with retransmissions.
  @inline(__always)
  mutating func read(
    _ bytes: Span<UInt8>, at sequence: SequenceNumber, _ direction: Direction, length: Int,
    from origin: RecentBytes.Origin, in recent: inout RecentBytes
  ) {
    let (position, known) = streams.reading(direction) { ($0.position, $0.recentBytes) }
    if position < RecentBytes.maximumByteCount {
      streams[direction].recentBytes = recent.remember(bytes, at: sequence, after: known, from: origin)
    }
    streams[direction].advance(by: length)
  }

  /// Records a SYN. Returns false if it begins another connection between the same endpoints.
  private mutating func synchronize(_ head: SegmentHead) -> Bool {
    let fits = streams[head.direction].synchronize(bySYN: head.sequence)
    guard fits else { return false }
    if opener == nil, !isAnswerToEarlierStart(head) { opener = head.direction.reversed(if: head.flags.contains(.ack)) }
    return true
  }

  /// Whether a SYN-ACK that was captured late acknowledges a number before the first byte of its receiver that was captured: the capture
  /// lacks the start of the connection.
  private func isAnswerToEarlierStart(_ head: SegmentHead) -> Bool {
    head.flags.contains(.ack) && streams.reading(head.direction.opposite) { $0.begins(at: head.acknowledgment) } == false
  }

  /// Records the end of a stream at a FIN.
  mutating func finish(_ head: SegmentHead) {
    let end = head.firstByte.advanced(by: head.lengthOnWire)
    if let doubted = doubtfulReset, doubted.head.direction == head.direction,
      !streams.reading(head.direction, { $0.hasEnd }),
      !(0...1).contains(end.distance(to: doubted.head.sequence))
    {
      // The sender of the RST ended its stream at another number, so the RST was not its own.
      doubtfulReset = nil
    }
    if let doubted = doubtfulReset, !doubted.isAccepted, doubted.head.direction != head.direction,
      !streams.reading(head.direction, { $0.hasEnd })
    {
      doubtfulReset = doubted.contradicted
    }
    streams[head.direction].finish(at: end)
  }

  /// Whether a RST may belong to this connection: its number is close to the next one of its sender. Others are left over from an earlier
  /// connection, or forged (RFC 9293 §3.10.7.4).
  func mayReset(_ head: SegmentHead) -> Bool {
    guard let distance = distanceOfReset(head) else { return true }
    return abs(distance) <= Connection.resetWindow
  }

  /// Whether the receiver certainly accepts a RST: it has the next sequence number, or the one after a FIN, or no number is known.
  func isCertainReset(_ head: SegmentHead) -> Bool {
    guard let distance = distanceOfReset(head) else { return true }
    return distance == 0 || distance == 1
  }

  /// The distance of a RST from the next sequence number of its direction; nil if that is unknown.
  private func distanceOfReset(_ head: SegmentHead) -> Int? {
    streams.reading(head.direction) { $0.distanceToKnown(head.sequence) }
  }

  /// Whether a segment acknowledges a FIN of its receiver that was not captured.
  func acknowledgesUnseenEnd(_ head: SegmentHead) -> Bool {
    head.flags.contains(.ack) && streams.reading(head.direction.opposite, { $0.lacksEnd })
  }

  /// Whether the number of a RST shows that a FIN of its sender was not captured.
  func followsUnseenEnd(_ head: SegmentHead) -> Bool {
    head.flags.contains(.rst) && distanceOfReset(head) == 1 && streams.reading(head.direction, { !$0.hasEnd })
  }

  /// Records an out-of-window RST; later data shows whether the peer accepted it (RFC 9293 §3.10.7.4).
  mutating func suspect(_ head: SegmentHead, at reference: PacketReference) {
    guard doubtfulReset == nil else { return }
    doubtfulReset = DoubtfulReset(head, at: reference, next: streams.reading(head.direction) { $0.next })
  }

  /// Records a certain RST while segments that its receiver sent are still in flight.
  mutating func accept(_ head: SegmentHead, at reference: PacketReference) {
    guard doubtfulReset?.isAccepted != true else { return }
    let next = streams.reading(head.direction) { $0.next }
    doubtfulReset = DoubtfulReset(head, at: reference, next: next, isAccepted: true)
  }

  /// The recorded RST if further data has confirmed it; nil otherwise. Clears a RST that is refuted.
  mutating func resolveDoubt() -> DoubtfulReset? {
    guard let doubted = doubtfulReset else { return nil }
    let next = streams.reading(doubted.head.direction) { $0.next }
    if doubted.isAccepted {
      guard doubted.next.distance(to: next) > 0 else { return doubted }
      // Its apparent sender has continued, so the RST was forged.
      doubtfulReset = nil
      return nil
    }
    if doubted.head.sequence == next {
      // If its sender also sent a FIN there, the other endpoint's reaction decides.
      return streams.reading(doubted.head.direction) { $0.hasEnd } ? nil : doubted
    }
    // Its sender has continued beyond it.
    if doubted.head.sequence.distance(to: next) > 0, doubted.next.distance(to: next) > 0 {
      doubtfulReset = nil
    }
    return nil
  }

  /// Records the end of a stream at a RST: any bytes before it that the capture lacks.
  mutating func finish(byReset head: SegmentHead) {
    // A difference of one may be due to a FIN.
    guard let distance = distanceOfReset(head), distance > 1, distance <= Connection.resetWindow else { return }
    streams[head.direction].finish(at: head.sequence)
  }

  /// The maximum number of bytes in flight and not captured when a connection is reset: the window of a fast link.
  private static let resetWindow = 1 << 20

  /// Whether both endpoints have sent a FIN, and both streams have been read.
  var isClosed: Bool { streams.fromLower.isFinished && streams.fromUpper.isFinished }

  /// Whether both endpoints have announced the end of their streams, even if bytes are missing.
  var hasBothEnds: Bool { streams.fromLower.hasEnd && streams.fromUpper.hasEnd }

  /// Whether segments of either direction are held.
  var hasHeldAny: Bool { streams.fromLower.hasHeld || streams.fromUpper.hasHeld }

  /// Whether segments of a direction are held.
  func hasHeld(_ direction: Direction) -> Bool { streams.reading(direction) { $0.hasHeld } }

  /// The memory that held segments of a direction take, in bytes.
  func heldBytes(_ direction: Direction) -> Int { streams.reading(direction) { $0.heldBytes } }

  /// Skips the missing bytes before the end of a stream; returns their number. Without a packet of the direction, its end is not certain,
  /// and nothing is skipped.
  mutating func skipUnseenEnd(_ direction: Direction) -> Int {
    saw[direction] ? streams[direction].skipUnseenEnd() : 0
  }

  /// Whether an endpoint has acknowledged bytes of a direction that have not been read.
  func hasUnreadBytes(_ direction: Direction) -> Bool { streams.reading(direction) { $0.hasUnreadBytes } }

  /// The number of such bytes; 0 for a single one.
  func unreadByteCount(_ direction: Direction) -> Int { streams.reading(direction) { $0.unreadByteCount } }

  /// Records which directions were captured later than an unknown greeting, but sent before.
  mutating func noteGreeting() {
    for direction in Direction.allCases {
      isLaterThanGreeting[direction] = hasUnreadBytes(direction) && streams.reading(direction) { $0.position } == 0
    }
  }

  /// Whether the last `count` bytes of a direction are its first ones, and were sent before what seemed to be a greeting.
  func precedesGreeting(_ count: Int, _ direction: Direction) -> Bool {
    opener != nil && isLaterThanGreeting[direction] && streams.reading(direction) { $0.position } == count
  }

  /// The number of bytes of both directions so far.
  var byteCount: Int { streams.fromLower.position + streams.fromUpper.position }
}
