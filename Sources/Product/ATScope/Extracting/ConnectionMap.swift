import ByteParsing
import CleartextObservation
import PacketParsing
import QUICParsing
import Reassembly
import SessionModel
import SessionTracking
import Values

/// Where the connections of a capture begin and end, and what of their cleartext an extract may keep: noted while the capture is
/// read as for an audit, so that both read the same.
final class ConnectionMap: ConnectionListener {
  /// One connection between two ends, which may have had others before.
  struct Span {
    let first: UInt64
    /// Whether it begins with a SYN.
    let withSYN: Bool
    /// The packet from which on another one has the same ends at the same time, so that a packet's number does not tell whose it is.
    fileprivate(set) var contested: UInt64?
    /// The packet with which what led to it began, and whether that was a SYN; found when all of the capture has been read.
    fileprivate(set) var beginning: (frame: UInt64, withSYN: Bool)
    /// Where what begins it stands in its direction, once that has been copied.
    fileprivate var firstByte: (sequence: SequenceNumber, direction: Direction)?
    /// Whether it was said of it that a request cannot be read.
    fileprivate var isMisread = false
    /// What was read behind the last packet of a session in the clear; nil for nothing.
    fileprivate var rest: Rest?
    fileprivate(set) var flows = BothDirections(Flow())
  }

  /// What was read of a connection behind the last packet of a session in the clear.
  fileprivate struct Rest {
    /// That packet, and the last one of the rest.
    let since: UInt64
    var last: UInt64
    var count = 0
    /// Whether it goes on with messages that were begun, and nothing else.
    var isOfBodies = true
  }

  /// A segment, told from others of the same frame.
  private struct Segment: Hashable {
    var frame: UInt64
    var sequence: UInt32
    var direction: Direction
  }

  /// The connections between two ends, in the order in which they began.
  private struct Spans {
    var all: [Span] = []
    /// Those that have not ended, by what the tracker calls them.
    var open: [Int: Int] = [:]
    /// Whose the segments are that came while several of them had not ended.
    var taken: [Segment: Int] = [:]

    mutating func begin(_ name: Int, at frame: UInt64, withSYN: Bool) {
      for index in open.values where all[index].contested == nil { all[index].contested = frame }
      all.append(Span(first: frame, withSYN: withSYN, beginning: (frame, withSYN)))
      if !open.isEmpty { all[all.count - 1].contested = frame }
      open[name] = all.count - 1
    }

    /// Without a SYN it is one that was no longer watched, and is again.
    mutating func settle() {
      for index in all.indices.dropFirst() where !all[index].withSYN || all[index].contested != nil {
        all[index].beginning = all[index - 1].beginning
      }
    }

    mutating func hideAddresses(by anonymizer: inout Anonymizer) {
      for index in all.indices {
        for direction in Direction.allCases { all[index].flows[direction].hideAddresses(by: &anonymizer) }
      }
    }

    /// The one that a segment belongs to; nil where that is not known.
    func index(of segment: Segment) -> Int? {
      if let known = taken[segment] { return known }
      return index(at: segment.frame).flatMap { segment.frame < all[$0].contested ?? .max ? $0 : nil }
    }

    /// The last one that began with a packet or in front of it.
    func index(at frame: UInt64) -> Int? {
      var low = 0
      var high = all.count
      while low < high {
        let middle = (low + high) / 2
        if all[middle].first <= frame { low = middle + 1 } else { high = middle }
      }
      return low > 0 ? low - 1 : nil
    }
  }

  /// The packet that is read at present.
  var frame: UInt64 = 0

  /// Whether cleartext becomes zeros that was to be kept: there is too much of it, or connections have the same ends at once.
  private(set) var losesCleartext = false

  /// Ends that a QUIC session moved to, each with those it had at first.
  private(set) var moves: [(from: ChosenSessions.Connection, to: ChosenSessions.Connection, frame: UInt64)] =
    []

  /// What the ends of QUIC connections call themselves: a short header does not say where the name in it ends.
  private(set) var names: Set<ConnectionID> = []

  private var knownMoves: Set<[ChosenSessions.Connection]> = []

