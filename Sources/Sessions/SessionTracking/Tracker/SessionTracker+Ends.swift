import BasicContainers
import CleartextObservation
import PacketParsing
import Reassembly
import SessionModel
import TLSObservation
import Values

extension SessionTracker {
  /// Why a connection is no longer watched.
  enum Ending {
    /// Everything in the clear has been seen.
    case done
    /// Both sides closed.
    case closed
    /// A RST.
    case reset(PacketReference)
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
    let made = shared.facts.madeBytes
    let ending = settleStreams(index, ending)
    let remains = settleConversation(index, ending, made)
    counts.disagreeingBytes += UInt64(
      connections[index].streams.fromLower.disagreeingBytes
        + connections[index].streams.fromUpper.disagreeingBytes)
    connections[index].reading?.end()
    if !remains.isGuess { recent.remember(table.hash(at: index), mark: remains.mark) }
    table.remove(at: index)
    connections[index].isInUse = false
  }

  /// Hands in the session of an FTP control connection whose handshake is over, and goes on to listen: the client may end TLS with CCC
  /// and ask for data connections in the clear (RFC 4217 §6). Returns false on any other connection.
  @inline(never)
  mutating func listenBehindTLS(_ index: Int) -> Bool {
    let place = Int(connections[index].conversation)
    guard place >= 0, conversations.places[place].isFTPControl else { return false }
    let remains = settleConversation(index, .done, shared.facts.madeBytes)
    connections[index].priorMark = remains.mark
    connections[index].ticket = nil
    connections[index].isConversationOver = false
    // What the session was made of is not read again.
    connections[index].rereadings = SessionTracker.rereadingLimit
    conversations[conversation(index)].beginFTPControl()
    return true
  }

  /// Hands in the sessions of a conversation, where there is one. So many bytes of facts had been `made` before.
  @inline(__always)
  private mutating func settleConversation(_ index: Int, _ ending: Ending, _ made: Int) -> Remains {
    let assembly = assembly(of: index, ending)
    var remains = Remains(mark: Mark.behind(assembly.connection.priorMark))
    let session =
      connections[index].conversation >= 0
      ? takeConversation(index, assembly, ending, made, &remains) : nil
    countOrTakeBack(index, assembly, &remains)
    handIn(index, consume session, remains)
    return remains
  }

  /// What is left of a connection that is over.
  private struct Remains {
    /// What is remembered of it.
    var mark: UInt16
    /// The sessions of cleartext HTTP on it.
    var httpSessions: [ObservedSession] = []
    /// The first packet of the handshake; nil where there is none.
    var firstFrame: UInt64?
    /// Whether nothing but messages of DNS was said.
    var isNameService = false
    /// Whether it may be anything: what looked like SOCKS on a connection that began before the capture, and led to nothing.
    var isGuess = false
    /// What the sessions take of memory, in bytes.
    var weight = 0
  }

  /// Reads what is still held of both directions; returns how the connection ended.
  @inline(__always)
  private mutating func settleStreams(_ index: Int, _ ending: Ending) -> Ending {
    var ending = ending
    // Both ends that come to the end of what they say have not heeded a reset, nor has its receiver that does so behind it.
    if let doubted = connections[index].doubtfulReset, !connections[index].isConversationOver,
      doubted.isHeeded || !doubted.isContradicted && !connections[index].hasBothEnds
    {
      connections[index].finish(byReset: doubted.head)
      tellClose(index, by: doubted.head, at: doubted.moment)
      ending = .reset(doubted.moment)
    }
    for direction in Direction.allCases { settleHeld(index, in: direction) }
    if !connections[index].isConversationOver, connections[index].conversation >= 0 {
      for direction in Direction.allCases { settleEnd(index, in: direction) }
    }
    return ending
  }

