import ByteParsing
import CleartextObservation
import Reassembly
import Values

/// The layout of one TCP connection: which of its bytes were read, and their classification.
final class ConnectionLayout {
  /// A run at a position, which is counted from an arbitrary byte of the direction, and the last packet read with it.
  struct Part {
    var position: Int
    var run: ByteAccount.Run
    var frame: UInt64
  }

  /// A segment; one frame may contain several.
  struct Segment: Hashable {
    var frame: UInt64
    var sequence: UInt32
    var direction: Direction
  }

  let key: ConnectionKey

  /// The first frame, and whether it is a SYN.
  let first: UInt64
  let hasSYN: Bool

  /// The last frames of its cleartext sessions, in ascending order.
  let requestEnds: [UInt64]

  /// The frame at which a second connection with the same endpoints begins; from there a frame number alone no longer identifies the
  /// connection.
  private(set) var contested: UInt64?

  /// The segments of a contested connection.
  private(set) var segments: [Segment] = []

  /// The runs of each direction, in order.
  private(set) var parts: BothDirections<[Part]> = BothDirections([])

  /// The first frame with an unreadable request, and the last frame read before it in the same direction.
  private(set) var misread: (frame: UInt64, before: UInt64)?

  /// The end of the first gap in which a request was lost; nil if there is none.
  private(set) var lostRequest: (direction: Direction, end: SequenceNumber)?

  /// The last frame read in each direction.
  private var lastFrames: BothDirections<UInt64?> = BothDirections(nil)

  /// A sequence number of each direction and its position; nil if none is known.
  private(set) var anchors: BothDirections<(sequence: SequenceNumber, position: Int)?> = BothDirections(nil)

  /// Whether the connection is not closed yet.
  private(set) var isOpen = true

  private let state: ConnectionLayouts.State

  /// The sequence numbers after the last bytes that were delivered or skipped.
  private var ends: BothDirections<SequenceNumber?> = BothDirections(nil)

  init(of key: ConnectionKey, hasSYN: Bool, _ requestEnds: [UInt64], _ state: ConnectionLayouts.State) {
    (self.key, first, self.hasSYN, self.requestEnds, self.state) = (key, state.frame, hasSYN, requestEnds, state)
  }

  func contest() { if contested == nil { contested = state.frame } }

  /// Records that a segment of the current frame belongs to this connection, and not to another one with its endpoints.
  func noteSegment(at sequence: SequenceNumber, in direction: Direction) {
    guard state.spend(64) else { return }
    segments.append(Segment(frame: state.frame, sequence: sequence.rawValue, direction: direction))
  }

  /// Records that the bytes of a direction up to a sequence number were delivered or are missing.
  func reach(_ end: SequenceNumber, in direction: Direction) { ends[direction] = end }

  /// Records the end of the first gap in which a request was lost.
  func noteLostRequest(before end: SequenceNumber, in direction: Direction) {
    if lostRequest == nil { lostRequest = (direction, end) }
  }

  /// Adds the next runs of a direction, whose last `unread` bytes are not classified yet.
  func add(_ runs: [ByteAccount.Run], unread: Int, in direction: Direction) {
    guard !runs.isEmpty, let last = ends[direction] else { return }
    let end = last.advanced(by: -unread)
    let anchor = anchors[direction] ?? (end, 0)
    let lastPosition = anchor.position + anchor.sequence.distance(to: end)
    anchors[direction] = (end, lastPosition)
    var position = lastPosition - runs.reduce(0) { $0 + $1.count }
    for run in runs {
      defer { position += run.count }
      if case .misread = run {
        if misread == nil { misread = (state.frame, lastFrames[direction] ?? state.frame) }
        continue
      }
      add(Part(position: position, run: run, frame: state.frame), in: direction)
    }
    lastFrames[direction] = state.frame
  }

  private func add(_ part: Part, in direction: Direction) {
    if let last = parts[direction].last {
      // If bytes are classified twice, the first classification counts.
      if part.position < last.position + last.run.count { return }
      if part.position == last.position + last.run.count, !isSessionEnd(between: last.frame, part.frame),
        let joined = last.run.joined(with: part.run)
      {
        parts[direction][parts[direction].count - 1].run = joined
        parts[direction][parts[direction].count - 1].frame = part.frame
        return
      }
    }
    var part = part
    if !state.spend(64 + part.run.keptByteCount) { part.run = .content(part.run.count) }
    parts[direction].append(part)
  }

  /// Whether a cleartext session ends at the first frame, or between both.
  private func isSessionEnd(between first: UInt64, _ second: UInt64) -> Bool {
    guard first < second, let last = requestEnds.last, first <= last else { return false }
    return requestEnds[requestEnds.partitioningIndex { $0 >= first }] < second
  }

  /// Discards the layout, because the connection is read again.
  func restart() {
    (parts, anchors, ends) = (BothDirections([]), BothDirections(nil), BothDirections(nil))
    (misread, lostRequest, lastFrames) = (nil, nil, BothDirections(nil))
  }

  /// Records that the connection is closed.
  func end() { isOpen = false }
}
