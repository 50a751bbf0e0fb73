import ByteParsing
import CleartextObservation
import Reassembly
import SessionTracking
import Values

/// Where the connections of a capture begin and end, and what of their cleartext an extract may keep, by what was read of the capture as
/// for an audit.
final class ConnectionMap {
  /// One connection between two endpoints, which may have had others before.
  private struct Span {
    let first: UInt64
    let hasSYN: Bool
    /// The packet from which on another one has the same endpoints, so that a packet's number does not say whose it is.
    let contested: UInt64?
    /// The packet with which what led to it began, and whether that was a SYN.
    var beginning: (frame: UInt64, hasSYN: Bool)
    /// Where what begins it lies in its direction, once that has been copied.
    var firstByte: (sequence: SequenceNumber, direction: Direction)?
    /// What was read after the last packet of a session in the clear; nil for nothing.
    var rest: Rest?
    var flows: BothDirections<Flow>
  }

  /// What was read of a connection after the last packet of a session in the clear.
  private struct Rest {
    /// That packet, and the last one of the rest.
    let since: UInt64
    let last: UInt64
  }

  /// The connections between two endpoints, in the order in which they began.
  private struct Spans {
    var all: [Span] = []
    /// Whose the segments are that came while several of them had not ended.
    var taken: [ConnectionLayout.Segment: Int] = [:]

    /// The one that a segment belongs to; nil where that is not known.
    func index(of segment: ConnectionLayout.Segment) -> Int? {
      if let known = taken[segment] { return known }
      return index(at: segment.frame).flatMap { segment.frame < all[$0].contested ?? .max ? $0 : nil }
    }

    /// The last one that began with a packet or before it.
    func index(at frame: UInt64) -> Int? {
      let next = all.partitioningIndex { $0.first > frame }
      return next > 0 ? next - 1 : nil
    }
  }

  /// Whether cleartext becomes zeros that was to be kept: there is too much of it.
  let losesCleartext: Bool

  /// The packets of connections that showed a request which cannot be read, each with the one read before it.
  private(set) var misread: [ChosenSessions.Connection: [(frame: UInt64, before: UInt64)]] = [:]

  let layouts: ConnectionLayouts

  /// What the packets show by themselves.
  let survey: PacketSurvey

  private var spans: [ConnectionKey: Spans] = [:]

  /// The longest rest of a message that is copied, as zeros.
  private static let maximumRestLength = 64 << 10

  init(_ layouts: ConnectionLayouts, _ survey: PacketSurvey) {
    self.layouts = layouts
    self.survey = survey
    losesCleartext = layouts.hitLimit
    for (key, all) in layouts.all {
      let connection = ChosenSessions.Connection(key, isUDP: false)
      var known = Spans()
      for (index, layout) in all.enumerated() {
        var span = Span(
          first: layout.first, hasSYN: layout.hasSYN, contested: layout.contested,
          beginning: (layout.first, layout.hasSYN),
          rest: ConnectionMap.rest(of: layout),
          flows: BothDirections(fromLower: Flow(layout, .fromLower), fromUpper: Flow(layout, .fromUpper)))
        // Without a SYN it is one that was no longer watched, and is again.
        if index > 0, !span.hasSYN || span.contested != nil {
          span.beginning = known.all[index - 1].beginning
        }
        known.all.append(span)
        for segment in layout.segments { known.taken[segment] = index }
        if let first = layout.misread { misread[connection, default: []].append(first) }
      }
      spans[key] = known
    }
  }

  /// What was read after the last of the packets that end sessions in the clear, if it is the rest of messages and short.
  private static func rest(of layout: ConnectionLayout) -> Rest? {
    let ends = layout.requestEnds
    let last = Direction.allCases.compactMap { layout.parts[$0].last?.frame }.max() ?? 0
    let next = ends.partitioningIndex { $0 >= last }
    guard next > 0 else { return nil }
    var count = 0
    for direction in Direction.allCases {
      for part in layout.parts[direction].reversed().prefix(while: { $0.frame > ends[next - 1] }) {
        switch part.run {
        case .content, .framing: count += part.run.count
        default: return nil
        }
        if count > maximumRestLength { return nil }
      }
    }
    return Rest(since: ends[next - 1], last: last)
  }