  /// What makes the sessions of a connection.
  @inline(__always)
  private func assembly(of index: Int, _ ending: Ending) -> SessionAssembly {
    var assembly = SessionAssembly(
      file: file, key: table.key(at: index), connection: connections[index].facts, ending: ending,
      names: shared.names.unlessEmpty)
    // The first fragment of an 802.11 frame looks cut; what it lacks is in the others, which are counted.
    if assembly.connection.truncatedPackets > 0, counts.truncatedPackets == 0,
      counts.unread[.linkFragment] != nil
    {
      assembly.connection.truncatedPackets = 0
    }
    return assembly
  }

  /// Makes sessions of what was spoken, of which it returns that of a handshake, and gives its place away. So many bytes of facts had
  /// been `made` before.
  @inline(__always)
  private mutating func takeConversation(
    _ index: Int, _ assembly: SessionAssembly, _ ending: Ending, _ made: Int, _ remains: inout Remains
  ) -> ObservedSession? {
    let place = Int(connections[index].conversation)
    conversations[place].breakOff(sharing: &shared)
    settleReading(index, place)
    if let http = conversations.places[place].http { takeRequests(http, index, assembly, ending, &remains) }
    var session: ObservedSession?
    if conversations.places[place].hasHandshake {
      session = isClientSilent(index) ? nil : takeHandshake(place, assembly, ending, &remains)
    } else {
      noteWords(place, assembly.connection, &remains)
    }
    openBytes -= conversations.places[place].weight
    remains.weight = conversations.places[place].weight + shared.facts.madeBytes &- made
    connections[index].conversation = -1
    conversations.end(place)
    return session
  }

  /// Makes the sessions of cleartext requests.
  private mutating func takeRequests(
    _ http: HTTPConversation, _ index: Int, _ assembly: SessionAssembly, _ ending: Ending,
    _ remains: inout Remains
  ) {
    let place = Int(connections[index].conversation)
    remains.mark = http.isUpgraded ? Mark.done : Mark.middle
    if !http.isUpgraded, ending.isOfConnection {
      remains.mark = Mark.ended(at: connections[index].streams[http.clientDirection].next)
    }
    if http.hitLimit { counts.hostsBeyondLimit += 1 }
    if conversations.places[place].httpConversations.contains(where: { $0.http.hasLongHead }) {
      counts.connectionsWithLongHeads += 1
    }
    remains.httpSessions = assembly.httpSessions(conversations.places[place])
  }

  /// Whether the capture shows the connection from its start, and that the client sent no byte: what a server says then, such as an alert
  /// at a timeout, answers no ClientHello.
  private func isClientSilent(_ index: Int) -> Bool {
    // Where the capture holds one direction alone, the client may have said anything.
    guard let opener = connections[index].opener, connections[index].priorMark == nil,
      connections[index].saw.fromLower, connections[index].saw.fromUpper
    else { return false }
    return connections[index].streams[opener].position == 0
  }

  /// Makes the session of a handshake.
  @inline(__always)
  private mutating func takeHandshake(
    _ place: Int, _ assembly: SessionAssembly, _ ending: Ending, _ remains: inout Remains
  ) -> ObservedSession? {
    remains.mark = Mark.done(conversations.places[place].handshake.facts.clientRandom)
    if case .reset(let moment) = ending { conversations[place].settle(at: moment) }
    if conversations.places[place].handshake.hitLimit { counts.oversizedMessages += 1 }
    remains.firstFrame = conversations.places[place].first?.frame
    return assembly.handshakeSession(&conversations[place])
  }

  /// Notes what was spoken that is no session.
  private func noteWords(_ place: Int, _ connection: ConnectionFacts, _ remains: inout Remains) {
    if conversations.places[place].hasNames {
      remains.isNameService = true
    } else if conversations.places[place].isSettledWithoutTLS {
      remains.mark = Mark.done
    } else if let spoken = conversations.places[place].foreignProtocol {
      // A hello that was read before is not read again.
      remains.mark = connection.priorMark.flatMap { Mark.isDone($0) ? $0 : nil } ?? spoken.rawValue
      remains.isGuess = spoken.isSOCKS && connection.opener == nil && connection.priorMark == nil
    }
  }