  /// What came in fragments, of wanted connections.
  private var joined: [ChosenSessions.Connection: [Joined]] = [:]
  /// The packets of a fragment that itself came in fragments.
  private var framesOfFragments: [UInt64: [UInt64]] = [:]
  private var joinedFrames = 0
  private var takenSegments = 0

  /// The packets of connections that showed a request which cannot be read, each with the one read before it.
  private(set) var misread: [ChosenSessions.Connection: [(frame: UInt64, before: UInt64)]] = [:]

  /// Packets that came behind the last one of a session, though they stand in front of one that came earlier.
  private(set) var late: [ChosenSessions.Connection: [(frame: UInt64, earlier: UInt64)]] = [:]

  /// Fragments of wanted connections beyond what is noted.
  private(set) var fragmentsBeyondLimit: UInt64 = 0

  /// A segment or datagram that came in fragments.
  struct Joined {
    /// The packet that is taken for it: that with its last fragment, or with its first if some never came.
    var frame: UInt64
    /// The packets that carry it.
    var frames: [UInt64]
    var isBare: Bool
    /// Its place and length in its stream.
    var direction: Direction
    var sequence: UInt32
    var count: Int
    /// Whether addresses stand in it which cannot be replaced in fragments.
    var showsAddresses: Bool
  }

  /// The connections whose fate is noted, and the last packet of each that matters.
  private var wanted: [ChosenSessions.Connection: UInt64]
  /// The last packets of sessions in the clear, in their order.
  private let requestEnds: [ChosenSessions.Connection: [UInt64]]
  /// Connections that have something in fragments behind what is wanted.
  private var fragmentedLater: Set<ChosenSessions.Connection> = []
  private var spans: [ChosenSessions.Connection: Spans] = [:]
  private var keptBytes = 0

  /// Heads of a million requests.
  private static let limit = 512 << 20
  /// Packets that carry fragments: what they are noted with takes some 100 bytes each.
  private static let fragmentLimit = 2 << 20
  /// Segments of connections that have their ends at the same time.
  private static let segmentLimit = 2 << 20

  /// The longest rest of a message that is copied, as zeros.
  private static let restLimit = 64 << 10

  /// Notes what becomes of some connections up to the last packet of each that matters; `requestEnds` are the last ones of sessions in
  /// the clear.
  init(
    of wanted: [ChosenSessions.Connection: UInt64],
    requestEnds: [ChosenSessions.Connection: [UInt64]] = [:]
  ) {
    self.wanted = wanted
    self.requestEnds = requestEnds
  }

  /// Finds out where connections began, once all of the capture has been read.
  func settle() {
    for connection in Array(spans.keys) { spans[connection]?.settle() }
  }

  /// Where what led to the connection of a packet began, and whether it was seen to be opened; nil where nothing is known of it.
  func beginning(of connection: ChosenSessions.Connection, at frame: UInt64) -> (
    frame: UInt64, withSYN: Bool
  )? {
    guard let known = spans[connection], let index = known.index(at: frame) else { return nil }
    return known.all[index].beginning
  }

  /// The last packet of what goes on with the messages of a session in the clear whose last packet is `last`, where that is short;
  /// nil where there is nothing, or something else.
  func endOfBody(of connection: ChosenSessions.Connection, at first: UInt64, behind last: UInt64) -> UInt64? {
    guard !fragmentedLater.contains(connection), let known = spans[connection],
      let index = known.index(at: first), known.all[index].contested == nil, let rest = known.all[index].rest,
      rest.since == last, rest.isOfBodies, rest.count <= ConnectionMap.restLimit
    else { return nil }
    // What was held back is read with the packet that ends the connection, and that may be the first of another one.
    let next = index + 1 < known.all.count ? known.all[index + 1].first : .max
    return max(last, min(rest.last, next - 1))
  }

