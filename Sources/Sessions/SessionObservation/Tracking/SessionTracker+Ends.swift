import BasicContainers
import PacketParsing
import Reassembly
import Values

extension SessionTracker {
  /// Why a connection is no longer watched.
  enum Ending {
    /// Everything in the clear has been seen.
    case done
    /// Both sides closed.
    case closed
    /// A RST.
    case reset(Moment)
    /// A new connection between the same ends began.
    case superseded
    /// The capture ended, or the connection fell silent.
    case stillOpen
    /// A limit of ours.
    case limit

    /// Whether nothing more is said on the connection, but again.
    var isOfConnection: Bool {
      switch self {
      case .closed, .reset: true
      case .done, .superseded, .stillOpen, .limit: false
      }
    }
  }

  /// Stops watching a connection and hands in what was seen of it.
  mutating func close(_ index: Int, _ ending: Ending) {
    let made = shared.madeBytes
    var ending = ending
    // Both ends that come to the end of what they say have not heeded a reset, nor has its receiver that does so behind it.
    if let doubted = connections[index].doubtfulReset, !connections[index].isConversationOver,
      doubted.isHeeded || !doubted.isContradicted && !connections[index].hasBothEnds
    {
      connections[index].finish(byReset: doubted.head)
      ending = .reset(doubted.moment)
    }
    settleHeld(index, fromLower: true)
    settleHeld(index, fromLower: false)
    if !connections[index].isConversationOver, connections[index].conversation >= 0 {
      settleEnd(index, fromLower: true)
      settleEnd(index, fromLower: false)
    }
    let key = table.key(at: index)
    var assembly = SessionAssembly(
      file: file, key: key, connection: connections[index].facts, ending: ending,
      names: shared.nameTable.unlessEmpty)
    // The first fragment of an 802.11 frame looks cut; what it lacks is in the others, which are counted.
    if assembly.connection.truncatedPackets > 0, counts.truncatedPackets == 0,
      counts.unread[.linkFragment] != nil
    {
      assembly.connection.truncatedPackets = 0
    }
    // What was spoken in front is not forgotten for something that looked like a beginning.
    var mark =
      assembly.connection.priorMark.flatMap { ForeignProtocol(rawValue: $0)?.rawValue } ?? Mark.foreign
    var httpSessions: [ObservedSession] = []
    var session: ObservedSession?
    var firstFrame: UInt64?
    var isNameService = false
    // What looked like SOCKS on a connection that began before the capture, and led to nothing, may be anything.
    var isGuess = false
    var weight = 0
    let place = Int(connections[index].conversation)
    if place >= 0 {
      conversations[place].breakOff(sharing: &shared)
      if listener != nil { tellTraces(index, place, true, upTo: connections[index].lower.next) }
      if let http = conversations.places[place].http {
        mark = http.isUpgraded ? Mark.done : Mark.middle
        if !http.isUpgraded, ending.isOfConnection {
          let client = http.isClientLower ? connections[index].lower : connections[index].upper
          mark = Mark.ended(at: client.next)
        }
        if http.hitLimit { counts.hostsBeyondLimit += 1 }
        if conversations.places[place].httpConversations.contains(where: { $0.http.hasLongHead }) {
          counts.connectionsWithLongHeads += 1
        }
        httpSessions = assembly.httpSessions(conversations.places[place])
      }
      if conversations.places[place].hasHandshake {
        mark = Mark.done(conversations.places[place].handshake.facts.clientRandom)
        if case .reset(let moment) = ending { conversations[place].settle(at: moment) }
        if conversations.places[place].handshake.hitLimit { counts.oversizedMessages += 1 }
        firstFrame = conversations.places[place].first?.frame
        session = assembly.handshakeSession(&conversations[place])
      } else if conversations.places[place].hasNames {
        isNameService = true
      } else if conversations.places[place].isSettledWithoutTLS {
        mark = Mark.done
      } else if let spoken = conversations.places[place].foreignProtocol {
        mark = spoken.rawValue
        isGuess =
          spoken.isSOCKS && assembly.connection.isOpenedByLower == nil && assembly.connection.priorMark == nil
      }
      openBytes -= conversations.places[place].weight
      weight = conversations.places[place].weight + shared.madeBytes &- made
      connections[index].conversation = -1
      conversations.end(place, isTaken: firstFrame != nil)
    }
    if let first = firstFrame ?? httpSessions.first?.firstFrame {
      drawTicket(index, at: first)
      if let isLower = Mark.countedServerIsLower(connections[index].priorMark) {
        takeBackWithoutHandshake(isLower ? key.lower : key.upper)
      }
    } else if !isNameService, !isGuess {
      mark = markCounted(mark, index, server(of: assembly.connection, key))
    }
    if let ticket = connections[index].ticket {
      for http in httpSessions {
        queue.add(http, weight: weight)
        weight = MemoryWeight.ownBytes
      }
      queue.handIn(ticket, consume session, weight: weight, to: &finished)
    }
    counts.disagreeingBytes += UInt64(assembly.connection.disagreeingBytes)
    if listener != nil { tellEnd(index) }
    if !isGuess { recent.remember(table.hash(at: index), mark: mark) }
    table.remove(at: index)
    connections[index].isInUse = false
  }

