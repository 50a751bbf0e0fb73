import BasicContainers
import CleartextObservation
import PacketParsing
import Reassembly
import SessionModel
import TLSObservation
import Values

extension SessionTracker {
  /// The reason why a connection is no longer watched.
  enum Ending {
    /// All cleartext was read.
    case done
    /// Both sides sent a FIN.
    case closed
    /// A RST.
    case reset(PacketReference)
    /// A new connection between the same endpoints began.
    case superseded
    /// The capture ended, or the connection became idle.
    case stillOpen
    /// A limit of this program.
    case limit

    /// Whether only retransmissions can follow on the connection.
    var isOfConnection: Bool {
      switch self {
      case .closed, .reset: true
      case .done, .superseded, .stillOpen, .limit: false
      }
    }
  }

  /// Stops watching a connection, and reports its sessions.
  mutating func close(_ index: Int, _ ending: Ending) {
    let made = shared.facts.madeBytes
    let ending = drainStreams(index, ending)
    let remains = reportConversation(index, ending, made)
    health.disagreeingBytes += UInt64(
      connections[index].streams.fromLower.disagreeingBytes + connections[index].streams.fromUpper.disagreeingBytes)
    if connections[index].isObserved { observer?.end(index) }
    if !remains.isGuess { recent.remember(table.hash(at: index), mark: remains.mark.rawValue) }
    table.remove(at: index)
    connections[index].isInUse = false
  }

  /// Reports the session of an FTP control connection after its handshake, and keeps watching: the client may end TLS with CCC and request
  /// data connections in cleartext (RFC 4217 §6). Returns false for any other connection.
  @inline(never)
  mutating func observeAfterTLS(_ index: Int) -> Bool {
    guard let slot = connections[index].conversation, conversations.slots[slot].isFTPControl else { return false }
    let remains = reportConversation(index, .done, shared.facts.madeBytes)
    connections[index].priorMark = remains.mark
    connections[index].turn = nil
    connections[index].isConversationOver = false
    // The bytes of the reported session must not be read again.
    connections[index].rereadings = SessionTracker.maximumRereadingCount
    conversations.slots[conversation(index)].beginFTPControl()
    return true
  }

  /// Reports the sessions of a connection's conversation, if there is one. `made` is the value of `madeBytes` before.
  @inline(__always)
  private mutating func reportConversation(_ index: Int, _ ending: Ending, _ made: Int) -> Remains {
    let assembly = assembly(of: index, ending)
    var remains = Remains(mark: Mark(after: assembly.connection.priorMark))
    var session: EndedSession?
    if let slot = connections[index].conversation {
      session = makeSessions(slot, index, assembly, ending, made, &remains)
    }
    countOrUncount(index, assembly, &remains)
    endTurn(index, session, remains)
    return remains
  }

  /// The data kept of a closed connection.
  private struct Remains {
    /// The mark to remember.
    var mark: Mark
    /// Its sessions of cleartext HTTP.
    var httpSessions: [ObservedSession] = []
    /// The first packet of the handshake; nil if there is none.
    var firstFrame: UInt64?
    var isDNS = false
    /// Whether its protocol is a guess: the bytes looked like SOCKS on a connection that began before the capture, and led to nothing.
    var isGuess = false
    /// The size of the sessions in bytes.
    var weight = 0
  }

  /// Reads the held segments of both directions; returns how the connection ended.
  @inline(__always)
  private mutating func drainStreams(_ index: Int, _ ending: Ending) -> Ending {
    var ending = ending
    // If both sides, or the RST's receiver after it, sent a FIN, the RST was not accepted.
    if let doubted = connections[index].doubtfulReset, !connections[index].isConversationOver,
      doubted.isAccepted || !doubted.isContradicted && !connections[index].hasBothEnds
    {
      connections[index].finish(byReset: doubted.head)
      recordClose(index, by: doubted.head, at: doubted.reference)
      ending = .reset(doubted.reference)
    }
    for direction in Direction.allCases { drainHeld(index, in: direction) }
    if !connections[index].isConversationOver, connections[index].conversation != nil {
      for direction in Direction.allCases { skipUnseenEnd(index, in: direction) }
    }
    return ending
  }