  /// The payload of a segment with everything taken out that is not kept.
  func reduced(
    _ payload: Bytes, of connection: ChosenSessions.Connection, in direction: Direction, sequence: UInt32,
    at frame: UInt64
  ) -> Bytes {
    // Of datagrams there are no streams.
    guard let known = spans[connection] else { return payload }
    guard
      let index = known.index(of: Segment(frame: frame, sequence: sequence, direction: direction))
    else { return Bytes(repeating: 0, count: payload.count) }
    let span = known.all[index]
    let start = SequenceNumber(sequence)
    var result = span.flows[direction].reduced(payload, at: start)
    if index > 0, !span.withSYN {
      // What was left out may come again when something else is spoken.
      let before = known.all[index - 1]
      let opening = frame == span.first ? (sequence: start, direction: direction) : span.firstByte
      spans[connection]?.all[index].firstByte = opening
      let first = opening?.direction == direction ? opening?.sequence : nil
      before.flows[direction].leaveOutAgain(&result, at: start, before: first)
    }
    if result != payload {
      spans[connection]?.all[index].flows[direction].noteLeftOut(payload.count, at: start)
    }
    return result
  }

  /// Replaces the addresses that proxies were asked for.
  func hideAddresses(by anonymizer: inout Anonymizer) {
    for connection in Array(spans.keys) { spans[connection]?.hideAddresses(by: &anonymizer) }
  }

  // MARK: Noting

