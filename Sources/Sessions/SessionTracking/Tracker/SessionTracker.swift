package import HandshakeDecryption
import PacketParsing
import Reassembly
package import Values
import BasicContainers
package import DequeModule
import CleartextObservation
import HTTPParsing
package import SessionModel
import TLSObservation
import TLSParsing

/// Reads the packets of one capture, in order, and returns the sessions that they contain.
///
/// Only connections with an open handshake or cleartext requests are held; a packet of any other costs one lookup.
package struct SessionTracker: ~Copyable {
  /// The counts of what was read and what was not.
  package internal(set) var health = ObservationHealth()

  /// Sessions that are complete, in the order of their first packets.
  package internal(set) var finished: Deque<EndedSession> = []

  /// The number of packets in earlier parts of the capture; frame numbers continue from it.
  package var framesBefore: UInt64 = 0

  /// Follows how the bytes of connections are read; nil if nothing does.
  package var observer: (any ReadingObserver)?

  let file: String
  let limits: ObservationLimits
  var table = ConnectionTable()
  var recent = RecentConnections()
  var recentBytes = RecentBytes()
  var connections = UniqueArray<Connection>()
  var conversations = ConversationPool()
  var fragments = FragmentReassembly()

  /// The positions reserved in the order of sessions for segments with missing fragments, by their first frame.
  var fragmentTurns: [UInt64: Int] = [:]
  var tunnelLayers = EnclosingLayers()
  var shared = ObservationTables()
  var queue = SessionQueue()
  var quic = QUICSessions()
  var sweepPosition = 0
  var heldBytes = 0

  /// The memory that all open connections take, in bytes.
  var openBytes = 0
  var datagrams = DatagramConversations()
  var dataConnections = ExpectedDataConnections()

  /// The number of connections that `finishSome` has closed or found closed.
  private var finishedCount = 0

  /// The number of connections that `finishSome` closes at once. Tens of thousands may be open, and their sessions take more memory than
  /// they do.
  private static let finishedAtOnce = 4096

  /// The time in seconds of the last packet that was earlier than a previous one.
  var secondsAfterJump: Int64?

  /// Creates a tracker for the capture that reports call `file`.
  package init(file: String, limits: ObservationLimits = ObservationLimits()) {
    self.file = file
    self.limits = limits
  }

  /// The number of connections held.
  package var openConnections: Int { table.count }

  /// Discards the complete sessions, once they have been taken.
  package mutating func clearFinished() { finished.removeAll(keepingCapacity: true) }

  /// Removes and returns the first complete session; nil if there is none.
  package mutating func popFinished() -> ObservedSession? { finished.popFirst()?.take() }

  /// Reads one packet. Returns whether complete sessions are ready to be taken.
  @discardableResult
  @inline(__always)
  package mutating func process(
    _ packet: Span<UInt8>, linkType: UInt16, originalLength: Int, at reference: PacketReference, of process: CapturedProcess? = nil
  ) -> Bool {
    count(packets: 1)
    note(packet, originalLength: originalLength, at: reference)
    return dispatch(packet, linkType: linkType, reference, process)
  }

  /// Reads one Ethernet frame, like `process`, except that the caller counts the packets with `count`.
  @inline(__always)
  package mutating func process(ethernet packet: Span<UInt8>, originalLength: Int, at reference: PacketReference) -> Bool {
    note(packet, originalLength: originalLength, at: reference)
    return dispatch(packet, linkType: FastPathSegment.linkType, reference, nil)
  }

  @inline(__always)
  mutating func dispatch(_ packet: Span<UInt8>, linkType: UInt16, _ reference: PacketReference, _ process: CapturedProcess?) -> Bool {
    if linkType == FastPathSegment.linkType, let segment = FastPathSegment(ethernetV4: packet), skip(segment) { return false }
    return read(packet, linkType: linkType, reference, process)
  }

  /// Counts packets that were read.
  @inline(__always)
  package mutating func count(packets: UInt64) { health.packets &+= packets }

  @inline(__always)
  mutating func note(_ packet: Span<UInt8>, originalLength: Int, at reference: PacketReference) {
    if originalLength > packet.count { health.truncatedPackets &+= 1 }
    if let time = reference.time { note(time) }
  }

  /// Returns whether the first bytes and flags of a segment show that `processSegment` would do nothing with it. This avoids decoding the
  /// headers of nearly all segments of a capture.
  @inline(__always)
  mutating func skip(_ segment: borrowing FastPathSegment) -> Bool {
    if segment.payloadLengthOnWire > 0 || segment.flags.changeConnection {
      if segment.flags.contains(.syn) { return false }
      let hash = table.hash(of: segment)
      guard table.isAbsent(hash) else { return false }
      if let beginning = segment.beginning {
        // Nearly all segments that look like a beginning are application data, after a handshake that is over or was not captured. After
        // messages that precede TLS, they are the first sign of one that was not.
        if SegmentPrefilter.mayBegin(beginning) || SegmentPrefilter.mayPrecedeTLS(beginning),
          !SegmentPrefilter.isData(beginning) || !isSettled(hash)
        {
          return false
        }
      } else if segment.payloadLength > 0 {
        return false
      }
    }
    return true
  }

  /// Whether application data adds nothing to what is remembered of a connection that is no longer watched.
  private mutating func isSettled(_ hash: UInt64) -> Bool {
    recent.mark(of: hash).map { Mark(rawValue: $0).foreignProtocol == nil } ?? false
  }

  /// Closes every open connection: no more packets will come.
  package mutating func finish() { while finishSome() {} }

  /// Closes some of the open connections: no more packets will come. Returns whether others may still be open.
  package mutating func finishSome() -> Bool {
    if finishedCount == 0 {
      fragments.finish()
      readBroken(at: health.lastTime)
      forgetLost()
    }
    let end = min(finishedCount + SessionTracker.finishedAtOnce, connections.count)
    for index in finishedCount..<end where connections[index].isInUse { close(index, .stillOpen) }
    finishedCount = end
    if end < connections.count { return true }
    finishQUIC()
    noteFragments()
    finishDatagrams()
    health.forgottenDataConnections = dataConnections.forgotten
    health.forgottenNames = shared.names.forgotten
    health.longChains = shared.facts.beyondLimits.certificates
    health.longHellos = shared.facts.beyondLimits.extensions
    health.unfinishedSecretSearches = shared.facts.secretSearch.unfinishedCount
    health.signaturesNotVerified = shared.facts.signatures.notVerifiedCount
    health.forgottenConnections = recent.forgotten
    return false
  }

  /// The user's secrets, for handshakes that end from now on.
  package var secrets: SecretStore {
    _read { yield shared.facts.secrets }
    _modify { yield &shared.facts.secrets }
  }
}