  /// Where what led to the connection of a packet began, and whether it was seen to be opened; nil where nothing is known of it.
  func beginning(of connection: ChosenSessions.Connection, at frame: UInt64) -> (
    frame: UInt64, hasSYN: Bool
  )? {
    guard let known = spans(of: connection), let index = known.index(at: frame) else { return nil }
    return known.all[index].beginning
  }

  /// The last packet of the rest of messages of a session in the clear whose last packet is `last`, where that is short; nil where there
  /// is nothing, or something else.
  func endOfBody(of connection: ChosenSessions.Connection, at first: UInt64, after last: UInt64) -> UInt64? {
    guard !survey.fragmentedLater.contains(connection), let known = spans(of: connection),
      let index = known.index(at: first), known.all[index].contested == nil, let rest = known.all[index].rest,
      rest.since == last
    else { return nil }
    // What was held back is read with the packet that ends the connection, and that may be the first of another one.
    let next = index + 1 < known.all.count ? known.all[index + 1].first : .max
    return max(last, min(rest.last, next - 1))
  }

  /// Datagrams have no streams.
  private func spans(of connection: ChosenSessions.Connection) -> Spans? {
    connection.isUDP ? nil : spans[connection.key]
  }

  /// The payload of a segment with everything taken out that is not kept.
  func reduced(
    _ payload: Bytes, of connection: ChosenSessions.Connection, in direction: Direction, sequence: UInt32,
    at frame: UInt64
  ) -> Bytes {
    if connection.isUDP { return payload }
    let key = connection.key
    guard let known = spans[key],
      let index = known.index(
        of: ConnectionLayout.Segment(frame: frame, sequence: sequence, direction: direction))
    else { return Bytes(repeating: 0, count: payload.count) }
    let span = known.all[index]
    let start = SequenceNumber(sequence)
    var result = span.flows[direction].reduced(payload, at: start)
    if index > 0, !span.hasSYN {
      // What was left out may come again when something else is spoken.
      let before = known.all[index - 1]
      let opening = frame == span.first ? (sequence: start, direction: direction) : span.firstByte
      spans[key]?.all[index].firstByte = opening
      let first = opening?.direction == direction ? opening?.sequence : nil
      before.flows[direction].leaveOutAgain(&result, at: start, before: first)
    }
    if result != payload {
      spans[key]?.all[index].flows[direction].noteLeftOut(payload.count, at: start)
    }
    return result
  }

  /// Replaces the addresses that proxies were requested to connect to.
  func hideAddresses(by anonymizer: inout Anonymizer) {
    for key in Array(spans.keys) {
      for index in spans[key]?.all.indices ?? 0..<0 {
        for direction in Direction.allCases {
          spans[key]?.all[index].flows[direction].hideAddresses(by: &anonymizer)
        }
      }
    }
  }

  /// The packets with fragments of chosen sessions, and whether they may be copied: what is to be taken out of something cannot be
  /// taken out of its fragments.
  func fragments(of chosen: ChosenSessions, in file: String, anonymizes: Bool) -> [UInt64: Bool] {
    var result: [UInt64: Bool] = [:]
    for (connection, all) in survey.joined {
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
  private func isKept(_ joined: PacketSurvey.Joined, of connection: ChosenSessions.Connection) -> Bool {
    // Bytes that are in no text.
    let probe = Bytes(repeating: 0xFF, count: joined.count)
    return reduced(
      probe, of: connection, in: joined.direction, sequence: joined.sequence, at: joined.frame)
      == probe
  }
}
