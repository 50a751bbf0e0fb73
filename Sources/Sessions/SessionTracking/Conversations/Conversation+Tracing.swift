import ByteParsing
import CleartextObservation
import HTTPParsing
import SessionModel
import TLSObservation

/// What bytes in front of a handshake are, for who copies a capture.
extension Conversation {
  /// Notes what is kept of a direction, without telling what it is, for what stands in for it.
  func tellKept(fromLower: Bool, unread: Int = 0) {
    var beginning = fromLower ? lower : upper
    let dropped = beginning.droppedBytes
    let (all, ends) = beginning.takeJoined()
    tell(all, ends, fromLower: fromLower, unread: dropped + unread)
    trace?.add(.content(dropped), fromLower: fromLower, unread: unread)
  }

  /// Notes bytes that begin nothing and are given up.
  func tellNothing(_ piece: Span<UInt8>, fromLower: Bool) {
    // So many zeros begin nothing either.
    if piece.count >= 4 {
      trace?.add(.content(piece.count), fromLower: fromLower)
    } else if trace != nil {
      tell(Bytes(copying: piece), [piece.count], fromLower: fromLower)
    }
  }

  /// Notes what is kept of a direction and is read as records of TLS, as far as it stands in front of the first one.
  func tellKeptOfHandshake(_ parts: [(bytes: Bytes, moment: Moment)], fromLower: Bool, dropped: Int) {
    guard let byte = parts.first?.bytes.first, !StreamBeginning.mayBeRecord(beginningWith: byte) else {
      return
    }
    let first = parts.firstIndex { RecordStream.seemsToBegin(in: $0.bytes.span) } ?? parts.count
    let (all, ends) = StreamBeginning.joined(parts[..<first])
    let left = parts[first...].reduce(0) { $0 + $1.bytes.count }
    tell(all, ends, fromLower: fromLower, unread: left + dropped)
  }

  /// Notes bytes that told nothing for what stands in for them; `unread` more stand behind them.
  func tell(_ all: Bytes, _ ends: [Int], fromLower: Bool, unread: Int = 0) {
    guard let first = all.first else { return }
    let isText = (0x20...0x7E).contains(first) || first == 0x0D || first == 0x0A
    trace?.add(
      .replaced(NeutralBytes.beginning(all, ends, isText: isText, upTo: all.count)), fromLower: fromLower,
      unread: unread)
  }

  /// Notes what one direction said before a request of the other, where it is no answer: those have a trace of their own.
  func tellEarly(_ parts: [(bytes: Bytes, moment: Moment)], fromLower: Bool, dropped: Int) {
    let (all, ends) = StreamBeginning.joined(parts)
    if HTTPRecognition.response(all.span) == .no { tell(all, ends, fromLower: fromLower, unread: dropped) }
  }

  /// Notes what nothing is read of behind the beginning of a handshake; that it is an HTTP response is to be seen.
  mutating func tellUnread(_ piece: Span<UInt8>, to trace: PreambleTrace, fromLower: Bool) {
    let unread = handshake.takeUnread(fromLower: fromLower)
    let kept = unread == piece.count ? Handshake.lengthOfHTTPStart(of: piece) : 0
    trace.addUnread(unread - kept, fromLower: fromLower)
  }

  /// Notes what was kept of a direction and is given up for a gap.
  func tellLost(fromLower: Bool) {
    let beginning = fromLower ? lower : upper
    if !beginning.keepsForLater { tellKept(fromLower: fromLower) }
  }

  /// Gives out what the bytes of one direction are, in the order of what they were read by, and how many of those that came
  /// are not told apart by it. Where a gap comes next, cleartext HTTP waits: it tells of gaps as of bytes.
  func takeTraces(fromLower: Bool, atGap: Bool) -> [(runs: [MessageTrace.Run], unread: Int)] {
    var traces: [(runs: [MessageTrace.Run], unread: Int)] = []
    for layer in preamble?.layers ?? [] {
      switch layer {
      case .socks(let socks): traces.append(socks.takeTrace(fromLower: fromLower))
      case .httpConnect(let http), .httpUpgrade(let http):
        if !atGap, !http.isTraceOver(fromLower: fromLower) {
          traces.append(http.takeTrace(fromLower: fromLower))
        }
      case .proxyProtocol, .startTLS, .ftpData: break
      }
    }
    traces += trace?.take(fromLower: fromLower) ?? []
    if atGap { return traces }
    if let http, !(preamble?.httpConversations.contains { $0.http === http } ?? false) {
      traces.append(http.takeTrace(fromLower: fromLower))
    }
    if hasHandshake, trace?.tellsHandshake(fromLower: fromLower) == true { traces.append(([.handshake], 0)) }
    traces += trace?.takeUnread(fromLower: fromLower) ?? []
    return traces
  }
}
