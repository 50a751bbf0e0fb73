import ByteParsing
import Reassembly
import SessionObservation
import Values

/// Where the connections of a capture begin and end, and what of their cleartext an extract may keep: noted while the capture is
/// read as for an audit, so that both read the same.
final class ConnectionMap: ConnectionListener {
  /// One connection between two ends, which may have had others before.
  struct Span {
    let first: UInt64
    var last = UInt64.max
    /// Whether it begins with a SYN.
    let withSYN: Bool
    /// Whether another one has the same ends at the same time: which bytes are whose is not known here.
    var isContested = false
    fileprivate(set) var lower = Direction()
    fileprivate(set) var upper = Direction()
  }

  /// What the bytes of one direction are, as far as they were told apart.
  struct Direction {
    /// Some bytes by the position of the first.
    fileprivate struct Run {
      var position: Int
      var count: Int
      var kind: Kind
    }

    fileprivate enum Kind {
      /// These bytes instead.
      case bytes(Bytes)
      case kept
      case zeros
      case digits
    }

    fileprivate var runs: [Run] = []

    /// A sequence number and its position.
    fileprivate var anchor: (sequence: SequenceNumber, position: Int)?
  }

  /// The packet that is read at present.
  var frame: UInt64 = 0

  /// Whether cleartext becomes zeros that was to be kept: there is too much of it, or connections have the same ends at once.
  private(set) var losesCleartext = false

  /// Ends that a QUIC session moved to, each with those it had at first.
  private(set) var moves: [(from: ChosenSessions.Connection, to: ChosenSessions.Connection, frame: UInt64)] =
    []

  private let wanted: Set<ChosenSessions.Connection>
  private var spans: [ChosenSessions.Connection: [Span]] = [:]
  private var keptBytes = 0

  /// Heads of a million requests.
  private static let limit = 512 << 20

  /// Notes what becomes of some connections.
  init(of wanted: Set<ChosenSessions.Connection>) { self.wanted = wanted }

  /// The connection that a packet is of, and the packet with which what led to it began.
  func span(of connection: ChosenSessions.Connection, at frame: UInt64) -> (index: Int, start: UInt64)? {
    guard let all = spans[connection], var index = all.lastIndex(where: { $0.first <= frame }) else {
      return nil
    }
    let found = index
    // Without a SYN it is one that was no longer watched, and is again.
    while index > 0, !all[index].withSYN || all[index].isContested { index -= 1 }
    return (found, all[index].first)
  }

  /// Whether the connection of a packet was seen to be opened.
  func isOpened(_ connection: ChosenSessions.Connection, at frame: UInt64) -> Bool {
    guard let (_, start) = span(of: connection, at: frame) else { return false }
    return spans[connection]?.last { $0.first == start }?.withSYN ?? false
  }

  /// The payload of a segment with everything taken out that is not kept.
  func reduced(
    _ payload: Bytes, of connection: ChosenSessions.Connection, fromLower: Bool, sequence: UInt32,
    at frame: UInt64
  ) -> Bytes {
    guard let (index, _) = span(of: connection, at: frame), let span = spans[connection]?[index] else {
      return payload
    }
    if span.isContested {
      return contested(payload, spans[connection] ?? [], fromLower: fromLower, SequenceNumber(sequence))
    }
    return (fromLower ? span.lower : span.upper).reduced(payload, at: SequenceNumber(sequence))
  }

  /// The same where several connections have these ends at once: the numbers tell whose the bytes are.
  private func contested(
    _ payload: Bytes, _ all: [Span], fromLower: Bool, _ sequence: SequenceNumber
  ) -> Bytes {
    let directions = all.filter { $0.isContested }.map { fromLower ? $0.lower : $0.upper }
    var near = directions.filter { $0.distance(to: sequence) <= ConnectionMap.nearBytes }
    if near.count > 1 { near = near.filter { $0.distance(to: sequence) == 0 } }
    if near.count == 1 { return near[0].reduced(payload, at: sequence) }
    if near.isEmpty, !directions.contains(where: { $0.distance(to: sequence) <= ConnectionMap.nearBytes }) {
      return payload
    }
    losesCleartext = true
    return Bytes(repeating: 0, count: payload.count)
  }

  /// Numbers that are further away are not of the same connection.
  private static let nearBytes = 1 << 20

  // MARK: Noting