  @inline(__always)
  private func assembly(of index: Int, _ ending: Ending) -> SessionAssembly {
    var assembly = SessionAssembly(
      file: file, key: table.key(at: index), connection: connections[index].facts, ending: ending, names: shared.names.unlessEmpty)
    // The first fragment of an 802.11 frame looks truncated. The missing bytes are in the other fragments, which are counted.
    if assembly.connection.truncatedPackets > 0, health.truncatedPackets == 0, health.unread[.linkFragment] != nil {
      assembly.connection.truncatedPackets = 0
    }
    return assembly
  }

  /// Creates the sessions of a conversation, frees its slot, and returns the handshake's session. `made` is the value of `madeBytes`
  /// before.
  @inline(__always)
  private mutating func makeSessions(
    _ slot: Int, _ index: Int, _ assembly: SessionAssembly, _ ending: Ending, _ made: Int, _ remains: inout Remains
  ) -> EndedSession? {
    conversations.slots[slot].endReading(sharing: &shared)
    reportRuns(index, slot)
    if let http = conversations.slots[slot].http { makeHTTPSessions(http, slot, index, assembly, ending, &remains) }
    var session: EndedSession?
    if conversations.slots[slot].hasHandshake {
      session = isClientSilent(index) ? nil : makeHandshakeSession(slot, assembly, ending, &remains)
    } else {
      noteProtocol(slot, assembly.connection, &remains)
      // The beginning of a tunnel, or of a protocol that was not recognized yet, is not an unknown protocol.
      if conversations.slots[slot].phase != .foreign, !connections[index].hasUnknownGreeting, remains.mark.isOfUnknownProtocol {
        remains.mark = .middle
      }
    }
    remains.weight = conversations.slots[slot].weight + shared.facts.madeBytes &- made
    dropConversation(index, slot)
    return session
  }

  /// Creates the sessions of cleartext requests.
  private mutating func makeHTTPSessions(
    _ http: HTTPConversation, _ slot: Int, _ index: Int, _ assembly: SessionAssembly, _ ending: Ending, _ remains: inout Remains
  ) {
    remains.mark = http.isUpgraded ? Mark.done : Mark.middle
    if !http.isUpgraded, ending.isOfConnection {
      remains.mark = Mark(endedAt: connections[index].streams.reading(http.clientDirection) { $0.next })
    }
    if http.hitLimit { health.hostsBeyondLimit += 1 }
    let all = conversations.slots[slot].httpConversations.map(\.http)
    if all.contains(where: \.hasLongHead) { health.connectionsWithLongHeads += 1 }
    if all.contains(where: \.isConnectRefused) { health.connectionsWithRefusedConnects += 1 }
    if all.contains(where: \.hasHTTP2Tunnels) { health.connectionsWithHTTP2Tunnels += 1 }
    if all.contains(where: \.isUpgraded) { health.upgradedConnections += 1 }
    remains.httpSessions = assembly.httpSessions(conversations.slots[slot])
  }

  /// Whether the connection was captured from its start, and the client sent no byte. What a server sends then, such as an alert at a
  /// timeout, is not a response to a ClientHello.
  @inline(__always)
  private func isClientSilent(_ index: Int) -> Bool {
    // If only one direction was captured, the client may have sent anything.
    guard let opener = connections[index].opener, connections[index].priorMark == nil,
      connections[index].saw.fromLower, connections[index].saw.fromUpper
    else { return false }
    return connections[index].streams.reading(opener) { $0.position } == 0
  }

  /// Creates the session of a handshake.
  @inline(__always)
  private mutating func makeHandshakeSession(
    _ slot: Int, _ assembly: SessionAssembly, _ ending: Ending, _ remains: inout Remains
  ) -> EndedSession? {
    remains.mark = Mark(handshakeWith: conversations.slots[slot].handshake.facts.clientRandom)
    if case .reset(let reference) = ending { conversations.slots[slot].noteOutcomePacket(reference) }
    if conversations.slots[slot].handshake.hitLimit { health.oversizedMessages += 1 }
    remains.firstFrame = conversations.slots[slot].first?.frame
    return assembly.handshakeSession(&conversations.slots[slot])
  }

