import ByteParsing
import PacketParsing
import QUICParsing
import Reassembly
import SessionObservation
import Values

/// Where the connections of a capture begin and end, and what of their cleartext an extract may keep: noted while the capture is
/// read as for an audit, so that both read the same.
final class ConnectionMap: ConnectionListener {
  /// One connection between two ends, which may have had others before.
  struct Span {
    let first: UInt64
    /// Whether it begins with a SYN.
    let withSYN: Bool
    /// Whether another one has the same ends at the same time: which bytes are whose is not known here.
    fileprivate(set) var isContested = false
    /// The packet with which what led to it began, and whether that was a SYN; found when all of the capture has been read.
    fileprivate(set) var beginning: (frame: UInt64, withSYN: Bool)
    /// Where what begins it stands in its direction, once that has been copied.
    fileprivate var firstByte: (sequence: SequenceNumber, fromLower: Bool)?
    fileprivate(set) var lower = Direction()
    fileprivate(set) var upper = Direction()
  }

  /// The connections between two ends, in the order in which they began.
  private struct Spans {
    var all: [Span] = []
    /// Those that have not ended.
    var open: [Int] = []
    /// Those that others had their ends with.
    var contested: [Int] = []

    mutating func begin(at frame: UInt64, withSYN: Bool) {
      if !open.isEmpty {
        for index in open where !all[index].isContested { contest(index) }
      }
      all.append(Span(first: frame, withSYN: withSYN, beginning: (frame, withSYN)))
      if !open.isEmpty { contest(all.count - 1) }
      open.append(all.count - 1)
    }

    private mutating func contest(_ index: Int) {
      all[index].isContested = true
      contested.append(index)
    }

    /// Without a SYN it is one that was no longer watched, and is again.
    mutating func settle() {
      for index in all.indices.dropFirst() where !all[index].withSYN || all[index].isContested {
        all[index].beginning = all[index - 1].beginning
      }
    }

    mutating func hideAddresses(by anonymizer: inout Anonymizer) {
      for index in all.indices {
        all[index].lower.hideAddresses(by: &anonymizer)
        all[index].upper.hideAddresses(by: &anonymizer)
      }
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
      /// An address to be replaced with all others, as it stands there.
      case address(IPAddress, text: Bytes?)
    }

    fileprivate var runs: [Run] = []

    /// Whether a handshake stands behind all runs, and whether it does where there are none.
    fileprivate var keepsRest = false
    fileprivate var keepsAll = false

    /// The last segments of which something was left out.
    fileprivate var leftOut: [(start: SequenceNumber, count: Int)] = []

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

  /// What the ends of QUIC connections call themselves: a short header does not say where the name in it ends.
  private(set) var names: Set<ConnectionID> = []

  private var knownMoves: Set<[ChosenSessions.Connection]> = []

  /// What came in fragments, of wanted connections.
  private var joined: [ChosenSessions.Connection: [Joined]] = [:]
  /// The packets of a fragment that itself came in fragments.
  private var framesOfFragments: [UInt64: [UInt64]] = [:]
  private var joinedFrames = 0

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
    var fromLower: Bool
    var sequence: UInt32
    var count: Int
    /// Whether addresses stand in it which cannot be replaced in fragments.
    var showsAddresses: Bool
  }

  /// The connections whose fate is noted, and the last packet of each that matters.
  private var wanted: [ChosenSessions.Connection: UInt64]
  private var spans: [ChosenSessions.Connection: Spans] = [:]
  private var keptBytes = 0

  /// Heads of a million requests.
  private static let limit = 512 << 20
  /// Packets that carry fragments: what they are noted with takes some 100 bytes each.
  private static let fragmentLimit = 2 << 20

  /// Notes what becomes of some connections up to the last packet of each that matters.
  init(of wanted: [ChosenSessions.Connection: UInt64]) { self.wanted = wanted }

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

