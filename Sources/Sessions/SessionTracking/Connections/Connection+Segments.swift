import ByteParsing
import PacketParsing
import Reassembly
import SessionModel
import Values

/// What tracking a connection needs of a segment besides its bytes.
struct SegmentHead {
  var sequence: SequenceNumber
  var acknowledgment: SequenceNumber
  var flags: TCPFlags
  var direction: Direction
  /// Bytes that the capture holds, and bytes that were sent.
  var length: Int
  var lengthOnWire: Int
  /// What it traveled in, as a number; see `TunnelPath.code`.
  var path: UInt32
  /// Seconds of the packet's time; nil where it has none.
  var seconds: Int64?

  /// What a packet means for its connection.
  init(_ packet: borrowing Packet, _ direction: Direction) {
    let headers = packet.headers
    // What comes with a RST explains it and is nothing of the stream (RFC 9293 §3.5.3).
    let isReset = headers.flags.contains(.rst)
    sequence = SequenceNumber(headers.sequence)
    acknowledgment = SequenceNumber(headers.acknowledgment)
    flags = headers.flags
    self.direction = direction
    length = isReset ? 0 : headers.payloadLength
    lengthOnWire = isReset ? 0 : headers.payloadLengthOnWire
    path = headers.tunnels.isEmpty ? 0 : headers.tunnels.code
    seconds = packet.reference.time?.seconds
  }

  /// Number of the first byte of payload.
  var firstByte: SequenceNumber { flags.contains(.syn) ? sequence.advanced(by: 1) : sequence }
}

/// A RST whose number is not the next one: bytes before it are missing, or its receiver did not accept it (RFC 9293 §3.10.7.4).
final class DoubtfulReset: Sendable {
  let head: SegmentHead
  let reference: PacketReference
  /// The next number of its direction when it came.
  let next: SequenceNumber
  /// Whether its receiver closed after it, which no one does who has accepted one. What came before it may still show that it is one.
  let isContradicted: Bool
  /// Whether it is certain, and the connection is watched only for what was under way when it came.
  let isHeeded: Bool

  init(
    _ head: SegmentHead, at reference: PacketReference, next: SequenceNumber, isContradicted: Bool = false,
    isHeeded: Bool = false
  ) {
    self.head = head
    self.reference = reference
    self.next = next
    self.isContradicted = isContradicted
    self.isHeeded = isHeeded
  }

  var contradicted: DoubtfulReset { DoubtfulReset(head, at: reference, next: next, isContradicted: true) }
}

// Both streams are changed where they lie: a copy of a connection for each question would cost more than all the rest.
extension Connection {
  /// What is to be done with a segment.
  enum Step {
    /// It belongs to a new connection between the same ends.
    case supersede
    /// It holds no byte.
    case nothing
    /// It holds no byte that has not been read.
    case repeated
    /// Its bytes from `skip` on are to be read now.
    case deliver(skip: Int)
    /// It is to be held until the bytes before it have come.
    case hold
  }

  /// Places a segment by its header, and records what the header shows.
  @inline(__always)
  mutating func place(_ head: SegmentHead) -> Step {
    if head.flags.contains(.syn), !synchronize(head) { return .supersede }
    if let seconds = head.seconds { lastSeen = seconds }
    saw[head.direction] = true
    if head.flags.contains(.ack) {
      streams[head.direction.opposite].acknowledge(upTo: head.acknowledgment)
    }
    if head.length < head.lengthOnWire { truncatedPackets += 1 }
    guard head.lengthOnWire > 0 else { return .nothing }
    let placement = streams[head.direction].place(head.firstByte, length: head.lengthOnWire)
    switch placement {
    case .old: return isKeepAlive(head) ? .nothing : .repeated
    case .next(let skip): return reachesHeld(head) ? .hold : .deliver(skip: skip)
    case .ahead: return .hold
    }
  }

