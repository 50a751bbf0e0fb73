import ByteParsing
import CleartextObservation
import SessionModel
import Values

/// Protocols that lead to a tunnel: cleartext HTTP, SOCKS, and dialogues that change to TLS.
extension Conversation {
  /// Adds a layer around the conversation; returns false if there are too many.
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

  mutating func readHTTP(_ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables) {
    guard let http else { return }
    let end = http.consume(piece, in: direction, at: reference)
    if http.leadsToAnotherProtocol {
      enterTunnel(http, before: piece.extracting(end..<piece.count), direction, reference, &shared)
      return
    }
    if end < piece.count, direction == http.clientDirection, http.awaitsTunnel {
      readEarlyTunnelBytes(piece.extracting(end..<piece.count), http, reference, &shared)
    }
    // Reading parts again may lead here recursively, as often as a client chooses. Only the outermost call reads them.
    guard !http.isReplaying else { return }
    http.isReplaying = true
    while let part = http.nextReplayed() {
      consume(part.bytes.span, in: http.clientDirection, at: part.reference, sharing: &shared)
    }
    http.isReplaying = false
  }

  /// Continues after a proxy's response, or after an upgrade: with the bytes that either endpoint sent early, and with the rest of the
  /// current piece.
  private mutating func enterTunnel(
    _ http: HTTPConversation, before rest: Span<UInt8>, _ direction: Direction, _ reference: PacketReference,
    _ shared: inout ObservationTables
  ) {
    let early = http.takeEarlyTunnelBytes()
    let following = http.takeFollowing()
    guard http.isUnexplainedTLS || pass(http.isUpgradedToTLS ? .httpUpgrade(http) : .httpConnect(http)) else {
      account?.add(.content(early.reduce(0) { $0 + $1.bytes.count }), in: http.clientDirection)
      account?.add(.content(following.parts.reduce(following.missing) { $0 + $1.bytes.count }), in: http.clientDirection.opposite)
      account?.add(.content(rest.count), in: direction)
      return
    }
    restart()
    if http.isUnexplainedTLS {
      beginnings[http.clientDirection].isLost = true
      followsGreeting = true
    }
    awaitsReply = preamble?.awaited?.direction
    consume(early, in: http.clientDirection, sharing: &shared)
    if direction == http.clientDirection, rest.count > 0 { consume(rest, in: direction, at: reference, sharing: &shared) }
    consume(following, in: http.clientDirection.opposite, at: reference, sharing: &shared)
    if direction != http.clientDirection, rest.count > 0 { consume(rest, in: direction, at: reference, sharing: &shared) }
  }

  /// Reads the bytes that a client sends after a CONNECT without a response. If the client continues, the proxy has answered (late or
  /// unseen): positively, unless the client sends another proxy request.
  mutating func readEarlyTunnelBytes(
    _ piece: Span<UInt8>, _ http: HTTPConversation, _ reference: PacketReference, _ shared: inout ObservationTables
  ) {
    switch http.keepEarlyTunnelBytes(piece, at: reference) {
    case .toProxy:
      http.assumeTunnelRefused()
    case .throughTunnel:
      http.assumeTunnelOpened()
      enterTunnel(http, before: piece.extracting(first: 0), http.clientDirection, reference, &shared)
    case .undecided: return
    }
  }

  mutating func readDialogue(
    _ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables,
    isBeginning: Bool = false
  ) {
    guard let dialogue = preamble?.dialogue else { return }
    let foreignProtocol = dialogue.foreignProtocol
    let held = dialogue.keptBytes(in: direction)
    let hello = dialogue.consume(piece, in: direction, at: reference)
    let rest = hello?.reduce(0) { $0 + $1.bytes.count } ?? dialogue.keptBytes(in: direction)
    if let account {
      if foreignProtocol.isFramed {
        account.add(dialogue.runs, in: direction)
      } else {
        // A hello may have begun in an earlier piece.
        let dialogueByteCount = max(0, piece.count - rest)
        account.add(.content(held + piece.count - rest - dialogueByteCount), in: direction)
        account.add(
          isBeginning
            ? .beginning(dialogueByteCount, of: foreignProtocol)
            : .continuation(dialogueByteCount, of: foreignProtocol, refined: dialogue.foreignProtocol), in: direction)
      }
    }
    guard let parts = hello else {
      if dialogue.isOver { phase = .foreign }
      return
    }
    let reply = UpgradeReply(before: parts, from: direction.opposite)
    guard pass(.startTLS(dialogue.foreignProtocol, reply)) else {
      account?.add(.content(rest), in: direction)
      return
    }
    restart()
    awaitsReply = preamble?.awaited?.direction
    consume(parts, in: direction, sharing: &shared)
  }