  /// The payload of a segment with everything taken out that is not kept.
  func reduced(
    _ payload: Bytes, of connection: ChosenSessions.Connection, fromLower: Bool, sequence: UInt32,
    at frame: UInt64
  ) -> Bytes {
    // Of datagrams there are no streams.
    guard let known = spans[connection] else { return payload }
    guard let index = known.index(at: frame) else { return Bytes(repeating: 0, count: payload.count) }
    let span = known.all[index]
    if span.isContested {
      return contested(payload, known, fromLower: fromLower, SequenceNumber(sequence))
    }
    let start = SequenceNumber(sequence)
    var result = (fromLower ? span.lower : span.upper).reduced(payload, at: start)
    if index > 0, !span.withSYN {
      // What was left out may come again when something else is spoken.
      let before = known.all[index - 1]
      let opening = frame == span.first ? (sequence: start, fromLower: fromLower) : span.firstByte
      spans[connection]?.all[index].firstByte = opening
      let first = opening?.fromLower == fromLower ? opening?.sequence : nil
      (fromLower ? before.lower : before.upper).leaveOutAgain(&result, at: start, before: first)
    }
    if result != payload {
      if fromLower {
        spans[connection]?.all[index].lower.noteLeftOut(payload.count, at: start)
      } else {
        spans[connection]?.all[index].upper.noteLeftOut(payload.count, at: start)
      }
    }
    return result
  }

  /// The same where several connections have these ends at once: the numbers tell whose the bytes are.
  private func contested(
    _ payload: Bytes, _ known: Spans, fromLower: Bool, _ sequence: SequenceNumber
  ) -> Bytes {
    guard known.contested.count <= ConnectionMap.contestedLimit else {
      losesCleartext = true
      return Bytes(repeating: 0, count: payload.count)
    }
    let directions = known.contested.map { fromLower ? known.all[$0].lower : known.all[$0].upper }
    var near = directions.filter { $0.distance(to: sequence) <= ConnectionMap.nearBytes }
    if near.count > 1 { near = near.filter { $0.distance(to: sequence) == 0 } }
    if near.count == 1 { return near[0].reduced(payload, at: sequence) }
    if near.isEmpty, !directions.contains(where: { $0.distance(to: sequence) <= ConnectionMap.nearBytes }),
      directions.contains(where: \.keepsAll)
    {
      return payload
    }
    losesCleartext = true
    return Bytes(repeating: 0, count: payload.count)
  }

  /// Numbers that are further away are not of the same connection.
  private static let nearBytes = 1 << 20

  /// Each packet is held against so many at most.
  private static let contestedLimit = 64

  /// Replaces the addresses that proxies were asked for.
  func hideAddresses(by anonymizer: inout Anonymizer) {
    for connection in Array(spans.keys) { spans[connection]?.hideAddresses(by: &anonymizer) }
  }

  // MARK: Noting

  func opened(_ key: ConnectionKey, withSYN: Bool) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: false)
    guard wanted[connection] != nil else { return }
    spans[connection, default: Spans()].begin(at: frame, withSYN: withSYN)
  }

  func closed(_ key: ConnectionKey) {
    _ = spans[ChosenSessions.Connection(key.lower, key.upper, isUDP: false)]?.open.popLast()
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
    let (key, fromLower) = ConnectionKey.make(headers)
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: isUDP)
    guard let last = wanted[connection], frame <= last else { return }
    let all = frames.flatMap { framesOfFragments[$0] ?? [$0] }
    guard takesFragments(all.count) else { return }
    let (flags, length) = (headers.flags, headers.payloadLengthOnWire)
    let isFirst = flags.contains(.syn)
    joined[connection, default: []].append(
      Joined(
        frame: frame, frames: all,
        isBare: !isUDP && length == 0 && !isFirst && !flags.contains(.rst), fromLower: fromLower,
        sequence: isFirst ? headers.sequence &+ 1 : headers.sequence, count: min(length, 0xFFFF),
        showsAddresses: isTunnelled))
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
      probe, of: connection, fromLower: joined.fromLower, sequence: joined.sequence, at: joined.frame)
      == probe
  }

  func read(
    _ runs: [MessageTrace.Run], of key: ConnectionKey, fromLower: Bool, upTo end: SequenceNumber
  ) {
    let connection = ChosenSessions.Connection(key.lower, key.upper, isUDP: false)
    guard let index = spans[connection].map({ $0.all.count - 1 }), index >= 0 else { return }
    for run in runs {
      switch run {
      case .head(let bytes), .replaced(let bytes): keptBytes += bytes.count
      default: break
      }
    }
    let mayKeep = keptBytes <= ConnectionMap.limit
    if !mayKeep { losesCleartext = true }
    if fromLower {
      spans[connection]?.all[index].lower.append(runs, upTo: end, keepsBytes: mayKeep)
    } else {
      spans[connection]?.all[index].upper.append(runs, upTo: end, keepsBytes: mayKeep)
    }
  }
}