  /// Records the protocol of a conversation without a session.
  private func noteProtocol(_ slot: Int, _ connection: ConnectionFacts, _ remains: inout Remains) {
    if conversations.slots[slot].isDNS {
      remains.isDNS = true
    } else if conversations.slots[slot].rulesOutTLS {
      remains.mark = Mark.done
    } else if let known = conversations.slots[slot].foreignProtocol {
      // A hello that was read before is not read again.
      remains.mark = connection.priorMark.flatMap { $0.isDone ? $0 : nil } ?? Mark(known)
      remains.isGuess = known.isSOCKS && connection.opener == nil && connection.priorMark == nil
    }
  }

  /// Counts a connection without a session as one without a handshake. If a session appears later, the count is undone.
  @inline(__always)
  private mutating func countOrUncount(_ index: Int, _ assembly: SessionAssembly, _ remains: inout Remains) {
    if let first = remains.firstFrame ?? remains.httpSessions.first?.firstFrame {
      takeTurn(index, at: first)
      if let server = connections[index].priorMark?.countedServer {
        uncountWithoutHandshake(assembly.key[server])
        if connections[index].priorMark?.isSilent == true, health.connectionsWithoutData > 0 {
          health.connectionsWithoutData -= 1
        }
        if connections[index].priorMark?.isCountedWithData == true, health.connectionsWithOtherData > 0 {
          health.connectionsWithOtherData -= 1
        }
      }
    } else if !remains.isDNS, !remains.isGuess {
      remains.mark = markCounted(remains.mark, index, server(of: assembly.connection, assembly.key), assembly.ending)
    }
  }

  /// Ends the turn of a connection, with its sessions if there are any.
  @inline(__always)
  private mutating func endTurn(_ index: Int, _ session: EndedSession?, _ remains: Remains) {
    guard let turn = connections[index].turn else { return }
    var weight = remains.weight
    for http in remains.httpSessions {
      queue.add(EndedSession(http), weight: weight)
      weight = MemoryWeight.ownBytes
    }
    queue.end(turn, session, weight: weight, to: &finished)
  }

  /// Records in a handshake that an endpoint closed the connection.
  mutating func recordClose(_ index: Int, by head: SegmentHead, at reference: PacketReference) {
    guard let slot = connections[index].conversation else {
      // Bytes of a handshake may still be read: held ones, after those that the capture lacks.
      if connections[index].earlyClose == nil { connections[index].earlyClose = EarlyClose(head, frame: reference.frame) }
      return
    }
    guard conversations.slots[slot].hasHandshake else { return }
    if connections[index].followsUnseenEnd(head) {
      conversations.slots[slot].handshake.close(in: head.direction, before: reference.frame)
    } else {
      let unread = connections[index].unreadByteCount(head.direction.opposite)
      conversations.slots[slot].handshake.close(in: head.direction, isByReset: head.flags.contains(.rst), reference.frame, unread: unread)
    }
  }

  /// Records in a handshake that the receiver of a segment has closed the connection, with a FIN that was not captured.
  mutating func recordUnseenClose(_ index: Int, before head: SegmentHead, at reference: PacketReference) {
    guard let slot = connections[index].conversation, conversations.slots[slot].hasHandshake else { return }
    conversations.slots[slot].handshake.close(in: head.direction.opposite, before: reference.frame)
  }

  /// Records in a handshake that the sender of a segment has more data, and so has not closed the connection before it.
  mutating func recordContinuation(_ index: Int, in direction: Direction) {
    guard let slot = connections[index].conversation, conversations.slots[slot].hasHandshake else { return }
    conversations.slots[slot].handshake.continueAfterUnseenClose(in: direction)
  }

