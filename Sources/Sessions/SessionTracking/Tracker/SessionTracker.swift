public import HandshakeDecryption
public import PacketParsing
public import Reassembly
public import Values
import BasicContainers
import ByteParsing
import CleartextObservation
import HTTPParsing
public import SessionModel
import TLSObservation
import TLSParsing

/// Takes the packets of one capture, in order, and gives out the sessions that they show.
///
/// Only connections with an open handshake (or with cleartext requests) are held: a packet of any other costs one look-up.
public struct SessionTracker: ~Copyable {
  /// What was read and what was not.
  public var health: ObservationHealth {
    var health = counts
    health.lastTime = lastTime
    return health
  }

  /// The same under a name of its own, since what is read in the caller's loop has to set it.
  @usableFromInline
  var counts = ObservationHealth()

  /// Sessions that are over, in the order of their first packets.
  public internal(set) var finished: [ObservedSession] = []

  /// Packets in earlier parts of the capture: frame numbers go on from there.
  public var framesBefore: UInt64 = 0

  /// The process that the next packet belongs to; nil where the capture does not say.
  public var packetProcess: CapturedProcess?

  /// What was read of the connections that an extract copies; nil for anything else.
  package var readings: ConnectionReadings?

  let file: String
  let limits: ObservationLimits
  @usableFromInline
  var headers = PacketHeaders()
  @usableFromInline
  var table = ConnectionTable()
  @usableFromInline
  var recent = RecentConnections()
  var recentBytes = RecentBytes()
  var connections = UniqueArray<Connection>()
  var conversations = ConversationPool()
  var fragments = FragmentReassembly()

  /// The packet with a fragment that disagrees with others of the present packet, which was put together; 0 for none.
  var disputedFragment: UInt64 = 0

  /// Whether the checksum does not decide between the fragments of the present packet that disagree.
  var isFragmentContested = false

  /// Places in the order of first packets that are kept for segments of which fragments are still to come, by their first packets.
  var fragmentTickets: [UInt64: Int] = [:]
  var tunnelTexts = TunnelTexts()
  var shared = ObservationTables()
  var queue = SessionQueue()
  var quic = QUICSessions()
  var sweepPosition = 0
  var heldBytes = 0

  /// What all open connections weigh.
  var openBytes = 0
  var datagrams = DatagramConversations()
  var dataConnections = ExpectedDataConnections()

  /// The time of the last packet that was earlier than one before it, in seconds.
  var secondsAfterJump: Int64?

  /// The latest time of a packet as one number, seconds above 30 bits of nanoseconds, where it is plausible; `unknown` where `counts` has it.
  @usableFromInline
  var latest = SessionTracker.unknown

  /// Creates a tracker for the capture that reports name `file`.
  public init(file: String, limits: ObservationLimits = ObservationLimits()) {
    self.file = file
    self.limits = limits
  }

  /// Connections that are held now.
  public var openConnections: Int { table.count }

  /// Forgets the sessions that are over, once they have been taken.
  public mutating func clearFinished() { finished.removeAll(keepingCapacity: true) }

  /// Puts the sessions that are over in the reverse order, so that `popFinished` gives them out in theirs.
  package mutating func turnFinished() {
    if finished.count > 1 { finished.reverse() }
  }

  /// Takes out the last of the sessions that are over, which is moved and not copied.
  package mutating func popFinished() -> ObservedSession? { finished.popLast() }

  /// Reads one packet of the link type `linkType`, captured at `moment`. Returns whether sessions are over that wait to be taken.
  ///
  /// Nearly every packet ends in here, which becomes part of the caller's loop: it has nothing to say, or its connection is not
  /// watched and need not be.
  @discardableResult
  @inlinable
  @inline(__always)
  public mutating func process(
    _ packet: Span<UInt8>, linkType: UInt16, originalLength: Int, at moment: Moment
  ) -> Bool {
    count(packets: 1, bytes: packet.count)
    if linkType == PlainSegment.linkType {
      return process(ethernet: packet, originalLength: originalLength, at: moment)
    }
    note(packet, originalLength: originalLength, at: moment)
    return processOther(packet, linkType: linkType, moment)
  }