  func opened(_ key: ConnectionKey, _ index: Int, withSYN: Bool) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: false)
    guard wanted[connection] != nil else { return }
    spans[connection, default: Spans()].begin(index, at: frame, withSYN: withSYN)
  }

  func readsAgain(_ key: ConnectionKey, _ index: Int) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: false)
    guard let span = spans[connection]?.open[index] else { return }
    spans[connection]?.all[span].flows = BothDirections(Flow())
    spans[connection]?.all[span].rest = nil
  }

  func closed(_ key: ConnectionKey, _ index: Int, read: BothDirections<ReadBytes?>) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: false)
    guard let span = spans[connection]?.open.removeValue(forKey: index) else { return }
    for direction in Direction.allCases {
      spans[connection]?.all[span].flows[direction].end(read[direction])
    }
  }

  func took(
    _ sequence: SequenceNumber, of key: ConnectionKey, _ index: Int, in direction: Direction, at frame: UInt64
  ) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: false)
    guard let last = wanted[connection], frame <= last, let span = spans[connection]?.open[index] else {
      return
    }
    takenSegments += 1
    guard takenSegments <= ConnectionMap.segmentLimit else { return losesCleartext = true }
    spans[connection]?.taken[
      Segment(frame: frame, sequence: sequence.rawValue, direction: direction)] = span
  }

  func moved(from key: ConnectionKey, to other: ConnectionKey) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: true)
    guard let last = wanted[connection] else { return }
    let end = ChosenSessions.Connection(other.lower, other.upper, isUDP: true)
    wanted[end] = max(last, wanted[end] ?? 0)
    if knownMoves.insert([connection, end]).inserted {
      moves.append((from: connection, to: end, frame: frame))
    }
  }

  func named(_ known: [ConnectionID], of key: ConnectionKey) {
    guard wanted[ChosenSessions.Connection(key.lower, key.upper, isUDP: true)] != nil else { return }
    names.formUnion(known)
  }

  func joined(
    _ headers: borrowing PacketHeaders, _ bytes: Swift.Span<UInt8>, isUDP: Bool, isTunnelled: Bool,
    at frame: UInt64,
    from frames: [UInt64]
  ) {
    let (key, direction) = ConnectionKey.make(headers)
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: isUDP)
    guard let last = wanted[connection] else { return }
    guard frame <= last else {
      fragmentedLater.insert(connection)
      return
    }
    let all = frames.flatMap { framesOfFragments[$0] ?? [$0] }
    guard takesFragments(all.count) else { return }
    let (flags, length) = (headers.flags, headers.payloadLengthOnWire)
    let isFirst = flags.contains(.syn)
    let hasToken = isUDP ? ConnectionMap.hasToken(headers, bytes) : false
    joined[connection, default: []].append(
      Joined(
        frame: frame, frames: all,
        isBare: !isUDP && length == 0 && !flags.changeConnection, direction: direction,
        sequence: isFirst ? headers.sequence &+ 1 : headers.sequence, count: min(length, 0xFFFF),
        showsAddresses: isTunnelled || hasToken))
  }

  /// Whether a datagram of QUIC has an address validation token, in which a server keeps the client's address (RFC 9000 §8.1).
  private static func hasToken(_ headers: borrowing PacketHeaders, _ bytes: Swift.Span<UInt8>) -> Bool {
    let end = headers.payloadOffset + headers.payloadLength
    guard end <= bytes.count else { return false }
    let datagram = bytes.extracting(headers.payloadOffset..<end)
    var position = 0
    while position < datagram.count, let header = try? LongHeader(parsing: datagram, from: position) {
      if !header.token.isEmpty { return true }
      position = max(header.packet.upperBound, position + 1)
    }
    return false
  }

  func joinedFragment(from frames: [UInt64]) {
    let all = frames.flatMap { framesOfFragments[$0] ?? [$0] }
    if takesFragments(all.count) { framesOfFragments[frame] = all }
  }

  private func takesFragments(_ count: Int) -> Bool {
    joinedFrames += count
    if joinedFrames <= ConnectionMap.fragmentLimit { return true }
    fragmentsBeyondLimit += UInt64(count)
    return false
  }

  /// The packets with fragments of chosen sessions, and whether they may be copied: what is to be taken out of something cannot be
  /// taken out of its fragments.
  func fragments(of chosen: ChosenSessions, in file: String, anonymizes: Bool) -> [UInt64: Bool] {
    var result: [UInt64: Bool] = [:]
    for (connection, all) in joined {
      for one in all {
        guard chosen.place(of: connection, in: file, at: one.frame, isBare: one.isBare) != nil else {
          continue
        }
        let mayBeCopied = !(anonymizes && one.showsAddresses) && isKept(one, of: connection)
        for frame in one.frames { result[frame] = mayBeCopied && result[frame] ?? true }
      }
    }
    return result
  }

  /// Whether nothing of a segment becomes something else.
  private func isKept(_ joined: Joined, of connection: ChosenSessions.Connection) -> Bool {
    // Bytes that stand in no text.
    let probe = Bytes(repeating: 0xFF, count: joined.count)
    return reduced(
      probe, of: connection, in: joined.direction, sequence: joined.sequence, at: joined.frame)
      == probe
  }

  func cameLate(_ frame: UInt64, behind earlier: UInt64, of key: ConnectionKey) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: false)
    guard let last = wanted[connection], earlier <= last else { return }
    takenSegments += 1
    if takenSegments <= ConnectionMap.segmentLimit { late[connection, default: []].append((frame, earlier)) }
  }

  func read(
    _ runs: [MessageTrace.Run], of key: ConnectionKey, _ index: Int, in direction: Direction,
    upTo end: SequenceNumber
  ) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: false)
    guard let index = spans[connection]?.open[index] else { return }
    noteRest(runs, of: connection, index)
    for run in runs {
      switch run {
      case .head(let bytes): keptBytes += 2 * bytes.count
      case .replaced(let bytes): keptBytes += bytes.count
      case .misread where spans[connection]?.all[index].isMisread == false:
        spans[connection]?.all[index].isMisread = true
        let before = spans[connection]?.all[index].flows[direction]
        misread[connection, default: []].append((frame, before?.lastFrame ?? frame))
      default: break
      }
    }
    spans[connection]?.all[index].flows[direction].lastFrame = frame
    let mayKeep = keptBytes <= ConnectionMap.limit
    if !mayKeep { losesCleartext = true }
    spans[connection]?.all[index].flows[direction].append(runs, upTo: end, keepsBytes: mayKeep)
  }

  /// Takes note of what was read behind the last packet of a session in the clear.
  private func noteRest(_ runs: [MessageTrace.Run], of connection: ChosenSessions.Connection, _ span: Int) {
    guard let ends = requestEnds[connection], let since = ends.last(below: frame) else { return }
    var rest = spans[connection]?.all[span].rest ?? Rest(since: since, last: frame)
    if rest.since != since { rest = Rest(since: since, last: frame) }
    rest.last = frame
    for run in runs {
      rest.count = min(rest.count + run.count, ConnectionMap.restLimit + 1)
      switch run {
      case .content, .framing: break
      default: rest.isOfBodies = false
      }
    }
    spans[connection]?.all[span].rest = rest
  }
}

extension [UInt64] {
  /// The greatest that is less than a number, of some in their order.
  fileprivate func last(below limit: UInt64) -> UInt64? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < limit { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? self[low - 1] : nil
  }
}