  /// Tells a handshake that one end closes the connection.
  mutating func tellClose(_ index: Int, by head: SegmentHead, at moment: Moment) {
    let place = Int(connections[index].conversation)
    guard place >= 0, conversations.places[place].hasHandshake else { return }
    conversations[place].handshake.close(
      fromLower: head.fromLower, isByReset: head.flags.contains(.rst), moment.frame)
  }

  /// Goes on to watch a connection that its client has reset before the server's first flight was over, if it is so: what the server
  /// had under way stands behind the RST.
  mutating func awaitsServer(_ index: Int, behind head: SegmentHead, at moment: Moment) -> Bool {
    let place = Int(connections[index].conversation)
    guard place >= 0, conversations.places[place].hasHandshake,
      head.fromLower ? connections[index].sawUpper : connections[index].sawLower,
      conversations.places[place].handshake.awaitsServer(behindResetOfLower: head.fromLower),
      !connections[index].isFinished(!head.fromLower)
    else { return false }
    if connections[index].doubtfulReset?.isHeeded != true {
      connections[index].heed(head, at: moment)
      tellClose(index, by: head, at: moment)
      // It comes soon or never, and others wait for the place of the session.
      connections[index].lastSeen &-= max(0, limits.idleSeconds - SessionTracker.secondsUnderWay)
    }
    return true
  }

  /// For how long a server's answer may be under way.
  private static let secondsUnderWay: Int64 = 10

  /// Reads what is held of one direction as far as it matters, and forgets it.
  private mutating func settleHeld(_ index: Int, fromLower: Bool) {
    guard connections[index].hasHeld(fromLower) else { return }
    while connections[index].hasHeld(fromLower), !connections[index].isConversationOver {
      giveUpGap(index, fromLower, Moment(frame: 0, time: nil))
    }
    heldBytes -= connections[index].heldBytes(fromLower)
  }

  /// Takes note of bytes before the end of one direction that never came.
  private mutating func settleEnd(_ index: Int, fromLower: Bool) {
    let gap = connections[index].giveUpEnd(fromLower)
    guard gap > 0 else { return }
    let place = Int(connections[index].conversation)
    conversations[place].skip(
      missing: gap, fromLower: fromLower, at: Moment(frame: 0, time: nil), sharing: &shared)
    if listener != nil {
      let next = fromLower ? connections[index].lower.next : connections[index].upper.next
      tellTraces(index, place, fromLower, upTo: next.advanced(by: -gap), atGap: true)
    }
  }

  /// Counts a connection as one without a handshake, unless it has been or has shown one before, and notes that beside its mark.
  private mutating func markCounted(_ mark: UInt16, _ index: Int, _ server: Endpoint) -> UInt16 {
    let prior = connections[index].priorMark
    if let isLower = Mark.countedServerIsLower(prior) { return Mark.counted(mark, serverIsLower: isLower) }
    guard prior == nil else { return mark }
    countWithoutHandshake(server)
    return Mark.counted(mark, serverIsLower: server == table.key(at: index).lower)
  }

  private func server(of facts: ConnectionFacts, _ key: ConnectionKey) -> Endpoint {
    guard let isOpenedByLower = facts.isOpenedByLower else { return serverOf(key) }
    return isOpenedByLower ? key.upper : key.lower
  }
}