  /// Reads one frame of Ethernet, as `process` does, but leaves it to `count` to tell that there was one.
  @inlinable
  @inline(__always)
  public mutating func process(
    ethernet packet: Span<UInt8>, originalLength: Int, at moment: Moment
  ) -> Bool {
    note(packet, originalLength: originalLength, at: moment)
    guard let segment = PlainSegment(ethernetV4: packet) else { return processLong(packet, moment) }
    return process(segment, packet, moment)
  }

  /// Reads a frame of Ethernet that holds no plain segment of IPv4: a loop that has longer addresses to keep is slower for all.
  @usableFromInline
  @inline(never)
  mutating func processLong(_ packet: Span<UInt8>, _ moment: Moment) -> Bool {
    guard let segment = PlainSegment(ethernetV6: packet) else {
      return processOther(packet, linkType: PlainSegment.linkType, moment)
    }
    return process(segment, packet, moment)
  }

  /// Counts packets that were read, and the bytes that the capture holds of them.
  @inlinable
  @inline(__always)
  public mutating func count(packets: UInt64, bytes: Int) {
    counts.packets &+= packets
    counts.capturedBytes &+= UInt64(truncatingIfNeeded: bytes)
  }

  @inlinable
  @inline(__always)
  mutating func note(_ packet: Span<UInt8>, originalLength: Int, at moment: Moment) {
    if originalLength > packet.count { counts.truncatedPackets &+= 1 }
    if let time = moment.time { note(time) }
  }

  @inlinable
  @inline(__always)
  mutating func process(_ segment: borrowing PlainSegment, _ packet: Span<UInt8>, _ moment: Moment) -> Bool {
    counts.tcpSegments &+= 1
    // A bare acknowledgment says nothing of handshakes.
    guard segment.payloadLengthOnWire > 0 || segment.flags.changeConnection else { return false }
    let hash = table.hash(of: segment)
    let isAbsent = table.isAbsent(hash)
    if isAbsent, !segment.flags.contains(.syn) {
      if let beginning = segment.beginning {
        guard SegmentPrefilter.mayBegin(beginning) else { return false }
        // Data of TLS, of a connection whose handshake is over or was not seen: what `mayOpen` says of nearly all that it is asked.
        if SegmentPrefilter.isData(beginning), recent.isPresent(hash) { return false }
      } else if segment.payloadLength == 0 {
        return false
      }
      guard mayOpen(segment.payload, hash) else { return false }
    }
    headers.take(segment)
    return processPlain(hash, isAbsent: isAbsent, packet, moment)
  }

  /// Reads the plain segment that the headers tell of, of a connection that is watched, or that may be from now on.
  @usableFromInline
  @inline(never)
  mutating func processPlain(
    _ hash: UInt64, isAbsent: Bool, _ packet: Span<UInt8>, _ moment: Moment
  ) -> Bool {
    let place: ConnectionTable.Place
    if isAbsent {
      let direction = ConnectionKey.direction(from: headers.sender, to: headers.receiver)
      place = ConnectionTable.Place(index: -1, hash: hash, direction: direction)
    } else {
      place = table.place(from: headers.sender, to: headers.receiver, hash: hash)
      // Another one may have the same hash, or what tells such from another.
      if place.index < 0, !headers.flags.contains(.syn), !mayOpen(payload(packet), hash) { return false }
    }
    processSegment(place, packet, moment)
    return !finished.isEmpty
  }

