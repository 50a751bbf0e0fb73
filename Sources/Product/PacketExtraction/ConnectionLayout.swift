import ByteParsing
import CleartextObservation
import Reassembly
import Values

/// The layout of one TCP connection: which of its bytes were read, and what replaces them in an extract.
final class ConnectionLayout {
  /// Bytes at a position, which is counted from an arbitrary byte of the direction, and the last packet read with them.
  struct Part {
    var position: Int
    var count: Int
    var replacement: Replacement
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

  /// The parts of each direction, in order.
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

  /// The sequence number after the last byte that was read or skipped in each direction, and its position.
  private var ends: BothDirections<(sequence: SequenceNumber, position: Int)?> = BothDirections(nil)

  private var redactions: BothDirections<RunRedaction> = BothDirections(RunRedaction())

  init(of key: ConnectionKey, hasSYN: Bool, _ requestEnds: [UInt64], _ state: ConnectionLayouts.State) {
    (self.key, first, self.hasSYN, self.requestEnds, self.state) = (key, state.frame, hasSYN, requestEnds, state)
  }

  func contest() { if contested == nil { contested = state.frame } }

  /// Records that a segment of the current frame belongs to this connection, and not to another one with its endpoints.
  func noteSegment(at sequence: SequenceNumber, in direction: Direction) {
    guard state.spend(64) else { return }
    segments.append(Segment(frame: state.frame, sequence: sequence.rawValue, direction: direction))
  }

  /// Adds the bytes of a direction that are about to be read, and end at a sequence number.
  func add(_ piece: Span<UInt8>, upTo end: SequenceNumber, in direction: Direction) {
    let position = reach(end, in: direction)
    redactions[direction].add(piece, at: position - piece.count)
  }

  /// Records that the bytes of a direction up to a sequence number are about to be read, or are missing; returns the position of the end.
  @discardableResult
  func reach(_ end: SequenceNumber, in direction: Direction) -> Int {
    let position = ends[direction].map { $0.position + $0.sequence.distance(to: end) } ?? 0
    ends[direction] = (end, position)
    return position
  }

  /// Records the end of the first gap in which a request was lost.
  func noteLostRequest(before end: SequenceNumber, in direction: Direction) {
    if lostRequest == nil { lostRequest = (direction, end) }
  }

  /// Adds the next runs of a direction, whose last `unread` bytes are not classified yet.
  func add(_ runs: [ByteAccount.Run], unread: Int, in direction: Direction) {
    guard let last = ends[direction] else { return }
    let end = last.position - unread
    defer { redactions[direction].discard(before: end) }
    guard !runs.isEmpty else { return }
    anchors[direction] = (last.sequence.advanced(by: -unread), end)
    var position = end - runs.reduce(0) { $0 + $1.count }
    for run in runs {
      if case .misread = run, misread == nil { misread = (state.frame, lastFrames[direction] ?? state.frame) }
      for part in redactions[direction].redact(run, at: position) { add(part, in: direction) }
      position += run.count
    }
    lastFrames[direction] = state.frame
  }

  private func add(_ redacted: RunRedaction.Part, in direction: Direction) {
    if redacted.count == 0 { return }
    var part = Part(position: redacted.position, count: redacted.count, replacement: redacted.replacement, frame: state.frame)
    if let last = parts[direction].last {
      // If bytes are classified twice, the first classification counts.
      if part.position < last.position + last.count { return }
      if part.position == last.position + last.count, last.replacement.joins(part.replacement),
        !isSessionEnd(between: last.frame, part.frame)
      {
        parts[direction][parts[direction].count - 1].count += part.count
        parts[direction][parts[direction].count - 1].frame = part.frame
        return
      }
    }
    if !state.spend(64 + part.replacement.keptByteCount) { part.replacement = .zeros }
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
    redactions = BothDirections(RunRedaction())
  }

  /// Records that the connection is closed.
  func end() {
    isOpen = false
    for direction in Direction.allCases {
      guard let end = ends[direction]?.position else { continue }
      for part in redactions[direction].breakFrames(before: end) { add(part, in: direction) }
    }
    redactions = BothDirections(RunRedaction())
  }
}
