import ByteParsing
package import Reassembly
package import Values

/// The layouts of the TCP connections that an extract copies; kept only for an extract.
package final class ConnectionLayouts {
  /// The frame being read, and the memory that all layouts take.
  fileprivate final class State {
    var frame: UInt64 = 0
    var cost = 0
    var hitLimit = false

    /// The maximum of `cost`, in bytes; it suffices for the heads of a million requests.
    static let maximumCost = 512 << 20

    /// Adds to the cost; returns false once the limit is exceeded.
    func spend(_ count: Int) -> Bool {
      cost += count
      if cost > State.maximumCost { hitLimit = true }
      return !hitLimit
    }
  }

  private let state = State()

  /// The frame being read.
  package var frame: UInt64 {
    get { state.frame }
    set { state.frame = newValue }
  }

  /// The frames of one connection that an extract needs.
  package struct Wanted {
    /// The last frame needed.
    var last: UInt64
    /// The last frames of its cleartext sessions, in ascending order.
    var requestEnds: [UInt64]

    package init(upTo last: UInt64, requestEnds: [UInt64]) {
      (self.last, self.requestEnds) = (last, requestEnds)
    }
  }

  /// The connections whose layouts are kept.
  private let wanted: [ConnectionKey: Wanted]

  /// The layouts of the connections between two endpoints, in the order in which they began.
  package private(set) var all: [ConnectionKey: [ConnectionLayout]] = [:]

  /// Packets of these connections that were captured late: the data of `frame` precedes that of frame `earlier` in the stream.
  package private(set) var late: [ConnectionKey: [(frame: UInt64, earlier: UInt64)]] = [:]

  /// The endpoints to which a QUIC session migrated, and its previous endpoints.
  package private(set) var moves: [(from: ConnectionKey, to: ConnectionKey, frame: UInt64)] = []

  private var knownMoves: Set<[ConnectionKey]> = []

  private var open: [ConnectionKey: [ConnectionLayout]] = [:]

  /// Whether the limit was exceeded, so that layouts are incomplete.
  package var hitLimit: Bool { state.hitLimit }

  package init(of wanted: [ConnectionKey: Wanted]) { self.wanted = wanted }

  /// Begins the layout of a connection; nil if it is not wanted.
  package func begin(_ key: ConnectionKey, hasSYN: Bool) -> ConnectionLayout? {
    guard let wanted = wanted[key] else { return nil }
    let layout = ConnectionLayout(hasSYN: hasSYN, wanted.requestEnds, state)
    let others = (open[key] ?? []).filter(\.isOpen)
    open[key] = others + [layout]
    if !others.isEmpty { for contested in others + [layout] { contested.contest() } }
    all[key, default: []].append(layout)
    return layout
  }

  /// Records that the current packet's data precedes that of an earlier packet.
  package func note(late earlier: UInt64, of key: ConnectionKey) {
    guard let last = wanted[key]?.last, earlier <= last, state.spend(16) else { return }
    late[key, default: []].append((frame, earlier))
  }

  /// Records that a QUIC session continues between other endpoints.
  package func move(from key: ConnectionKey, to other: ConnectionKey) {
    if knownMoves.insert([key, other]).inserted, state.spend(128) { moves.append((key, other, frame)) }
  }
}

/// The layout of one TCP connection: which of its bytes were read, and their classification.
package final class ConnectionLayout {
  /// A run at a position, which is counted from an arbitrary byte of the direction, and the last packet read with it.
  package struct Part {
    package var position: Int
    package var run: ByteAccount.Run
    package var frame: UInt64
  }

  /// A segment; one frame may contain several.
  package struct Segment: Hashable {
    package var frame: UInt64
    package var sequence: UInt32
    package var direction: Direction

    package init(frame: UInt64, sequence: UInt32, direction: Direction) {
      (self.frame, self.sequence, self.direction) = (frame, sequence, direction)
    }
  }

  /// The first frame, and whether it is a SYN.
  package let first: UInt64
  package let hasSYN: Bool

  /// The last frames of its cleartext sessions, in ascending order.
  package let requestEnds: [UInt64]

  /// The frame at which a second connection with the same endpoints begins; from there a frame number alone no longer identifies the
  /// connection.
  package private(set) var contested: UInt64?

  /// The segments of a contested connection.
  package private(set) var segments: [Segment] = []

  /// The runs of each direction, in order.
  package private(set) var parts: BothDirections<[Part]> = BothDirections([])

  /// The first frame with an unreadable request, and the last frame read before it in the same direction.
  package private(set) var misread: (frame: UInt64, before: UInt64)?

  /// The end of the first gap in which a request was lost; nil if there is none.
  package var lostRequest: (direction: Direction, end: SequenceNumber)?

  /// The last frame read in each direction.
  private var lastFrames: BothDirections<UInt64?> = BothDirections(nil)

  /// A sequence number of each direction and its position; nil if none is known.
  package private(set) var anchors: BothDirections<(sequence: SequenceNumber, position: Int)?> = BothDirections(nil)

  package let account = ByteAccount()
  fileprivate var isOpen = true
  private let state: ConnectionLayouts.State

  /// The sequence numbers after the last bytes that were delivered or skipped.
  private var ends: BothDirections<SequenceNumber?> = BothDirections(nil)

  fileprivate init(hasSYN: Bool, _ requestEnds: [UInt64], _ state: ConnectionLayouts.State) {
    (first, self.hasSYN, self.requestEnds, self.state) = (state.frame, hasSYN, requestEnds, state)
  }

  fileprivate func contest() { if contested == nil { contested = state.frame } }

  /// Records that a segment of the current frame belongs to this connection, and not to another one with its endpoints.
  package func noteSegment(at sequence: SequenceNumber, in direction: Direction) {
    guard state.spend(64) else { return }
    segments.append(Segment(frame: state.frame, sequence: sequence.rawValue, direction: direction))
  }

  /// Records that the bytes of a direction up to a sequence number were delivered or are missing.
  package func reach(_ end: SequenceNumber, in direction: Direction) { ends[direction] = end }

  /// Moves the runs of a direction from the account, which does not contain the last `unread` bytes yet.
  package func addRuns(of direction: Direction, unread: Int) {
    let runs = account.take(in: direction)
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
  package func restart() {
    for direction in Direction.allCases { _ = account.take(in: direction) }
    (parts, anchors, ends) = (BothDirections([]), BothDirections(nil), BothDirections(nil))
    (misread, lostRequest, lastFrames) = (nil, nil, BothDirections(nil))
  }

  /// Records that the connection is closed.
  package func end() { isOpen = false }
}