  func opened(_ key: ConnectionKey, withSYN: Bool) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: false)
    guard wanted.contains(connection) else { return }
    var span = Span(first: frame, withSYN: withSYN)
    for index in (spans[connection] ?? []).indices where spans[connection]?[index].last == .max {
      span.isContested = true
      spans[connection]?[index].isContested = true
    }
    spans[connection, default: []].append(span)
  }

  func closed(_ key: ConnectionKey) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: false)
    guard let index = spans[connection]?.lastIndex(where: { $0.last == .max }) else { return }
    spans[connection]?[index].last = frame
  }

  func moved(from key: ConnectionKey, to other: ConnectionKey) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: true)
    guard wanted.contains(connection) else { return }
    let move = (
      from: connection, to: ChosenSessions.Connection(other.lower, other.upper, isUDP: true), frame: frame
    )
    if !moves.contains(where: { $0.from == move.from && $0.to == move.to }) { moves.append(move) }
  }

  func read(
    _ runs: [MessageTrace.Run], of key: ConnectionKey, fromLower: Bool, upTo end: SequenceNumber
  ) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: false)
    guard let index = spans[connection].map({ $0.count - 1 }), index >= 0 else { return }
    for case .head(let bytes) in runs { keptBytes += bytes.count }
    let mayKeep = keptBytes <= ConnectionMap.limit
    if !mayKeep { losesCleartext = true }
    if fromLower {
      spans[connection]?[index].lower.append(runs, upTo: end, keepsHeads: mayKeep)
    } else {
      spans[connection]?[index].upper.append(runs, upTo: end, keepsHeads: mayKeep)
    }
  }
}

extension ConnectionMap.Direction {
  fileprivate mutating func append(
    _ traced: [MessageTrace.Run], upTo end: SequenceNumber, keepsHeads: Bool
  ) {
    let last: Int
    if let anchor {
      last = anchor.position + anchor.sequence.distance(to: end)
    } else {
      last = 0
    }
    anchor = (end, last)
    var position = last - traced.reduce(0) { $0 + $1.count }
    for run in traced {
      let kind: Kind
      switch run {
      case .head(let bytes): kind = keepsHeads ? .bytes(HTTPReduction.reduced(bytes)) : .zeros
      case .framing, .other: kind = .kept
      case .content: kind = .zeros
      case .secret: kind = .digits
      }
      add(Run(position: position, count: run.count, kind: kind))
      position += run.count
    }
  }

  private mutating func add(_ run: Run) {
    if let last = runs.last {
      // What was told twice is kept by no one.
      guard run.position >= last.position + last.count else { return }
      if case (.zeros, .zeros) = (last.kind, run.kind), run.position == last.position + last.count {
        runs[runs.count - 1].count += run.count
        return
      }
    }
    runs.append(run)
  }

  /// How far a number is from those that were told apart; 0 for one of them.
  fileprivate func distance(to sequence: SequenceNumber) -> Int {
    guard let anchor, let first = runs.first, let last = runs.last else { return .max }
    let position = anchor.position + anchor.sequence.distance(to: sequence)
    return max(0, first.position - position, position - last.position - last.count)
  }

  fileprivate func reduced(_ payload: Bytes, at sequence: SequenceNumber) -> Bytes {
    guard let anchor, !runs.isEmpty else { return payload }
    let start = anchor.position + anchor.sequence.distance(to: sequence)
    var result = payload
    var low = 0
    var high = runs.count
    // The last run that begins at the first byte or in front of it.
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].position <= start { low = middle + 1 } else { high = middle }
    }
    var index = max(0, low - 1)
    while index < runs.count, runs[index].position < start + payload.count {
      apply(runs[index], isLast: index + 1 == runs.count, to: &result, from: start)
      index += 1
    }
    return result
  }

  private func apply(_ run: Run, isLast: Bool, to result: inout Bytes, from start: Int) {
    let first = max(0, run.position - start)
    let end = min(result.count, run.position + run.count - start)
    if first < end {
      switch run.kind {
      case .kept: break
      case .bytes(let bytes):
        for index in first..<end { result[index] = bytes[start + index - run.position] }
      case .zeros: for index in first..<end { result[index] = 0 }
      case .digits: for index in first..<end { result[index] = 0x30 }
      }
    }
    guard isLast, max(end, 0) < result.count else { return }
    // What follows cleartext is cleartext, unless it was said to be something else.
    if case .kept = run.kind { return }
    for index in max(end, 0)..<result.count { result[index] = 0 }
  }
}