  mutating func readSOCKS(_ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables) {
    guard let socks = preamble?.socks else { return }
    socks.consume(piece, in: direction, at: reference)
    switch socks.state {
    case .negotiating: return
    case .failed:
      guard StreamBeginning.newBeginning(piece) != nil else { return leaveSOCKS() }
      // The earlier bytes were not SOCKS.
      leaveSOCKS(unread: direction == socks.clientDirection ? piece.count : 0)
      beginAfterSOCKS()
      begin(piece, direction, reference, &shared)
    case .open: enterTunnel(socks, reference, &shared)
    }
  }

  /// Continues after a SOCKS negotiation. The capture lacks the next `missing` bytes of the client.
  private mutating func enterTunnel(
    _ socks: SOCKSNegotiation, missing: Int = 0, _ reference: PacketReference, _ shared: inout ObservationTables
  ) {
    guard pass(.socks(socks)) else { return }
    for sender in Direction.allCases { account?.add(socks.runs(of: sender), in: sender) }
    restart()
    awaitsReply = preamble?.awaited?.direction
    if missing > 0 { skip(missing: missing, in: socks.clientDirection, at: reference, sharing: &shared) }
    let rest = socks.takeClientRest()
    if !rest.isEmpty { consume(rest.span, in: socks.clientDirection, at: reference, sharing: &shared) }
    consume(socks.takeFollowing(), in: socks.clientDirection.opposite, at: reference, sharing: &shared)
  }

  /// Records bytes of a SOCKS negotiation that the capture lacks.
  mutating func skipSOCKS(missing count: Int, in direction: Direction, at reference: PacketReference, _ shared: inout ObservationTables) {
    guard let socks = preamble?.socks else { return }
    let isInNegotiation = !socks.hasReply
    socks.skip(missing: count, in: direction)
    switch socks.state {
    case .negotiating: if isInNegotiation { missingBytes += count }
    case .failed:
      missingBytes += count
      leaveSOCKS()
      account?.add(.content(count), in: direction)
      beginAfterSOCKS()
    case .open: enterTunnel(socks, missing: count, reference, &shared)
    }
  }

  /// Abandons a SOCKS negotiation. The connection keeps its mark in case TLS follows.
  mutating func leaveSOCKS(unread: Int = 0) {
    phase = .foreign
    guard let socks = preamble?.socks else { return }
    account?.add(.beginning(socks.clientBytes.count - unread, of: socks.foreignProtocol), in: socks.clientDirection)
  }

  /// Begins again after bytes that were not SOCKS, or whose rest the capture lacks; TLS may follow.
  private mutating func beginAfterSOCKS() {
    preamble?.socks = nil
    if preamble?.layers.isEmpty == true { preamble = nil }
    restart()
    followsGreeting = true
  }

  /// Skips a proxy's reply that arrives after the client has continued.
  mutating func readReply(_ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables) {
    var rest = Bytes()
    switch preamble?.awaited?.layer {
    case .socks(let socks):
      socks.consume(piece, in: direction, at: reference)
      guard !socks.awaitsReply else { return }
      account?.add(socks.runs(of: direction), in: direction)
      awaitsReply = preamble?.awaited?.direction
      return consume(socks.takeFollowing(), in: direction, at: reference, sharing: &shared)
    case .httpConnect(let http):
      guard let end = http.readReply(piece, at: reference) else { return }
      rest.append(copying: piece.extracting(end..<piece.count))
    case .startTLS(_, let reply?):
      guard let (length, following) = reply.consume(piece) else { return }
      account?.add(.content(length), in: direction)
      rest = following
    default: return
    }
    awaitsReply = preamble?.awaited?.direction
    if !rest.isEmpty { consume(rest.span, in: direction, at: reference, sharing: &shared) }
  }

  /// Ends the wait for the rest of a proxy's reply.
  mutating func endReply() {
    awaitsReply = nil
    for layer in preamble?.layers ?? [] {
      switch layer {
      case .socks(let socks) where socks.awaitsReply:
        socks.skip(missing: 0, in: socks.clientDirection.opposite)
        account?.add(socks.runs(of: socks.clientDirection.opposite), in: socks.clientDirection.opposite)
      case .httpConnect(let http): http.endReply()
      case .startTLS(_, let reply?) where reply.awaitsReply: account?.add(.content(reply.end()), in: reply.direction)
      default: continue
      }
    }
  }

  /// Begins a separate conversation with the next bytes.
  mutating func restart() {
    phase = .undecided
    beginnings = BothDirections(StreamBeginning())
    (first, last) = (nil, nil)
    needsNewTurn = true
  }
}
