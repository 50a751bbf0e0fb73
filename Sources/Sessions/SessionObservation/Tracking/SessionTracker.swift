import PacketParsing
import Values
import ByteParsing
import Reassembly
import TLSParsing

/// Takes the packets of one capture, in order, and gives out the sessions that they show.
///
/// Only connections with an open handshake (or with cleartext requests) are held: a packet of any other costs one look-up.
public struct SessionTracker: ~Copyable {
  /// What was read and what was not.
  public private(set) var health = ObservationHealth()

  /// Sessions that are over, in the order of their first packets.
  public private(set) var finished: [FinishedSession] = []

  private let file: String
  private let limits: ObservationLimits
  private var headers = PacketHeaders()
  private var table = ConnectionTable()
  private var recent = RecentConnections()
  private var connections: ContiguousArray<Connection> = []
  private var shared: SharedFacts
  private var queue = SessionQueue()
  private var spareBoxes: [ConversationBox] = []
  private var sweepPosition = 0
  private var heldBytes = 0

  /// Creates a tracker for the capture that reports name `file`.
  public init(file: String, limits: ObservationLimits = ObservationLimits()) {
    self.file = file
    self.limits = limits
    shared = SharedFacts()
  }

  /// Connections that are held now.
  public var openConnections: Int { table.count }

  /// Forgets the sessions that are over, once they have been taken.
  public mutating func clearFinished() { finished.removeAll(keepingCapacity: true) }

  /// Reads one packet.
  public mutating func process(
    _ packet: Span<UInt8>, linkType: UInt16, originalLength: Int, at moment: Moment
  ) {
    health.packets += 1
    health.capturedBytes &+= UInt64(packet.count)
    if originalLength > packet.count { health.truncatedPackets += 1 }
    if let time = moment.time { note(time) }
    switch headers.decode(packet, linkType: linkType) {
    case .tcp:
      health.tcpSegments += 1
      processSegment(packet, moment)
    case .udp:
      processDatagram(packet)
    case .unread(let reason):
      health.unread[reason, default: 0] += 1
      if reason == .unknownLinkType { health.unknownLinkTypes[linkType, default: 0] += 1 }
    }
  }

  /// Ends every open connection: no more packets will come.
  public mutating func finish() {
    for index in connections.indices where connections[index].isInUse {
      close(index, .stillOpen)
    }
  }
}

// MARK: - Packets

extension SessionTracker {
  /// 1995-01-01 and 2100-01-01: no capture of TLS is older, and none is from later yet.
  static let plausibleSeconds: Range<Int64> = 788_918_400..<4_102_444_800

  private mutating func note(_ time: Timestamp) {
    if !SessionTracker.plausibleSeconds.contains(time.seconds) { health.implausibleTimes += 1 }
    if let first = health.firstTime {
      if time < first { health.firstTime = time }
      if let last = health.lastTime, time > last { health.lastTime = time }
    } else {
      health.firstTime = time
      health.lastTime = time
    }
  }

  private mutating func processDatagram(_ packet: Span<UInt8>) {
    health.udpDatagrams += 1
    let payload = packet.extracting(
      headers.payloadOffset..<(headers.payloadOffset + headers.payloadLength))
    if TLSRecognition.dtlsClientHello(payload) == .yes { health.dtlsHellos += 1 }
    // A long header (RFC 9000 §17.2) of version 1, of version 2 (RFC 9369) or of a draft.
    guard payload.count >= 7, payload[0] & 0xC0 == 0xC0 else { return }
    let version =
      UInt32(payload[1]) << 24 | UInt32(payload[2]) << 16 | UInt32(payload[3]) << 8 | UInt32(payload[4])
    if version == 1 || version == 0x6B33_43CF || version >> 8 == 0xFF_0000 { health.quicDatagrams += 1 }
  }

  private mutating func processSegment(_ packet: Span<UInt8>, _ moment: Moment) {
    let opening: TCPFlags = [.syn, .fin, .rst]
    guard headers.payloadLengthOnWire > 0 || !headers.flags.isDisjoint(with: opening) else { return }
    let (key, fromLower) = ConnectionKey.make(headers)
    let hash = table.hash(of: key)
    guard let index = table.index(of: key, hash: hash) ?? open(key, hash, fromLower, packet, moment) else {
      return
    }
    advance(index, fromLower, packet, moment)
  }

