import ByteParsing
package import CleartextObservation
package import Reassembly
package import Values

/// What was read of the TCP connections that an extract copies; kept only where `SessionTracker.layouts` is set.
package final class ConnectionLayouts {
  /// The packet that is being read, and what is still free of the memory for all layouts.
  fileprivate final class State {
    var frame: UInt64 = 0
    var cost = 0
    var hitLimit = false

    /// Heads of a million requests.
    static let maximumCost = 512 << 20

    /// Whether so many more bytes may be kept.
    func spend(_ count: Int) -> Bool {
      cost += count
      if cost > State.maximumCost { hitLimit = true }
      return !hitLimit
    }
  }

  private let state = State()

  /// The packet that is being read.
  package var frame: UInt64 {
    get { state.frame }
    set { state.frame = newValue }
  }

  /// What an extract needs of one connection.
  package struct Wanted {
    /// The last packet that matters.
    var last: UInt64
    /// The last packets of its sessions in the clear, in their order.
    var requestEnds: [UInt64]

    package init(upTo last: UInt64, requestEnds: [UInt64]) {
      (self.last, self.requestEnds) = (last, requestEnds)
    }
  }

  /// The connections whose layouts are kept.
  private let wanted: [ConnectionKey: Wanted]

  /// The layouts of the connections between two endpoints, in the order in which they began.
  package private(set) var all: [ConnectionKey: [ConnectionLayout]] = [:]

  /// Packets of these connections that came after the last one of a session, although they belong before one that came earlier.
  package private(set) var late: [ConnectionKey: [(frame: UInt64, earlier: UInt64)]] = [:]

  /// The endpoints to which a session of QUIC moved, and those it had before.
  package private(set) var moves: [(from: ConnectionKey, to: ConnectionKey, frame: UInt64)] = []

  private var knownMoves: Set<[ConnectionKey]> = []

  /// The layouts of open connections.
  private var open: [ConnectionKey: [ConnectionLayout]] = [:]

  /// Whether a limit left something out.
  package var hitLimit: Bool { state.hitLimit }

  package init(of wanted: [ConnectionKey: Wanted]) { self.wanted = wanted }

  /// Begins the layout of a connection; nil where none is kept.
  func begin(_ key: ConnectionKey, hasSYN: Bool) -> ConnectionLayout? {
    guard let wanted = wanted[key] else { return nil }
    let layout = ConnectionLayout(hasSYN: hasSYN, wanted.requestEnds, state)
    let others = (open[key] ?? []).filter(\.isOpen)
    open[key] = others + [layout]
    if !others.isEmpty { for contested in others + [layout] { contested.contest() } }
    all[key, default: []].append(layout)
    return layout
  }

  /// Notes that a packet belongs before one that came earlier.
  func note(late earlier: UInt64, of key: ConnectionKey) {
    guard let last = wanted[key]?.last, earlier <= last, state.spend(16) else { return }
    late[key, default: []].append((frame, earlier))
  }

  /// Notes that a session of QUIC continues between other endpoints.
  func move(from key: ConnectionKey, to other: ConnectionKey) {
    if knownMoves.insert([key, other]).inserted, state.spend(128) { moves.append((key, other, frame)) }
  }
}

/// The layout of one TCP connection: which of its bytes were read, and as what.
package final class ConnectionLayout {
  /// Some bytes by the position of the first, counted from an arbitrary one of their direction, and the last packet they were read with.
  package struct Part {
    package var position: Int
    package var run: ByteAccount.Run
    package var frame: UInt64
  }

  /// A segment, as distinct from others of the same packet.
  package struct Segment: Hashable {
    package var frame: UInt64
    package var sequence: UInt32
    package var direction: Direction

    package init(frame: UInt64, sequence: UInt32, direction: Direction) {
      (self.frame, self.sequence, self.direction) = (frame, sequence, direction)
    }
  }

  /// The first packet, and whether it is a SYN.
  package let first: UInt64
  package let hasSYN: Bool

  /// The last packets of its sessions in the clear, in their order.
  package let requestEnds: [UInt64]

  /// The packet from which on another connection has the same endpoints, so that a packet's number does not say whose it is.
  package private(set) var contested: UInt64?

  /// The segments of a contested connection.
  package private(set) var segments: [Segment] = []

  /// What the bytes of each direction are, in their order.
  package private(set) var parts: BothDirections<[Part]> = BothDirections([])

  /// The first packet with a request that could not be read, and the last one from which its direction was read before.
  package private(set) var misread: (frame: UInt64, before: UInt64)?

  /// The last packet from which each direction was read.
  private var lastFrames: BothDirections<UInt64?> = BothDirections(nil)

  /// A sequence number of each direction and its position; nil for a direction of which nothing is known.
  package private(set) var anchors: BothDirections<(sequence: SequenceNumber, position: Int)?> =
    BothDirections(nil)

  let account = ByteAccount()
  fileprivate var isOpen = true
  private let state: ConnectionLayouts.State

  /// The numbers after the last bytes that were handed on.
  private var ends: BothDirections<SequenceNumber?> = BothDirections(nil)

  fileprivate init(hasSYN: Bool, _ requestEnds: [UInt64], _ state: ConnectionLayouts.State) {
    (first, self.hasSYN, self.requestEnds, self.state) = (state.frame, hasSYN, requestEnds, state)
  }

  fileprivate func contest() { if contested == nil { contested = state.frame } }

  /// Notes that a packet has a segment of this connection and not of another one with its endpoints.
  func noteSegment(at sequence: SequenceNumber, in direction: Direction) {
    guard state.spend(64) else { return }
    segments.append(
      Segment(frame: state.frame, sequence: sequence.rawValue, direction: direction))
  }

  /// Notes that bytes of a direction up to a number were handed on or found missing.
  func reach(_ end: SequenceNumber, in direction: Direction) { ends[direction] = end }

  /// Takes over the runs of a direction from the account, which lacks the last `unread` bytes so far.
  func addRuns(of direction: Direction, unread: Int) {
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
      // Of bytes that seem to come twice the first reading counts.
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

  /// Whether a session in the clear ends after a packet and before another one or with the first.
  private func isSessionEnd(between first: UInt64, _ second: UInt64) -> Bool {
    guard first < second, let last = requestEnds.last, first <= last else { return false }
    return requestEnds[requestEnds.partitioningIndex { $0 >= first }] < second
  }

  /// Forgets what was read: all of it is read again.
  func restart() {
    for direction in Direction.allCases { _ = account.take(in: direction) }
    (parts, anchors, ends) = (BothDirections([]), BothDirections(nil), BothDirections(nil))
    (misread, lastFrames) = (nil, BothDirections(nil))
  }

  /// Notes that nothing more is read.
  func end() { isOpen = false }
}