  /// Whether a segment requests a sign of life: the byte before the next one, with any content (RFC 9293 §3.8.4).
  private func isKeepAlive(_ head: SegmentHead) -> Bool {
    let next = streams[head.direction].next
    return head.lengthOnWire == 1 && head.firstByte.distance(to: next) == 1
  }

  private func reachesHeld(_ head: SegmentHead) -> Bool {
    streams[head.direction].reachesHeld(head.firstByte, length: head.lengthOnWire)
  }

  /// Moves on over bytes that are read now, of `length` that were sent, and keeps copies of them, so that what is sent again can be
  /// compared with them.
  @inline(__always)
  mutating func read(
    _ bytes: Span<UInt8>, at sequence: SequenceNumber, _ direction: Direction, length: Int,
    from origin: RecentBytes.Origin, in recent: inout RecentBytes
  ) {
    if streams[direction].position < RecentBytes.maximumByteCount {
      streams[direction].recentBytes = recent.remember(
        bytes, at: sequence, after: streams[direction].recentBytes, from: origin)
    }
    streams[direction].advance(by: length)
  }

  /// Records a SYN. Returns false if it begins another connection between the same endpoints.
  private mutating func synchronize(_ head: SegmentHead) -> Bool {
    let fits = streams[head.direction].synchronize(bySYN: head.sequence)
    guard fits else { return false }
    if opener == nil { opener = head.direction.reversed(if: head.flags.contains(.ack)) }
    return true
  }

  /// Notes that the stream of a segment with FIN ends after it.
  mutating func finish(_ head: SegmentHead) {
    let end = head.firstByte.advanced(by: head.lengthOnWire)
    if let doubted = doubtfulReset, doubted.head.direction == head.direction,
      !streams[head.direction].hasEnd,
      !(0...1).contains(end.distance(to: doubted.head.sequence))
    {
      // Its sender has gone on to end elsewhere.
      doubtfulReset = nil
    }
    if let doubted = doubtfulReset, !doubted.isHeeded, doubted.head.direction != head.direction,
      !streams[head.direction].hasEnd
    {
      doubtfulReset = doubted.contradicted
    }
    streams[head.direction].finish(at: end)
  }

  /// Whether a RST is one of this connection: its number lies about where the sender's stream has come to. Anything else is
  /// left over from an earlier connection, or forged (RFC 9293 §3.10.7.4).
  func mayReset(_ head: SegmentHead) -> Bool {
    guard let distance = distanceOfReset(head) else { return true }
    return abs(distance) <= Connection.resetWindow
  }

  /// Whether a RST is taken by its receiver for certain: its number is the next one, which may be that of a FIN, or no number is known.
  func isCertainReset(_ head: SegmentHead) -> Bool {
    guard let distance = distanceOfReset(head) else { return true }
    return distance == 0 || distance == 1
  }

  /// How far the number of a RST is from the next one of its direction; nil where that is not known.
  private func distanceOfReset(_ head: SegmentHead) -> Int? {
    streams[head.direction].distanceToKnown(head.sequence)
  }

  /// Records a RST whose receiver may not accept it: what its sender goes on to say tells.
  mutating func doubt(_ head: SegmentHead, at reference: PacketReference) {
    guard doubtfulReset == nil else { return }
    doubtfulReset = DoubtfulReset(head, at: reference, next: streams[head.direction].next)
  }

  /// Records a RST that is certain, where what its receiver had under way is still to be read.
  mutating func heed(_ head: SegmentHead, at reference: PacketReference) {
    guard doubtfulReset?.isHeeded != true else { return }
    let next = streams[head.direction].next
    doubtfulReset = DoubtfulReset(head, at: reference, next: next, isHeeded: true)
  }

