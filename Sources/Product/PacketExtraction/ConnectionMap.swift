import ByteParsing
import PacketParsing
import Reassembly
import Values

/// Where the connections of a capture begin and end, and which of their cleartext an extract may keep. It is based on a pass that reads the
/// capture like an audit.
final class ConnectionMap {
  /// One connection between two endpoints, which may have had earlier connections.
  private struct Span {
    let first: UInt64
    let hasSYN: Bool
    /// The frame at which a second connection with the same endpoints begins; from there a frame number alone no longer identifies the
    /// connection.
    let contested: UInt64?
    /// The first frame of everything that led to the connection, and whether that is a SYN.
    var beginning: (frame: UInt64, hasSYN: Bool)
    /// The sequence number and direction of the connection's first byte, once that has been copied.
    var firstByte: (sequence: SequenceNumber, direction: Direction)?
    /// The data read after the last packet of a cleartext session; nil if there is none, or if it must not be copied.
    var rest: Rest?
    /// The end of a gap in which a request was lost, until a packet that shows the gap has been copied.
    var lostRequest: (direction: Direction, end: SequenceNumber)?
    var flows: BothDirections<Flow>
  }

  /// The rest of a message body, read after the last packet of a cleartext session.
  private struct Rest {
    /// The last frame of the session, and the last frame of the rest.
    let since: UInt64
    let last: UInt64
  }

  /// The connections between two endpoints, in the order in which they began.
  private struct Spans {
    var all: [Span] = []
    /// For each segment captured while several of these connections were open: the index of its connection.
    var taken: [ConnectionLayout.Segment: Int] = [:]

    /// The index of the connection that a segment belongs to; nil if unknown.
    func index(of segment: ConnectionLayout.Segment) -> Int? {
      if let known = taken[segment] { return known }
      return index(at: segment.frame).flatMap { segment.frame < all[$0].contested ?? .max ? $0 : nil }
    }

    /// The index of the last connection that began at or before a frame.
    func index(at frame: UInt64) -> Int? {
      let next = all.partitioningIndex { $0.first > frame }
      return next > 0 ? next - 1 : nil
    }
  }

  /// Whether there is too much cleartext to track, so that an extract zeros some that it should keep.
  let losesCleartext: Bool

  /// The frames in which a connection contained an unreadable request, each with the frame read before it.
  private(set) var misread: [ChosenSessions.Connection: [(frame: UInt64, before: UInt64)]] = [:]

  let layouts: ConnectionLayouts

  /// Facts about packets that do not depend on the streams they belong to.
  let survey: PacketSurvey

  private var spans: [ConnectionKey: Spans] = [:]

  /// The longest rest of a message body that is copied, as zeros.
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
          first: layout.first, hasSYN: layout.hasSYN, contested: layout.contested, beginning: (layout.first, layout.hasSYN),
          rest: ConnectionMap.rest(of: layout), lostRequest: layout.lostRequest,
          flows: BothDirections(fromLower: Flow(layout, .fromLower), fromUpper: Flow(layout, .fromUpper)))
        // Without a SYN, this continues an earlier connection that tracking had dropped and picked up again.
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

  /// The bytes read after the last cleartext session, if they are the rest of messages and short enough.
  private static func rest(of layout: ConnectionLayout) -> Rest? {
    let ends = layout.requestEnds
    let last = Direction.allCases.compactMap { layout.parts[$0].last?.frame }.max() ?? 0
    let next = ends.partitioningIndex { $0 >= last }
    guard next > 0 else { return nil }
    var count = 0
    for direction in Direction.allCases {
      for part in layout.parts[direction].reversed().prefix(while: { $0.frame > ends[next - 1] }) {
        switch part.replacement {
        case .zeros, .same(isFraming: true): count += part.count
        default: return nil
        }
        if count > maximumRestLength { return nil }
      }
    }
    return Rest(since: ends[next - 1], last: last)
  }

  /// The first frame of what led to a packet's connection, and whether that is a SYN; nil if the connection is unknown.
  func beginning(of connection: ChosenSessions.Connection, at frame: UInt64) -> (frame: UInt64, hasSYN: Bool)? {
    guard let known = spans(of: connection), let index = known.index(at: frame) else { return nil }
    return known.all[index].beginning
  }

  /// The last frame of the message body that follows frame `last`; nil if there is none, or it exceeds `maximumRestLength`.
  func endOfBody(of connection: ChosenSessions.Connection, at first: UInt64, after last: UInt64) -> UInt64? {
    guard !survey.fragmentedLater.contains(connection), let known = spans(of: connection), let index = known.index(at: first),
      known.all[index].contested == nil, let rest = known.all[index].rest, rest.since == last
    else { return nil }
    // Buffered data is read when its connection ends, and that may be at the first packet of the next connection.
    let next = index + 1 < known.all.count ? known.all[index + 1].first : .max
    return max(last, min(rest.last, next - 1))
  }

  /// Whether a segment is the first that shows the gap in which a request was lost: it is after the gap, or acknowledges it.
  func isFirstAfterLostRequest(_ headers: PacketHeaders, at frame: UInt64) -> Bool {
    let (key, direction) = ConnectionKey.make(headers)
    let start = SequenceNumber(headers.sequence)
    let segment = ConnectionLayout.Segment(frame: frame, sequence: start.rawValue, direction: direction)
    guard let known = spans[key], let index = known.index(of: segment), let lost = known.all[index].lostRequest else { return false }
    let shown: SequenceNumber
    if direction != lost.direction {
      guard headers.flags.contains(.ack) else { return false }
      shown = SequenceNumber(headers.acknowledgment)
    } else {
      guard headers.payloadLengthOnWire > 0 || headers.flags.changeConnection else { return false }
      shown = start.advanced(by: headers.payloadLengthOnWire)
    }
    guard lost.end.distance(to: shown) >= 0 else { return false }
    spans[key]?.all[index].lostRequest = nil
    return true
  }

  /// The connections between the endpoints; nil for UDP, which has no streams.
  private func spans(of connection: ChosenSessions.Connection) -> Spans? {
    connection.isUDP ? nil : spans[connection.key]
  }

  /// The redacted payload of a segment.
  func reduced(_ payload: Bytes, of connection: ChosenSessions.Connection, in direction: Direction, sequence: UInt32, at frame: UInt64)
    -> Bytes
  {
    if connection.isUDP { return payload }
    let key = connection.key
    guard let known = spans[key],
      let index = known.index(of: ConnectionLayout.Segment(frame: frame, sequence: sequence, direction: direction))
    else { return Bytes(repeating: 0, count: payload.count) }
    let span = known.all[index]
    let start = SequenceNumber(sequence)
    var result = span.flows[direction].reduced(payload, at: start)
    if index > 0, !span.hasSYN {
      // Redacted bytes may be retransmitted after the protocol has changed.
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

  /// Replaces the addresses that clients requested from proxies.
  func hideAddresses(by anonymizer: inout Anonymizer) {
    for key in Array(spans.keys) {
      for index in spans[key]?.all.indices ?? 0..<0 {
        for direction in Direction.allCases {
          spans[key]?.all[index].flows[direction].hideAddresses(by: &anonymizer)
        }
      }
    }
  }
}