  /// Ends every open connection: no more packets will come.
  public mutating func finish() {
    fragments.finish()
    readBroken(at: lastTime)
    forgetLost()
    for index in connections.indices where connections[index].isInUse {
      close(index, .stillOpen)
    }
    finishQUIC()
    noteFragments()
    finishDatagrams()
    counts.forgottenDataConnections = dataConnections.forgotten
    counts.forgottenNames = shared.names.forgotten
    counts.longChains = shared.facts.beyondLimits.certificates
    counts.longHellos = shared.facts.beyondLimits.extensions
    counts.unfinishedSecretSearches = shared.facts.secretSearch.unfinishedCount
    counts.signaturesNotVerified = shared.facts.signatures.notVerifiedCount
    counts.forgottenConnections = recent.forgotten
  }

  /// Secrets that the user holds, for the handshakes that end from now on.
  public var secrets: SecretStore {
    _read { yield shared.facts.secrets }
    _modify { yield &shared.facts.secrets }
  }
}

// MARK: - Packets

extension SessionTracker {
  /// Reads a packet that is no plain segment.
  @usableFromInline
  @inline(never)
  mutating func processOther(_ packet: Span<UInt8>, linkType: UInt16, _ moment: Moment) -> Bool {
    switch headers.decodeOther(packet, linkType: linkType) {
    case .tcp: lookUpSegment(packet, moment)
    case .udp: processDatagram(packet, moment)
    case .unread(let reason): processUnread(reason, packet, moment)
    }
    return !finished.isEmpty
  }

  /// Reads a segment that the headers tell of.
  @inline(never)
  mutating func lookUpSegment(_ packet: Span<UInt8>, _ moment: Moment) {
    counts.tcpSegments &+= 1
    guard headers.payloadLengthOnWire > 0 || headers.flags.changeConnection else { return }
    let place = table.place(from: headers.sender, to: headers.receiver)
    if place.index >= 0 || headers.flags.contains(.syn) || mayOpen(payload(packet), place.hash) {
      processSegment(place, packet, moment)
    }
  }

  mutating func processDatagram(_ packet: Span<UInt8>, _ moment: Moment) {
    counts.udpDatagrams += 1
    let payload = packet.extracting(
      headers.payloadOffset..<(headers.payloadOffset + headers.payloadLength))
    if isNameService, !isQUIC(payload) {
      shared.names.learn(from: payload, frame: moment.frame)
      return
    }
    guard payload.count > 0 else { return }
    if DTLSRecord.firstBytes.contains(payload[0]), !isBetweenEndsOfQUIC,
      payload[0] == 22 || !datagrams.isEmpty
        || TLSRecognition.isDTLS(payload, lengthOnWire: headers.payloadLengthOnWire)
    {
      readDTLS(payload, missing: headers.payloadLengthOnWire - payload.count, at: moment)
      return
    }
    if payload[0] == OpenVPNReset.versionTwo || payload[0] == OpenVPNReset.versionThree,
      OpenVPNReset.isOne(payload, at: moment.time?.seconds)
    {
      counts.openVPNBeginnings += 1
      return
    }
    if payload[0] >= 0x40 || !quic.isEmpty { processQUIC(payload, moment) }
  }

  /// Whether one end has a port of DNS, also on a local link (RFC 1035 §4.2, RFC 6762 §3, RFC 4795 §2).
  private var isNameService: Bool {
    let (source, destination) = (headers.sourcePort, headers.destinationPort)
    return source == 53 || destination == 53 || source == 5353 || destination == 5353 || source == 5355
  }

  /// Takes a segment of a connection that is watched, or that may be from now on.
  @inline(__always)
  mutating func processSegment(
    _ place: ConnectionTable.Place, _ packet: Span<UInt8>, _ moment: Moment
  ) {
    var index = place.index
    let head = segmentHead(place.direction, moment)
    if index < 0 {
      guard let new = open(ConnectionKey(headers.sender, headers.receiver), place.hash, packet, moment) else {
        return
      }
      index = new
      noteTunnels(index, head)
    } else {
      if !headers.tunnels.isEmpty || !connections[index].isPlain
        || !connections[index].isNear(headers.sequence, place.direction)
          && !connections[index].isFirstAnswer(head)
      {
        switch choose(place, head, packet) {
        case .known(let chosen): index = chosen
        case .another(let twin):
          return openAnother(place, sharingNumbersWith: twin, head, packet, moment)
        case .none: return
        }
      }
      if packetProcess != nil, connections[index].process == nil {
        connections[index].process = packetProcess
      }
    }
    advance(index, head, packet, moment)
    if openBytes > limits.openBytes { relieve() }
  }