  /// What has become of a RST that was doubted, something having been read since.
  mutating func resolveDoubt() -> DoubtfulReset? {
    guard let doubted = doubtfulReset else { return nil }
    let next = streams[doubted.head.direction].next
    if doubted.isHeeded {
      guard doubted.next.distance(to: next) > 0 else { return doubted }
      // Its sender has gone on: it came from somebody else.
      doubtfulReset = nil
      return nil
    }
    if doubted.head.sequence == next {
      // Where its sender ends there as well, what the other end does tells.
      return streams[doubted.head.direction].hasEnd ? nil : doubted
    }
    // Its sender has gone on beyond it.
    if doubted.head.sequence.distance(to: next) > 0, doubted.next.distance(to: next) > 0 {
      doubtfulReset = nil
    }
    return nil
  }

  /// Notes where the stream of a segment with RST ends: what the capture lacks before it was sent.
  mutating func finish(byReset head: SegmentHead) {
    let distance = streams[head.direction].distanceToKnown(head.sequence)
    // One number may be that of a FIN.
    guard let distance, distance > 1, distance <= Connection.resetWindow else { return }
    streams[head.direction].finish(at: head.sequence)
  }

  /// Bytes that may be under way and not in the capture when a connection is reset: the window of a fast link.
  private static let resetWindow = 1 << 20

  /// Whether one end has sent all that it had, and all of it has been read.
  func isFinished(_ direction: Direction) -> Bool { streams[direction].isFinished }

  /// Whether both ends have sent all that they had, and all of it has been read.
  var isClosed: Bool { streams.fromLower.isFinished && streams.fromUpper.isFinished }

  /// Whether both endpoints have announced the end of their streams, whether or not all bytes are in the capture.
  var hasBothEnds: Bool { streams.fromLower.hasEnd && streams.fromUpper.hasEnd }

  /// Notes bytes that the snapshot length kept out of the capture.
  mutating func noteMissing(_ direction: Direction, _ count: Int) {
    streams[direction].noteMissing(count)
  }

  /// Whether segments of either direction wait for bytes before them.
  var hasHeldAny: Bool { streams.fromLower.hasHeld || streams.fromUpper.hasHeld }

  /// Whether segments wait for bytes before them.
  func hasHeld(_ direction: Direction) -> Bool { streams[direction].hasHeld }

  /// The first packet with a segment that waits after this one; nil for none.
  func firstHeld(after head: SegmentHead) -> UInt64? {
    streams[head.direction].firstHeld(after: head.firstByte)
  }

  /// Whether more waits than may.
  func isOverfull(_ direction: Direction) -> Bool { streams[direction].isOverfull }

  /// Bytes that wait.
  func heldBytes(_ direction: Direction) -> Int { streams[direction].heldBytes }

  /// Holds a segment until its turn.
  mutating func hold(
    _ head: SegmentHead, _ bytes: Span<UInt8>, at reference: PacketReference, _ verdict: SegmentChecksum.Verdict,
    isOffloaded: Bool
  ) {
    streams[head.direction].hold(
      head.firstByte, bytes, lengthOnWire: head.lengthOnWire, frame: reference.frame, time: reference.time,
      verdict: verdict, isOffloaded: isOffloaded)
  }

  /// Takes the next held segment if its turn has come.
  mutating func takeHeld(_ direction: Direction) -> (segment: SegmentStream.Held, skip: Int)? {
    streams[direction].takeHeld()
  }

  /// Gives up the bytes between the last ones that came and the end; returns how many. Of a direction without a packet nothing
  /// but that is known.
  mutating func skipUnseenEnd(_ direction: Direction) -> Int {
    saw[direction] ? streams[direction].skipUnseenEnd() : 0
  }

  /// Whether the other side has bytes of a direction that have not been read.
  func hasUnreadBytes(_ direction: Direction) -> Bool { streams[direction].hasUnreadBytes }

  /// Gives up the bytes before the first held segment; returns how many.
  mutating func skipGap(_ direction: Direction) -> Int {
    streams[direction].skipGap()
  }
}