// MARK: - Packets

extension SessionTracker {
  /// Decodes and processes a packet. Returns whether complete sessions are ready to be taken.
  @inline(never)
  mutating func read(_ bytes: Span<UInt8>, linkType: UInt16, _ reference: PacketReference, _ process: CapturedProcess?) -> Bool {
    if linkType == FastPathSegment.linkType, let segment = FastPathSegment(ethernetV6: bytes), skip(segment) { return false }
    var headers = PacketHeaders()
    let kind = headers.decode(bytes, linkType: linkType)
    let packet = Packet(bytes, headers, at: reference, of: process)
    switch kind {
    case .tcp: processSegment(packet)
    case .udp: processDatagram(packet)
    case .unread(let reason): processUnread(reason, packet)
    }
    return !finished.isEmpty
  }

  mutating func processDatagram(_ packet: Packet) {
    let payload = packet.payload
    if packet.headers.hasDNSPort, !isQUIC(packet) {
      shared.names.learn(from: payload, frame: packet.reference.frame)
      return
    }
    guard payload.count > 0 else { return }
    if DTLSRecord.firstBytes.contains(payload[0]), !isBetweenEndpointsOfQUIC(packet.headers),
      payload[0] == 22 || !datagrams.isEmpty || TLSRecognition.isDTLS(payload, lengthOnWire: packet.headers.payloadLengthOnWire)
    {
      readDTLS(packet)
      return
    }
    if countHiddenHandshake(packet) { return }
    if payload[0] >= 0x40 || !quic.isEmpty || googleVersion(of: packet) != nil { processQUIC(packet) }
  }

  /// Processes a segment, and begins to watch its connection if there is a reason to.
  mutating func processSegment(_ packet: Packet) {
    // A bare acknowledgment shows nothing about a handshake.
    guard packet.headers.payloadLengthOnWire > 0 || packet.headers.flags.changeConnection else { return }
    let lookup = table.lookup(from: packet.headers.sender, to: packet.headers.receiver)
    let head = SegmentHead(packet, lookup.direction)
    var index: Int
    if let known = lookup.index {
      index = known
      if head.path != 0 || !connections[index].isNamedByEndpoints
        || !connections[index].isNear(head) && !connections[index].isFirstReply(head)
      {
        switch choose(lookup, at: known, head, packet) {
        case .known(let chosen): index = chosen
        case .another(let twin):
          return openAnother(table.key(at: known), lookup.hash, sharingNumbersWith: twin, head, packet)
        case .none: return
        }
      }
      if let process = packet.process, connections[index].process == nil {
        connections[index].process = process
      }
    } else {
      guard
        let new = open(ConnectionKey(packet.headers.sender, packet.headers.receiver), lookup.hash, head, packet)
      else { return }
      index = new
    }
    advance(index, head, packet)
    if openBytes > limits.openBytes { relieve() }
  }

  /// How to treat a segment of an untracked connection.
  private enum Start {
    /// Watch the connection; `prior` is its remembered mark.
    case watch(prior: Mark?)
    /// Count it as a connection of TLS or HTTP that was not captured from its start, and remember this mark of it.
    case countMiddle(Mark)
    case nothing
  }