  /// The payload of the packet, as far as the capture holds it.
  @_lifetime(copy packet)
  private func payload(_ packet: Span<UInt8>) -> Span<UInt8> {
    packet.extracting(headers.payloadOffset..<(headers.payloadOffset + headers.payloadLength))
  }

  /// Marks of connections that are no longer watched.
  private enum Mark {
    /// The handshake was read.
    static let done: UInt16 = 1
    /// Something that is neither TLS nor HTTP was spoken, or the connection was first seen in its middle.
    static let foreign: UInt16 = 2
    /// First seen in its middle.
    static let middle: UInt16 = 3
  }

  /// Begins to watch a connection that is not watched, if this packet gives a reason to.
  private mutating func open(
    _ key: ConnectionKey, _ hash: UInt64, _ fromLower: Bool, _ packet: Span<UInt8>, _ moment: Moment
  ) -> Int? {
    var prior: UInt16?
    if !headers.flags.contains(.syn) {
      let payload = payload(packet)
      guard payload.count > 0 else { return nil }
      let canBegin = StreamBeginning.canBegin(payload)
      guard canBegin || StreamBeginning.looksLikeRecord(payload) else { return nil }
      prior = recent.mark(of: hash)
      switch canBegin ? StreamBeginning.kind(of: payload) : .foreign {
      case .hello, .ssl2Hello, .httpRequest, .http2Preface:
        // Behind a handshake that was read, a hello is one of its packets sent again.
        if prior == Mark.done { return nil }
      case .undecided, .alert, .foreign:
        // TLS from its middle on: said once, since no session will come of it.
        if prior == nil, StreamBeginning.looksLikeRecord(payload) {
          recent.remember(hash, mark: Mark.middle)
          countWithoutHandshake(serverOf(key))
        }
        return nil
      }
    }
    makeRoom(moment.time?.seconds ?? 0)
    let index = table.insert(key, hash: hash)
    var connection = Connection(lastSeen: moment.time?.seconds ?? 0)
    connection.outerVLAN = headers.outerVLAN
    connection.innerVLAN = headers.innerVLAN
    connection.priorMark = prior
    if index < connections.count {
      connections[index] = connection
    } else {
      connections.append(connection)
    }
    return index
  }

  /// The end with the lesser port, which is the server more often than not.
  private func serverOf(_ key: ConnectionKey) -> Endpoint {
    key.lower.port <= key.upper.port ? key.lower : key.upper
  }

  private mutating func countWithoutHandshake(_ server: Endpoint) {
    if health.withoutHandshake.count < limits.serversWithoutHandshake
      || health.withoutHandshake[server] != nil
    {
      health.withoutHandshake[server, default: 0] += 1
    } else {
      health.withoutHandshakeElsewhere += 1
    }
  }

  /// Ends connections that have been silent for long, and one more where no place is free.
  private mutating func makeRoom(_ now: Int64) {
    var longest: (index: Int, lastSeen: Int64)?
    for _ in 0..<min(connections.count, table.count >= limits.openConnections ? 16 : 2) {
      sweepPosition = sweepPosition + 1 < connections.count ? sweepPosition + 1 : 0
      guard connections[sweepPosition].isInUse else { continue }
      let lastSeen = connections[sweepPosition].lastSeen
      if now - lastSeen > limits.idleSeconds {
        close(sweepPosition, .stillOpen)
      } else if lastSeen < longest?.lastSeen ?? .max {
        longest = (sweepPosition, lastSeen)
      }
    }
    if table.count >= limits.openConnections, let longest {
      health.evictedConnections += 1
      close(longest.index, .limit)
    }
  }
}

// MARK: - Streams

