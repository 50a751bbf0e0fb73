import ByteParsing
import CleartextObservation
import SessionModel

/// What leads to a tunnel: cleartext HTTP, SOCKS, and dialogues that change to TLS.
extension Conversation {
  /// Takes note of what was passed through, and begins anew; false where there is too much of it.
  mutating func pass(_ layer: Preamble.Layer) -> Bool {
    let preamble = preamble ?? Preamble()
    self.preamble = preamble
    preamble.dialogue = nil
    preamble.socks = nil
    guard preamble.append(layer) else {
      phase = .foreign
      return false
    }
    return true
  }

  mutating func readHTTP(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout ObservationTables
  ) {
    guard let http else { return }
    let end = http.consume(piece, fromLower: fromLower, at: moment)
    if http.tunnelTarget != nil || http.isUpgradedToTLS {
      http.leave(piece.count - end, fromLower: fromLower)
      enterTunnel(http, &shared)
      guard end < piece.count, phase != .foreign else { return }
      consume(piece.extracting(end..<piece.count), fromLower: fromLower, at: moment, sharing: &shared)
      return
    }
    if end < piece.count, fromLower == http.isClientLower, http.awaitsTunnel {
      goAhead(piece.extracting(end..<piece.count), http, moment, &shared)
    }
    // What is read again may lead here once more, very often if a client wants it so: only the first one goes on.
    guard !http.isRefeeding else { return }
    http.isRefeeding = true
    while let part = http.nextRefed() {
      consume(part.bytes.span, fromLower: http.isClientLower, at: part.moment, sharing: &shared)
    }
    http.isRefeeding = false
  }

  /// Goes on behind a proxy's answer, or an upgrade, with what either end said ahead of it.
  private mutating func enterTunnel(_ http: HTTPConversation, _ shared: inout ObservationTables) {
    let ahead = http.takeAhead()
    let behind = http.takeBehind()
    guard pass(http.isUpgradedToTLS ? .httpUpgrade(http) : .httpConnect(http)) else { return }
    beginAnew()
    consume(ahead, fromLower: http.isClientLower, sharing: &shared)
    consume(behind, fromLower: !http.isClientLower, sharing: &shared)
  }

  /// Reads what a client says behind a CONNECT that has not been answered. One that goes on with a hello or with a request has been
  /// answered, be the answer late in the capture or lost: with consent, unless it asks the proxy once more.
  mutating func goAhead(
    _ piece: Span<UInt8>, _ http: HTTPConversation, _ moment: Moment, _ shared: inout ObservationTables
  ) {
    switch http.keepAhead(piece, at: moment) {
    case .askingProxy:
      http.takeTunnelForRefused()
    case .throughTunnel:
      http.takeTunnelForOpened()
      enterTunnel(http, &shared)
    case .undecided: return
    }
  }

  mutating func readDialogue(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout ObservationTables,
    beginningAt ends: [Int] = []
  ) {
    guard let dialogue = preamble?.dialogue else { return }
    let form = dialogue.form
    let held = dialogue.keptBytes(fromLower: fromLower)
    let hello = dialogue.consume(piece, fromLower: fromLower, at: moment)
    if let trace {
      let rest = hello?.reduce(0) { $0 + $1.bytes.count } ?? dialogue.keptBytes(fromLower: fromLower)
      if form.isFramed {
        var behind = rest + dialogue.runs.reduce(0) { $0 + $1.count }
        for run in dialogue.runs {
          behind -= run.count
          trace.add(run, fromLower: fromLower, unread: behind)
        }
      } else {
        // A hello may have begun in an earlier piece.
        let said = max(0, piece.count - rest)
        let isText = form.isText
        let ports = FTPDataPorts.announcements(in: piece)
        let neutral =
          ends.isEmpty
          ? NeutralBytes.filling(piece, isText: isText, upTo: said) {
            form.refined(by: $0) == dialogue.form && FTPDataPorts.announcements(in: $0) == ports
          }
          : NeutralBytes.beginning(Bytes(copying: piece), ends, isText: isText, upTo: said)
        trace.add(
          .content(max(0, held + piece.count - rest - said)), fromLower: fromLower, unread: rest + said)
        trace.add(.replaced(neutral), fromLower: fromLower, unread: rest)
      }
    }
    guard let parts = hello else {
      if dialogue.isOver { phase = .foreign }
      return
    }
    guard pass(.startTLS(dialogue.form)) else { return }
    beginAnew()
    for part in parts { consume(part.bytes.span, fromLower: fromLower, at: part.moment, sharing: &shared) }
  }

  mutating func readSOCKS(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout ObservationTables
  ) {
    guard let socks = preamble?.socks else { return }
    socks.consume(piece, fromLower: fromLower)
    switch socks.state {
    case .negotiating: return
    case .failed:
      guard StreamBeginning.canBeginAnew(piece) else { return leaveSOCKS() }
      // What was taken for SOCKS was none.
      leaveSOCKS(unread: fromLower == socks.isClientLower ? piece.count : 0)
      preamble?.socks = nil
      if preamble?.layers.isEmpty == true { preamble = nil }
      beginAnew()
      isBehindWords = true
      begin(piece, fromLower, moment, &shared)
    case .open:
      guard pass(.socks(socks)) else { return }
      beginAnew()
      awaitsReply = (socks.awaitsReply, !socks.isClientLower)
      for isLower in [socks.isClientLower, !socks.isClientLower] {
        let rest = socks.rest(fromLower: isLower)
        if !rest.isEmpty { consume(rest.span, fromLower: isLower, at: moment, sharing: &shared) }
      }
    }
  }

  /// Gives up on a SOCKS proxy; what it was begun with marks what may follow.
  mutating func leaveSOCKS(unread: Int = 0) {
    phase = .foreign
    guard let trace, let socks = preamble?.socks else { return }
    let said = Bytes(socks.clientBytes.dropLast(unread))
    trace.add(
      .replaced(NeutralBytes.beginning(said, [], isText: false, upTo: said.count)),
      fromLower: socks.isClientLower, unread: unread)
  }

  /// Steps over a proxy's answer that comes when the client has gone on.
  mutating func readReply(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout ObservationTables
  ) {
    guard
      case .socks(let socks)? = preamble?.layers.last(where: { if case .socks = $0 { true } else { false } })
    else { return }
    socks.consume(piece, fromLower: fromLower)
    guard !socks.awaitsReply else { return }
    awaitsReply.isSo = false
    let rest = socks.rest(fromLower: fromLower)
    if !rest.isEmpty { consume(rest.span, fromLower: fromLower, at: moment, sharing: &shared) }
  }

  /// Expects no more of a proxy's answer than has come.
  mutating func endReply() {
    awaitsReply.isSo = false
    for case .socks(let socks) in preamble?.layers ?? [] where socks.awaitsReply {
      socks.skip(fromLower: !socks.isClientLower)
    }
  }

  /// Takes what comes next for a conversation of its own.
  mutating func beginAnew() {
    phase = .undecided
    lower = StreamBeginning()
    upper = StreamBeginning()
    (first, last) = (nil, nil)
    needsNewTicket = true
  }
}