extension ConnectionMap.Direction {
  fileprivate mutating func append(
    _ traced: [MessageTrace.Run], upTo end: SequenceNumber, keepsBytes: Bool
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
      case .head(let bytes): kind = keepsBytes ? .bytes(HTTPReduction.reduced(bytes)) : .zeros
      case .replaced(let bytes): kind = keepsBytes ? .bytes(bytes) : .zeros
      case .address(let address): kind = .address(address, text: nil)
      case .addressText(let address, let bytes): kind = .address(address, text: bytes)
      case .framing, .other: kind = .kept
      case .content: kind = .zeros
      case .secret: kind = .digits
      case .handshake:
        keepsRest = true
        if runs.isEmpty { keepsAll = true }
        continue
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

  /// Replaces addresses as all others are.
  fileprivate mutating func hideAddresses(by anonymizer: inout Anonymizer) {
    for index in runs.indices {
      guard case .address(let address, let text) = runs[index].kind else { continue }
      let replaced = anonymizer.replacement(of: address)
      guard replaced != address else { continue }
      // Of a text only the length is known to fit: ones for all digits are an address as well.
      runs[index].kind = .bytes(
        text.map { Bytes($0.map { isHexadecimalDigit($0) ? UInt8(ascii: "1") : $0 }) } ?? replaced.bytes)
    }
  }

  private func isHexadecimalDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(asciiLowercased(byte))
  }

  /// As many segments as two ends may say before they speak something else, and say again.
  private static let leftOutLimit = 64

  fileprivate mutating func noteLeftOut(_ count: Int, at start: SequenceNumber) {
    if let last = leftOut.last, last.start.advanced(by: last.count) == start {
      leftOut[leftOut.count - 1].count += count
      return
    }
    if leftOut.count == Self.leftOutLimit { leftOut.removeFirst() }
    leftOut.append((start, count))
  }

  /// Makes zeros of what was left out before, as far as it stands in front of a byte.
  fileprivate func leaveOutAgain(_ result: inout Bytes, at start: SequenceNumber, before end: SequenceNumber?)
  {
    for part in leftOut {
      let first = start.distance(to: part.start)
      var last = min(first + part.count, result.count)
      if let end { last = min(last, start.distance(to: end)) }
      for index in max(0, first)..<max(0, first, last) { result[index] = 0 }
    }
  }

  /// How far a number is from those that were told apart; 0 for one of them.
  fileprivate func distance(to sequence: SequenceNumber) -> Int {
    guard let anchor, let first = runs.first, let last = runs.last else { return .max }
    let position = anchor.position + anchor.sequence.distance(to: sequence)
    return max(0, first.position - position, keepsRest ? 0 : position - last.position - last.count)
  }

  /// What may be shown of some bytes: zeros of all of which nothing was told.
  fileprivate func reduced(_ payload: Bytes, at sequence: SequenceNumber) -> Bytes {
    var result = keepsAll ? payload : Bytes(repeating: 0, count: payload.count)
    guard let anchor, let end = runs.last.map({ $0.position + $0.count }) else { return result }
    let start = anchor.position + anchor.sequence.distance(to: sequence)
    var low = 0
    var high = runs.count
    // The last run that begins at the first byte or in front of it.
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].position <= start { low = middle + 1 } else { high = middle }
    }
    var index = max(0, low - 1)
    while index < runs.count, runs[index].position < start + payload.count {
      apply(runs[index], payload, to: &result, from: start)
      index += 1
    }
    if keepsRest {
      for index in max(0, end - start)..<max(0, end - start, payload.count) { result[index] = payload[index] }
    }
    return result
  }

  private func apply(_ run: Run, _ payload: Bytes, to result: inout Bytes, from start: Int) {
    let first = max(0, run.position - start)
    let end = min(result.count, run.position + run.count - start)
    guard first < end else { return }
    for index in first..<end {
      switch run.kind {
      case .kept, .address: result[index] = payload[index]
      case .bytes(let bytes): result[index] = bytes[start + index - run.position]
      case .zeros: result[index] = 0
      case .digits: result[index] = 0x30
      }
    }
  }
}