  /// Counts a connection that has shown no session as one without a handshake, or takes back that it was counted.
  @inline(__always)
  private mutating func countOrTakeBack(_ index: Int, _ assembly: SessionAssembly, _ remains: inout Remains) {
    if let first = remains.firstFrame ?? remains.httpSessions.first?.firstFrame {
      drawTicket(index, at: first)
      if let server = Mark.countedServer(connections[index].priorMark) {
        takeBackWithoutHandshake(assembly.key[server])
      }
    } else if !remains.isNameService, !remains.isGuess {
      remains.mark = markCounted(remains.mark, index, server(of: assembly.connection, assembly.key))
    }
  }

  /// Hands in the sessions of a connection, or that there are none.
  @inline(__always)
  private mutating func handIn(_ index: Int, _ session: consuming ObservedSession?, _ remains: Remains) {
    guard let ticket = connections[index].ticket else { return }
    var weight = remains.weight
    for http in remains.httpSessions {
      queue.add(http, weight: weight)
      weight = MemoryWeight.ownBytes
    }
    queue.handIn(ticket, consume session, weight: weight, to: &finished)
  }

  /// Tells a handshake that one end closes the connection.
  mutating func tellClose(_ index: Int, by head: SegmentHead, at moment: PacketReference) {
    let place = Int(connections[index].conversation)
    guard place >= 0, conversations.places[place].hasHandshake else { return }
    conversations[place].handshake.close(
      in: head.direction, isByReset: head.flags.contains(.rst), moment.frame)
  }

  /// Goes on to watch a connection that its client has reset before the server's first flight was over, if it is so: what the server
  /// had under way stands behind the RST.
  mutating func awaitsServer(_ index: Int, behind head: SegmentHead, at moment: PacketReference) -> Bool {
    let place = Int(connections[index].conversation)
    guard place >= 0, conversations.places[place].hasHandshake,
      connections[index].saw[head.direction.opposite],
      conversations.places[place].handshake.awaitsServer(afterResetFrom: head.direction),
      !connections[index].isFinished(head.direction.opposite)
    else { return false }
    if connections[index].doubtfulReset?.isHeeded != true {
      connections[index].heed(head, at: moment)
      tellClose(index, by: head, at: moment)
    }
    return true
  }

  /// Reads what is held of one direction as far as it matters, and forgets it.
  private mutating func settleHeld(_ index: Int, in direction: Direction) {
    guard connections[index].hasHeld(direction) else { return }
    while connections[index].hasHeld(direction), !connections[index].isConversationOver {
      giveUpGap(index, direction, PacketReference(frame: 0, time: nil))
    }
    heldBytes -= connections[index].heldBytes(direction)
  }

  /// Takes note of bytes before the end of one direction that never came.
  private mutating func settleEnd(_ index: Int, in direction: Direction) {
    let gap = connections[index].giveUpEnd(direction)
    guard gap > 0 else { return }
    let place = Int(connections[index].conversation)
    conversations[place].skip(
      missing: gap, in: direction, at: PacketReference(frame: 0, time: nil), sharing: &shared)
    settleReading(index, place, direction, upTo: connections[index].streams[direction].next)
  }

  /// Counts a connection as one without a handshake, unless it has been or has shown one before, and notes that beside its mark.
  private mutating func markCounted(_ mark: UInt16, _ index: Int, _ server: Endpoint) -> UInt16 {
    let prior = connections[index].priorMark
    if let server = Mark.countedServer(prior) { return Mark.counted(mark, server: server) }
    guard prior == nil else { return mark }
    countWithoutHandshake(server)
    return Mark.counted(mark, server: server == table.key(at: index).lower ? .fromLower : .fromUpper)
  }

  private func server(of facts: ConnectionFacts, _ key: ConnectionKey) -> Endpoint {
    guard let opener = facts.opener else { return serverOf(key) }
    return key[opener.opposite]
  }
}