  /// Whether a packet of a connection that is not watched, which is no SYN, gives a reason to look closer.
  @usableFromInline
  @inline(never)
  mutating func mayOpen(_ payload: Span<UInt8>, _ hash: UInt64) -> Bool {
    // TLS from its middle on is told once for each connection: nearly all that asks here is data of such.
    if StreamBeginning.looksLikeRecord(payload), payload[0] != 22 {
      return recent.mark(of: hash) == nil || payload[0] == 20 && StreamBeginning.canBegin(payload)
    }
    return payload.count > 2
      ? StreamBeginning.canBegin(payload) || payload[0] <= 5 && StreamBeginning.isSOCKSRequest(payload)
      : StreamBeginning.canBegin(shortPrefix: payload)
  }

  /// The payload of the packet, as far as the capture holds it.
  @_lifetime(copy packet)
  func payload(_ packet: Span<UInt8>) -> Span<UInt8> {
    packet.extracting(headers.payloadOffset..<(headers.payloadOffset + headers.payloadLength))
  }

  /// Begins to watch a connection that is not watched, if this packet gives a reason to.
  mutating func open(
    _ key: ConnectionKey, _ hash: UInt64, _ packet: Span<UInt8>, _ moment: Moment
  ) -> Int? {
    var prior: UInt16?
    if !headers.flags.contains(.syn) {
      let payload = payload(packet)
      let canBegin = StreamBeginning.canBegin(payload)
      let isSOCKS = !canBegin && StreamBeginning.isSOCKSRequest(payload)
      guard payload.count > 0, canBegin || isSOCKS || StreamBeginning.looksLikeRecord(payload) else {
        return nil
      }
      prior = recent.mark(of: hash)
      switch canBegin ? StreamBeginning.kind(of: payload) : .foreign {
      case .hello, .ssl2Hello, .httpRequest, .http2Preface, .proxyHeader:
        // Behind a handshake that was read, a hello is one of its packets sent again, unless it is another one.
        if Mark.isDone(prior) {
          guard let prior, Mark.isOfAnother(payload, than: prior) else { return nil }
        }
        if Mark.isSentAgain(headers.sequence, behind: prior) { return nil }
        if Mark.isDone(prior) || Mark.isEnded(prior) { prior = nil }
      case .undecided where payload.count > 0 && payload.count < 6 && payload[0] == 22:
        // The first bytes of a record with a hello, cut small: the rest tells.
        if Mark.isDone(prior) || Mark.isSentAgain(headers.sequence, behind: prior) { return nil }
      case .undecided where HTTPRecognition.isBegunRequest(payload):
        // A request line that is longer than a segment.
        if Mark.isDone(prior) || Mark.isSentAgain(headers.sequence, behind: prior) { return nil }
      case .foreign where isSOCKS && prior == nil || FTPDataPorts.isCommand(payload): break
      case .undecided, .alert, .httpResponse, .foreign:
        // TLS from its middle on: said once, since no session will come of it.
        if prior == nil, StreamBeginning.looksLikeRecord(payload) {
          let server = serverOf(key)
          recent.remember(
            hash, mark: Mark.counted(Mark.middle, server: server == key.lower ? .fromLower : .fromUpper))
          countWithoutHandshake(server)
        }
        return nil
      }
    }
    makeRoom(moment.time?.seconds ?? 0)
    let index = table.insert(key, hash: hash)
    let now = moment.time?.seconds ?? 0
    if connections.isEmpty { reserve() }
    if index < connections.count {
      connections[index] = Connection(lastSeen: now)
    } else {
      connections.append(Connection(lastSeen: now))
    }
    // Filled where it lies: a connection is large.
    if !headers.tunnels.isEmpty { connections[index].tunnels = tunnelTexts.texts(of: headers.tunnels) }
    if packetProcess != nil { connections[index].process = packetProcess }
    connections[index].priorMark = prior
    if let readings { connections[index].reading = readings.begin(key, hasSYN: headers.flags.contains(.syn)) }
    return index
  }