extension SessionTracker {
  private mutating func advance(
    _ index: Int, _ fromLower: Bool, _ packet: Span<UInt8>, _ moment: Moment
  ) {
    let flags = headers.flags
    if flags.contains(.syn), !synchronize(index, fromLower) {
      // The two ends have begun a new connection.
      let key = table.key(at: index)
      let hash = table.hash(at: index)
      close(index, .superseded)
      guard let next = open(key, hash, fromLower, packet, moment) else { return }
      advance(next, fromLower, packet, moment)
      return
    }
    if let seconds = moment.time?.seconds { connections[index].lastSeen = seconds }
    if fromLower { connections[index].sawLower = true } else { connections[index].sawUpper = true }
    if flags.contains(.ack), !connections[index][!fromLower].isSynchronized {
      connections[index][!fromLower].synchronize(byAcknowledgment: SequenceNumber(headers.acknowledgment))
    }
    if headers.payloadLength < headers.payloadLengthOnWire { connections[index].truncatedPackets += 1 }
    let first = SequenceNumber(headers.sequence).advanced(by: flags.contains(.syn) ? 1 : 0)
    if headers.payloadLengthOnWire > 0 { receive(index, fromLower, first, payload(packet), moment) }
    if flags.contains(.fin) {
      connections[index][fromLower].finish(at: first.advanced(by: headers.payloadLengthOnWire))
    }
    if flags.contains(.rst) {
      close(index, .reset(moment))
    } else if connections[index].isConversationOver {
      close(index, .done)
    } else if connections[index].lower.isFinished, connections[index].upper.isFinished {
      close(index, .closed)
    }
  }

  /// Takes a SYN. Returns false if it begins another connection between the same ends.
  private mutating func synchronize(_ index: Int, _ fromLower: Bool) -> Bool {
    let isNew = connections[index][fromLower].synchronize(bySYN: SequenceNumber(headers.sequence))
    guard isNew else { return false }
    if !headers.flags.contains(.ack), connections[index].isOpenedByLower == nil {
      connections[index].isOpenedByLower = fromLower
    } else if headers.flags.contains(.ack), connections[index].isOpenedByLower == nil {
      connections[index].isOpenedByLower = !fromLower
    }
    return true
  }

  private mutating func receive(
    _ index: Int, _ fromLower: Bool, _ sequence: SequenceNumber, _ piece: Span<UInt8>, _ moment: Moment
  ) {
    let length = headers.payloadLengthOnWire
    if connections[index].ticket == nil { connections[index].ticket = queue.draw() }
    switch connections[index][fromLower].place(sequence, length: length) {
    case .old:
      return
    case .next(let skip):
      deliver(index, fromLower, piece, skip: skip, length: length, moment)
      if connections[index][fromLower].hasHeld { drain(index, fromLower, moment) }
    case .ahead:
      let before = connections[index][fromLower].heldBytes
      connections[index][fromLower].hold(
        sequence, piece, lengthOnWire: length, frame: moment.frame, time: moment.time)
      heldBytes += connections[index][fromLower].heldBytes - before
      while connections[index][fromLower].isOverfull
        || heldBytes > limits.heldBytes && connections[index][fromLower].hasHeld
      {
        health.gapsGivenUp += 1
        giveUpGap(index, fromLower, moment)
      }
    }
  }

  /// Hands on the bytes of a segment whose turn it is, and the gap that the snapshot length left behind them.
  private mutating func deliver(
    _ index: Int, _ fromLower: Bool, _ piece: Span<UInt8>, skip: Int, length: Int, _ moment: Moment
  ) {
    connections[index][fromLower].advance(by: length - skip)
    let box = conversation(index)
    if skip < piece.count {
      box.value.consume(
        piece.extracting(skip..<piece.count), fromLower: fromLower, at: moment, sharing: &shared)
      connections[index].isConversationOver = box.value.isOver
    }
    if case .http = box.value.phase { drawFurtherTickets(index, box) }
    let missing = length - max(skip, piece.count)
    if missing > 0 {
      connections[index][fromLower].noteMissing(missing)
      box.value.skip(missing: missing, fromLower: fromLower, at: moment, sharing: &shared)
    }
  }

  /// Draws a ticket for each further host that cleartext requests name.
  private mutating func drawFurtherTickets(_ index: Int, _ box: ConversationBox) {
    let hosts = box.value.http?.hosts.count ?? 0
    while hosts > 1 + (connections[index].furtherTickets?.count ?? 0) {
      connections[index].furtherTickets = (connections[index].furtherTickets ?? []) + [queue.draw()]
    }
  }