  /// Decides by its first bytes how to treat a segment without SYN of an untracked connection.
  private mutating func start(_ key: ConnectionKey, _ head: SegmentHead, _ packet: Packet, _ hash: UInt64) -> Start {
    let payload = packet.payload
    let kind = StreamBeginning.newBeginning(payload)
    let isRecord = kind == nil && RecordStream.seemsToBegin(in: payload)
    let isSOCKS = kind == nil && StreamBeginning.isSOCKSRequest(payload)
    let isFTP = kind == nil && FTPDataPorts.isCommand(payload)
    let isResponse = kind == nil && HTTPRecognition.response(payload) == .yes
    let isOther = kind != nil || isRecord || isSOCKS || isFTP || isResponse
    let foreign = isOther ? nil : ForeignProtocol(messages: payload)
    guard isOther || foreign != nil else { return .nothing }
    let known = recent.mark(of: hash).map(Mark.init(rawValue:))
    if let foreign {
      // The first messages identify the protocol.
      let refined = known == nil ? foreign : known?.foreignProtocol?.refined(by: payload)
      if let refined { recent.remember(hash, mark: Mark(refined).rawValue) }
      return .nothing
    }
    if isResponse {
      let mark = Mark(server: head.direction)
      guard let known else { return .countMiddle(mark) }
      if known.server != nil {
        recent.remember(hash, mark: (known.countedServer.map { mark.counted(server: $0) } ?? mark).rawValue)
      }
      return .nothing
    }
    // A server sends requests only within a body, whose beginning was captured earlier or not at all.
    let isRequest = kind?.isOfHTTPClient(payload) == true
    if isRequest, known?.server == head.direction || packet.headers.isFromServerPort { return .nothing }
    // Messages that precede a change to TLS do not precede a request: they were part of another one, or of a response.
    let prior = known?.server == nil && !(isRequest && known?.foreignProtocol != nil) ? known : nil
    // If it does not become a session now, it is counted again.
    if kind != nil, known?.server != nil, let server = known?.countedServer { uncountWithoutHandshake(key[server]) }
    switch kind {
    // A hello after cleartext HTTP probably begins a new connection on the same ports, whose SYN is missing.
    case let kind? where kind != .hello && prior?.isAfter(packet.headers.sequence) == true:
      if isRequest { health.requestsAfterEnd += 1 }
      return .nothing
    case .undecided?: return prior?.isDone == true ? .nothing : .watch(prior: prior)
    case _?:
      // After a handshake that was read, the same hello is a retransmission.
      if let prior, prior.isDone, !prior.isContradicted(by: payload) { return .nothing }
      return .watch(prior: prior?.isDone == true || prior?.isEnded == true ? nil : prior)
    case nil where isFTP || isSOCKS && prior == nil: return .watch(prior: prior)
    // TLS in its middle is counted once, since it cannot become a session; so is HTTP before its first request.
    case nil: return isRecord && (known == nil || known?.foreignProtocol != nil) ? .countMiddle(known ?? .middle) : .nothing
    }
  }

  /// Begins to watch an untracked connection, if this packet gives a reason to. Returns its index, or nil.
  mutating func open(_ key: ConnectionKey, _ hash: UInt64, _ head: SegmentHead, _ packet: Packet) -> Int? {
    var prior: Mark?
    if head.flags.contains(.syn) {
      // Without the client's SYN, a SYN-ACK after a handshake that was read is a copy; the hello of a new connection is recognized alone.
      if head.flags.contains(.ack), recent.mark(of: hash).map(Mark.init(rawValue:))?.isHello == true { return nil }
    } else {
      switch start(key, head, packet, hash) {
      case .watch(let known): prior = known
      case .countMiddle(let mark):
        let server = mark.server.map { key[$0] } ?? serverOf(key)
        recent.remember(hash, mark: mark.counted(server: server == key.lower ? .fromLower : .fromUpper).rawValue)
        countWithoutHandshake(server)
        return nil
      case .nothing: return nil
      }
    }
    let now = packet.reference.time?.seconds ?? 0
    makeRoom(now)
    let index = table.insert(key, hash: hash)
    if connections.isEmpty { reserve() }
    if index < connections.count {
      connections[index] = Connection(lastSeen: now)
    } else {
      connections.append(Connection(lastSeen: now))
    }
    // Set in place, because a connection is large.
    connections[index].tunnels = tunnelLayers.layers(of: packet.headers.tunnels)
    connections[index].process = packet.process
    connections[index].priorMark = prior
    if head.path != 0 { connections[index].notePath(head) }
    if let observer { connections[index].isObserved = observer.begin(index, between: key, hasSYN: head.flags.contains(.syn)) }
    return index
  }
}

extension PacketHeaders {
  /// Whether a segment is from a system port to a port that is not one. Clients do not use system ports (RFC 6335 §6).
  fileprivate var isFromServerPort: Bool { sourcePort < 1024 && destinationPort >= 1024 }

  /// Whether one endpoint has the port of DNS or mDNS (RFC 1035 §4.2, RFC 6762 §3), or the sender has that of LLMNR (RFC 4795 §2).
  fileprivate var hasDNSPort: Bool {
    sourcePort == 53 || destinationPort == 53 || sourcePort == 5353 || destinationPort == 5353 || sourcePort == 5355
  }
}