  /// Makes room for as many connections as many captures have open at once: an array that grows is copied, to memory that was not used
  /// before. What is not needed of it takes none.
  @inline(never)
  private mutating func reserve() {
    connections.reserveCapacity(SessionTracker.usualOpenConnections)
    conversations.reserve(SessionTracker.usualOpenConnections)
  }

  private static let usualOpenConnections = 1024

  /// The end with the lesser port, which is the server more often than not.
  func serverOf(_ key: ConnectionKey) -> Endpoint {
    key.lower.port <= key.upper.port ? key.lower : key.upper
  }

  mutating func countWithoutHandshake(_ server: Endpoint) {
    if counts.withoutHandshake.count < limits.serversWithoutHandshake
      || counts.withoutHandshake[server] != nil
    {
      counts.withoutHandshake[server, default: 0] += 1
    } else {
      counts.withoutHandshakeElsewhere += 1
    }
  }

  /// Takes a connection back that was counted as one without a handshake, and has shown one since.
  mutating func takeBackWithoutHandshake(_ server: Endpoint) {
    if let count = counts.withoutHandshake[server] {
      counts.withoutHandshake[server] = count > 1 ? count - 1 : nil
    } else if counts.withoutHandshakeElsewhere > 0 {
      counts.withoutHandshakeElsewhere -= 1
    }
  }

  /// Ends connections until those that are open weigh no more than they may: of some that come next, the heaviest.
  @inline(never)
  private mutating func relieve() {
    while openBytes > limits.openBytes {
      var heaviest: (index: Int, weight: Int)?
      for _ in 0..<min(connections.count, 64) {
        sweepPosition = sweepPosition + 1 < connections.count ? sweepPosition + 1 : 0
        let place = Int(connections[sweepPosition].conversation)
        guard connections[sweepPosition].isInUse, place >= 0 else { continue }
        let weight = conversations[place].weight
        if weight > heaviest?.weight ?? 0 { heaviest = (sweepPosition, weight) }
      }
      guard let heaviest else { return }
      counts.evictedConnections += 1
      close(heaviest.index, .limit)
    }
  }

  /// Ends connections that have been silent for long, and one more where no place is free.
  private mutating func makeRoom(_ now: Int64) {
    if !fragmentTickets.isEmpty { forgetLost(before: now) }
    var longest: (index: Int, lastSeen: Int64)?
    for _ in 0..<min(connections.count, table.count >= limits.openConnections ? 16 : 2) {
      sweepPosition = sweepPosition + 1 < connections.count ? sweepPosition + 1 : 0
      guard connections[sweepPosition].isInUse else { continue }
      let lastSeen = connections[sweepPosition].lastSeen
      let isReset = connections[sweepPosition].doubtfulReset?.isHeeded == true
      if limits.isIdle(since: lastSeen, at: now, behindReset: isReset) {
        close(sweepPosition, .stillOpen)
      } else if lastSeen < longest?.lastSeen ?? .max {
        longest = (sweepPosition, lastSeen)
      }
    }
    if table.count >= limits.openConnections, let longest {
      // Behind words of no known protocol nothing is likely to be lost.
      if !connections[longest.index].saidWords { counts.evictedConnections += 1 }
      close(longest.index, .limit)
    }
  }
}
