import ByteParsing

/// What bytes in front of a handshake are, for who copies a capture.
extension Conversation {
  /// Notes what is kept of a direction, without telling what it is, for what stands in for it.
  func tellKept(fromLower: Bool, unread: Int = 0) {
    var beginning = fromLower ? lower : upper
    let dropped = beginning.droppedBytes
    let (all, ends) = beginning.takeJoined()
    tell(all, ends, fromLower: fromLower, unread: dropped + unread)
  }

  /// Notes bytes that told nothing for what stands in for them; `unread` more stand behind them.
  func tell(_ all: Bytes, _ ends: [Int], fromLower: Bool, unread: Int = 0) {
    guard let first = all.first else { return }
    let isText = (0x20...0x7E).contains(first) || first == 0x0D || first == 0x0A
    trace?.add(
      .replaced(NeutralBytes.beginning(all, ends, isText: isText, upTo: all.count)), fromLower: fromLower,
      unread: unread)
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
      case .proxyProtocol, .startTLS: break
      }
    }
    traces += trace?.take(fromLower: fromLower) ?? []
    if atGap { return traces }
    if let http, !(preamble?.httpConversations.contains { $0.http === http } ?? false) {
      traces.append(http.takeTrace(fromLower: fromLower))
    }
    if hasHandshake, trace?.tellsHandshake(fromLower: fromLower) == true { traces.append(([.handshake], 0)) }
    return traces
  }
}