  /// What is spoken on a connection, begun with the first byte.
  private mutating func conversation(_ index: Int) -> ConversationBox {
    if let box = connections[index].conversation { return box }
    let box = spareBoxes.popLast() ?? ConversationBox()
    connections[index].conversation = box
    return box
  }

  private mutating func drain(_ index: Int, _ fromLower: Bool, _ moment: Moment) {
    let before = connections[index][fromLower].heldBytes
    while let (segment, skip) = connections[index][fromLower].takeHeld() {
      deliver(
        index, fromLower, segment.bytes.span, skip: skip, length: segment.lengthOnWire,
        Moment(frame: segment.frame, time: segment.time))
    }
    heldBytes -= before - connections[index][fromLower].heldBytes
  }

  private mutating func giveUpGap(_ index: Int, _ fromLower: Bool, _ moment: Moment) {
    let gap = connections[index][fromLower].giveUpGap()
    if gap > 0 {
      conversation(index).value.skip(
        missing: gap, fromLower: fromLower, at: moment, sharing: &shared)
    }
    drain(index, fromLower, moment)
  }
}

// MARK: - Ends

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
  }

  private mutating func close(_ index: Int, _ ending: Ending) {
    for fromLower in [true, false] {
      while connections[index][fromLower].hasHeld, !connections[index].isConversationOver {
        giveUpGap(index, fromLower, Moment(frame: 0, time: nil))
      }
      heldBytes -= connections[index][fromLower].heldBytes
    }
    let key = table.key(at: index)
    let facts = connections[index].facts
    var mark = Mark.foreign
    var session: FinishedSession?
    var others: ArraySlice<FinishedSession> = []
    if let box = connections[index].conversation {
      box.value.breakOff(sharing: &shared)
      if box.value.handshake != nil {
        mark = Mark.done
        session = assemble(box, facts, key, ending)
      } else if let http = box.value.http {
        mark = http.isUpgraded ? Mark.done : Mark.middle
        if http.hitLimit { health.hostsBeyondLimit += 1 }
        let sessions = SessionAssembly(file: file, key: key, connection: facts, ending: ending)
          .httpSessions(box.value)
        session = sessions.first
        others = sessions.dropFirst()
      } else if let spoken = box.value.foreignProtocol {
        mark = spoken.rawValue
      }
      connections[index].conversation = nil
      if spareBoxes.count < SessionTracker.spareBoxLimit {
        box.value = Conversation()
        spareBoxes.append(box)
      }
    }
    if session == nil { countWithoutHandshake(server(of: facts, key)) }
    if let ticket = connections[index].ticket { queue.handIn(ticket, session, to: &finished) }
    if !others.isEmpty || connections[index].furtherTickets != nil { handIn(index, others) }
    health.disagreeingBytes += UInt64(facts.disagreeingBytes)
    recent.remember(table.hash(at: index), mark: mark)
    table.remove(at: index)
    connections[index].isInUse = false
  }

  /// Hands in the further tickets of a connection with the sessions that they stand for.
  private mutating func handIn(_ index: Int, _ sessions: ArraySlice<FinishedSession>) {
    var tickets = connections[index].furtherTickets ?? []
    while tickets.count < sessions.count { tickets.append(queue.draw()) }
    for (place, ticket) in tickets.enumerated() {
      queue.handIn(
        ticket, place < sessions.count ? sessions[sessions.startIndex + place] : nil, to: &finished)
    }
  }

  /// Conversations kept to be used again.
  private static let spareBoxLimit = 1024

  private func server(of facts: ConnectionFacts, _ key: ConnectionKey) -> Endpoint {
    guard let isOpenedByLower = facts.isOpenedByLower else { return serverOf(key) }
    return isOpenedByLower ? key.upper : key.lower
  }

  private mutating func assemble(
    _ box: ConversationBox, _ facts: ConnectionFacts, _ key: ConnectionKey, _ ending: Ending
  ) -> FinishedSession? {
    if case .reset(let moment) = ending { box.value.settle(at: moment) }
    if box.value.handshake?.hitLimit == true { health.oversizedMessages += 1 }
    return SessionAssembly(file: file, key: key, connection: facts, ending: ending)
      .handshakeSession(&box.value)
  }
}