  /// Keeps watching if the connection was reset during the server's first flight: segments in flight still arrive, and the reset may be
  /// forged. Or if the sender of the reset has acknowledged bytes that were not read: the two directions may be captured one after the
  /// other.
  mutating func awaitRest(_ index: Int, after head: SegmentHead, at reference: PacketReference) -> Bool {
    let other = head.direction.opposite
    guard !connections[index].streams.reading(other, { $0.isFinished }) else { return false }
    var isExpected = !connections[index].isConversationOver && connections[index].hasUnreadBytes(other)
    if let slot = connections[index].conversation {
      guard conversations.slots[slot].hasHandshake else { return false }
      if connections[index].saw[other], conversations.slots[slot].handshake.awaitsServer(afterResetFrom: head.direction) {
        isExpected = true
      }
    }
    guard isExpected else { return false }
    if connections[index].doubtfulReset?.isAccepted != true {
      connections[index].accept(head, at: reference)
      recordClose(index, by: head, at: reference)
    }
    return true
  }

  /// Reads the held segments of one direction until the conversation is over, and discards the rest.
  private mutating func drainHeld(_ index: Int, in direction: Direction) {
    guard connections[index].hasHeld(direction) else { return }
    while connections[index].hasHeld(direction), !connections[index].isConversationOver {
      skipGap(index, direction, PacketReference(frame: 0, time: nil))
    }
    heldBytes -= connections[index].heldBytes(direction)
  }

  /// Skips missing bytes before the end of one direction.
  private mutating func skipUnseenEnd(_ index: Int, in direction: Direction) {
    let gap = connections[index].skipUnseenEnd(direction)
    guard gap > 0, let slot = connections[index].conversation else { return }
    let end = connections[index].streams.reading(direction) { $0.next }
    skip(index, slot, direction, gap, upTo: end, PacketReference(frame: 0, time: nil))
  }

  /// Counts a connection as one without a handshake, unless it was counted before or had a session, and records the count in its mark.
  private mutating func markCounted(_ mark: Mark, _ index: Int, _ server: Endpoint, _ ending: Ending) -> Mark {
    let prior = connections[index].priorMark
    if let prior, let server = prior.countedServer { return mark.counted(server: server, withData: prior.isCountedWithData) }
    guard prior == nil else { return mark }
    countWithoutHandshake(server)
    let reason = countReason(index, ending)
    var kept = reason == .noData && !ending.isOfConnection ? Mark.silent : mark
    // After the end of an unknown protocol, a hello begins another connection on the same ports, whose SYN is missing.
    if reason == .otherData, case .closed = ending, let opener = connections[index].opener, mark.isOfUnknownProtocol {
      kept = Mark(endedAt: connections[index].streams.reading(opener) { $0.next })
    }
    return kept.counted(server: server == table.key(at: index).lower ? .fromLower : .fromUpper, withData: reason == .otherData)
  }

  /// The reason why a connection shows no handshake.
  private enum SilenceReason {
    /// It carried other data.
    case otherData
    /// It carried none.
    case noData
    /// It was reset before it carried any.
    case reset
    /// The capture may lack some of its data.
    case unknown
  }

  /// Counts why a connection shows no handshake, and returns the reason.
  private mutating func countReason(_ index: Int, _ ending: Ending) -> SilenceReason {
    guard connections[index].opener != nil, !connections[index].hasHeldAny else { return .unknown }
    var (bytes, missing) = (0, 0)
    for direction in Direction.allCases {
      bytes += connections[index].streams.reading(direction) { $0.position }
      missing += connections[index].streams.reading(direction) { $0.missingBytes }
    }
    guard missing == 0 else { return .unknown }
    if bytes > 0 {
      health.connectionsWithOtherData += 1
      return .otherData
    }
    if case .reset = ending {
      health.connectionsReset += 1
      return .reset
    }
    health.connectionsWithoutData += 1
    return .noData
  }

  private func server(of facts: ConnectionFacts, _ key: ConnectionKey) -> Endpoint {
    guard let opener = facts.opener else { return serverOf(key) }
    return key[opener.opposite]
  }
}
