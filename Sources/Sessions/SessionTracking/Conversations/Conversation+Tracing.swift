import ByteParsing
import CleartextObservation
import HTTPParsing
import SessionModel
import TLSObservation
import Values

/// What bytes in front of a handshake are, for who copies a capture.
extension Conversation {
  /// Notes what is kept of a direction, without telling what it is, for what stands in for it.
  func tellKept(in direction: Direction, unread: Int = 0) {
    var beginning = beginnings[direction]
    let dropped = beginning.droppedBytes
    let (all, ends) = beginning.takeJoined()
    tell(all, ends, in: direction, unread: dropped + unread)
    trace?.add(.content(dropped), in: direction, unread: unread)
  }

  /// Notes bytes that begin nothing and are given up.
  func tellNothing(_ piece: Span<UInt8>, in direction: Direction) {
    // So many zeros begin nothing either.
    if piece.count >= 4 {
      trace?.add(.content(piece.count), in: direction)
    } else if trace != nil {
      tell(Bytes(copying: piece), [piece.count], in: direction)
    }
  }

  /// Notes what is kept of a direction and is read as records of TLS, as far as it stands in front of the first one.
  func tellKeptOfHandshake(
    _ parts: [(bytes: Bytes, moment: PacketReference)], in direction: Direction, dropped: Int
  ) {
    guard let byte = parts.first?.bytes.first, !StreamBeginning.mayBeRecord(beginningWith: byte) else {
      return
    }
    let first = parts.firstIndex { RecordStream.seemsToBegin(in: $0.bytes.span) } ?? parts.count
    let (all, ends) = StreamBeginning.joined(parts[..<first])
    let left = parts[first...].reduce(0) { $0 + $1.bytes.count }
    tell(all, ends, in: direction, unread: left + dropped)
  }

  /// Notes bytes that told nothing for what stands in for them; `unread` more stand behind them.
  func tell(_ all: Bytes, _ ends: [Int], in direction: Direction, unread: Int = 0) {
    guard let first = all.first else { return }
    let isText = (0x20...0x7E).contains(first) || first == 0x0D || first == 0x0A
    trace?.add(
      .replaced(NeutralBytes.beginning(all, ends, isText: isText, upTo: all.count)), in: direction,
      unread: unread)
  }

  /// Notes what one direction said before a request of the other, where it is no answer: those have a trace of their own.
  func tellEarly(_ parts: [(bytes: Bytes, moment: PacketReference)], in direction: Direction, dropped: Int) {
    let (all, ends) = StreamBeginning.joined(parts)
    if HTTPRecognition.response(all.span) == .no { tell(all, ends, in: direction, unread: dropped) }
  }

  /// Notes what nothing is read of behind the beginning of a handshake; that it is an HTTP response is to be seen.
  mutating func tellUnread(_ piece: Span<UInt8>, to trace: PreambleTrace, in direction: Direction) {
    let unread = handshake.takeUnread(in: direction)
    let kept = unread == piece.count ? Handshake.lengthOfHTTPStart(of: piece) : 0
    trace.addUnread(unread - kept, in: direction)
  }

  /// Notes what was kept of a direction and is given up for a gap.
  func tellLost(in direction: Direction) {
    let beginning = beginnings[direction]
    if !beginning.keepsForLater { tellKept(in: direction) }
  }

  /// Gives out what the bytes of one direction are, in the order of what they were read by, and how many of those that came
  /// are not told apart by it. Where a gap comes next, cleartext HTTP waits: it tells of gaps as of bytes.
  func takeTraces(in direction: Direction, atGap: Bool) -> [(runs: [MessageTrace.Run], unread: Int)] {
    var traces: [(runs: [MessageTrace.Run], unread: Int)] = []
    for layer in preamble?.layers ?? [] {
      switch layer {
      case .socks(let socks): traces.append(socks.takeTrace(in: direction))
      case .httpConnect(let http), .httpUpgrade(let http):
        if !atGap, !http.isTraceOver(in: direction) {
          traces.append(http.takeTrace(in: direction))
        }
      case .proxyProtocol, .startTLS, .ftpData: break
      }
    }
    traces += trace?.take(in: direction) ?? []
    if atGap { return traces }
    if let http, !(preamble?.httpConversations.contains { $0.http === http } ?? false) {
      traces.append(http.takeTrace(in: direction))
    }
    if hasHandshake, trace?.tellsHandshake(in: direction) == true { traces.append(([.handshake], 0)) }
    traces += trace?.takeUnread(in: direction) ?? []
    return traces
  }
}
