import CleartextObservation
import Reassembly
import SessionTracking
import Values

/// The layouts of the TCP connections that an extract copies; kept only for an extract.
final class ConnectionLayouts {
  /// The frame being read, and the memory that all layouts take.
  final class State {
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
  var frame: UInt64 {
    get { state.frame }
    set { state.frame = newValue }
  }

  /// The frames of one connection that an extract needs.
  struct Wanted {
    /// The last frame needed.
    var last: UInt64
    /// The last frames of its cleartext sessions, in ascending order.
    var requestEnds: [UInt64]
  }

  /// The connections whose layouts are kept.
  private let wanted: [ConnectionKey: Wanted]

  /// The layouts of the connections between two endpoints, in the order in which they began.
  private(set) var all: [ConnectionKey: [ConnectionLayout]] = [:]

  /// Packets of these connections that were captured late: the data of `frame` precedes that of frame `earlier` in the stream.
  private(set) var late: [ConnectionKey: [(frame: UInt64, earlier: UInt64)]] = [:]

  /// The endpoints to which a QUIC session migrated, and its previous endpoints.
  private(set) var moves: [(from: ConnectionKey, to: ConnectionKey, frame: UInt64)] = []

  private var knownMoves: Set<[ConnectionKey]> = []

  private var open: [ConnectionKey: [ConnectionLayout]] = [:]

  /// The open connections by the numbers that the tracker uses.
  private var numbered: [Int: ConnectionLayout] = [:]

  /// Whether the limit was exceeded, so that layouts are incomplete.
  var hitLimit: Bool { state.hitLimit }

  init(of wanted: [ConnectionKey: Wanted]) { self.wanted = wanted }
}

extension ConnectionLayouts: ReadingObserver {
  func begin(_ connection: Int, between key: ConnectionKey, hasSYN: Bool) -> Bool {
    guard let wanted = wanted[key] else { return false }
    let layout = ConnectionLayout(of: key, hasSYN: hasSYN, wanted.requestEnds, state)
    let others = (open[key] ?? []).filter(\.isOpen)
    open[key] = others + [layout]
    if !others.isEmpty { for contested in others + [layout] { contested.contest() } }
    numbered[connection] = layout
    all[key, default: []].append(layout)
    return true
  }

  func receive(_ start: SequenceNumber, in direction: Direction, of connection: Int, before waiting: UInt64?, isContested: Bool) {
    guard let layout = numbered[connection] else { return }
    if isContested { layout.noteSegment(at: start, in: direction) }
    guard let waiting, let last = wanted[layout.key]?.last, waiting <= last, state.spend(16) else { return }
    late[layout.key, default: []].append((frame, waiting))
  }

  func advance(by piece: Span<UInt8>, upTo end: SequenceNumber, in direction: Direction, of connection: Int) {
    numbered[connection]?.add(piece, upTo: end, in: direction)
  }

  func skip(upTo end: SequenceNumber, in direction: Direction, of connection: Int, lacksRequest: Bool) {
    numbered[connection]?.reach(end, in: direction)
    if lacksRequest { numbered[connection]?.noteLostRequest(before: end, in: direction) }
  }

  func add(_ runs: [ByteAccount.Run], unread: Int, in direction: Direction, of connection: Int) {
    numbered[connection]?.add(runs, unread: unread, in: direction)
  }

  func restart(_ connection: Int) { numbered[connection]?.restart() }

  func end(_ connection: Int) { numbered.removeValue(forKey: connection)?.end() }

  func move(from key: ConnectionKey, to other: ConnectionKey) {
    if knownMoves.insert([key, other]).inserted, state.spend(128) { moves.append((key, other, frame)) }
  }
}
