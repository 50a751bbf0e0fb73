package import HandshakeDecryption
import PacketParsing
import Reassembly
package import Values
import BasicContainers
package import DequeModule
import ByteParsing
import CleartextObservation
import HTTPParsing
package import SessionModel
import TLSObservation
import TLSParsing

/// Takes the packets of one capture, in order, and returns the sessions that they show.
///
/// Only connections with an open handshake (or with cleartext requests) are held: a packet of any other costs one look-up.
package struct SessionTracker: ~Copyable {
  /// What was read and what was not.
  package var health: ObservationHealth {
    var health = counts
    health.lastTime = lastTime
    return health
  }

  /// The same without the time of the last packet.
  var counts = ObservationHealth()

  /// Sessions that are over, in the order of their first packets.
  package internal(set) var finished: Deque<ObservedSession> = []

  /// Packets in earlier parts of the capture: frame numbers go on from there.
  package var framesBefore: UInt64 = 0

  /// What was read of the connections that an extract copies; nil for anything else.
  package var layouts: ConnectionLayouts?

  let file: String
  let limits: ObservationLimits
  var table = ConnectionTable()
  var recent = RecentConnections()
  var recentBytes = RecentBytes()
  var connections = UniqueArray<Connection>()
  var conversations = ConversationPool()
  var fragments = FragmentReassembly()

  /// Turns in the order of first packets, kept for segments whose fragments are incomplete, by their first packets.
  var fragmentTurns: [UInt64: Int] = [:]
  var tunnelTexts = TunnelTexts()
  var shared = ObservationTables()
  var queue = SessionQueue()
  var quic = QUICSessions()
  var sweepPosition = 0
  var heldBytes = 0

  /// Bytes that all open connections take.
  var openBytes = 0
  var datagrams = DatagramConversations()
  var dataConnections = ExpectedDataConnections()

  /// The number of connections that `finishSome` has ended or found ended.
  private var finishedCount = 0

  /// Connections that `finishSome` ends at once: tens of thousands may be open, and their sessions take more memory than they do.
  private static let finishedAtOnce = 4096

  /// The time of the last packet that was earlier than one before it, in seconds.
  var secondsAfterJump: Int64?

  /// The latest time of a packet as one number, seconds above 30 bits of nanoseconds, where it is plausible; `unknown` where `counts` has
  /// it.
  var latest = SessionTracker.unknown

  /// Creates a tracker for the capture that reports name `file`.
  package init(file: String, limits: ObservationLimits = ObservationLimits()) {
    self.file = file
    self.limits = limits
  }

  /// Connections that are held now.
  package var openConnections: Int { table.count }

  /// Forgets the sessions that are over, once they have been taken.
  package mutating func clearFinished() { finished.removeAll(keepingCapacity: true) }

  /// Removes and returns the first of the sessions that are over.
  package mutating func popFinished() -> ObservedSession? { finished.popFirst() }

  /// Reads one packet of the link type `linkType`, captured at `reference`, of a process where the capture says which. Returns whether
  /// sessions are over that wait to be taken.
  @discardableResult
  @inline(__always)
  package mutating func process(
    _ packet: Span<UInt8>, linkType: UInt16, originalLength: Int, at reference: PacketReference,
    of process: CapturedProcess? = nil
  ) -> Bool {
    count(packets: 1, bytes: packet.count)
    note(packet, originalLength: originalLength, at: reference)
    return dispatch(packet, linkType: linkType, reference, process)
  }

  /// Reads one frame of Ethernet, as `process` does, except that the caller counts the packets, with `count`.
  @inline(__always)
  package mutating func process(
    ethernet packet: Span<UInt8>, originalLength: Int, at reference: PacketReference
  ) -> Bool {
    note(packet, originalLength: originalLength, at: reference)
    return dispatch(packet, linkType: FastPathSegment.linkType, reference, nil)
  }

  @inline(__always)
  mutating func dispatch(
    _ packet: Span<UInt8>, linkType: UInt16, _ reference: PacketReference, _ process: CapturedProcess?
  ) -> Bool {
    if linkType == FastPathSegment.linkType, let segment = FastPathSegment(ethernetV4: packet), skip(segment) {
      return false
    }
    return read(packet, linkType: linkType, reference, process)
  }

  /// Counts packets that were read, and the bytes that the capture holds of them.
  @inline(__always)
  package mutating func count(packets: UInt64, bytes: Int) {
    counts.packets &+= packets
    counts.capturedBytes &+= UInt64(truncatingIfNeeded: bytes)
  }

  @inline(__always)
  mutating func note(_ packet: Span<UInt8>, originalLength: Int, at reference: PacketReference) {
    if originalLength > packet.count { counts.truncatedPackets &+= 1 }
    if let time = reference.time { note(time) }
  }

  /// Counts and skips a segment whose first bytes and flags show that `processSegment` would do nothing with it; returns false for any
  /// other. This saves reading the headers of nearly all segments of a capture.
  @inline(__always)
  mutating func skip(_ segment: borrowing FastPathSegment) -> Bool {
    if segment.payloadLengthOnWire > 0 || segment.flags.changeConnection {
      if segment.flags.contains(.syn) { return false }
      let hash = table.hash(of: segment)
      guard table.isAbsent(hash) else { return false }
      if let beginning = segment.beginning {
        // Data of TLS is what nearly all segments that seem to begin something have, after a handshake that is over or was not seen.
        if SegmentPrefilter.mayBegin(beginning),
          !SegmentPrefilter.isData(beginning) || !recent.isPresent(hash)
        {
          return false
        }
      } else if segment.payloadLength > 0 {
        return false
      }
    }
    counts.tcpSegments &+= 1
    return true
  }

  /// Ends every open connection: no more packets will come.
  package mutating func finish() { while finishSome() {} }

  /// Ends some of the open connections: no more packets will come. Returns whether others may be open still.
  package mutating func finishSome() -> Bool {
    if finishedCount == 0 {
      fragments.finish()
      readBroken(at: lastTime)
      forgetLost()
    }
    let end = min(finishedCount + SessionTracker.finishedAtOnce, connections.count)
    for index in finishedCount..<end where connections[index].isInUse { close(index, .stillOpen) }
    finishedCount = end
    if end < connections.count { return true }
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
    return false
  }

  /// Secrets that the user holds, for the handshakes that end from now on.
  package var secrets: SecretStore {
    _read { yield shared.facts.secrets }
    _modify { yield &shared.facts.secrets }
  }
}

// MARK: - Packets

extension SessionTracker {
  /// Reads a packet.
  @inline(never)
  mutating func read(
    _ bytes: Span<UInt8>, linkType: UInt16, _ reference: PacketReference, _ process: CapturedProcess?
  ) -> Bool {
    if linkType == FastPathSegment.linkType, let segment = FastPathSegment(ethernetV6: bytes), skip(segment) {
      return false
    }
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
    counts.udpDatagrams += 1
    let payload = packet.payload
    if packet.headers.isOfNameService, !isQUIC(packet) {
      shared.names.learn(from: payload, frame: packet.reference.frame)
      return
    }
    guard payload.count > 0 else { return }
    if DTLSRecord.firstBytes.contains(payload[0]), !isBetweenEndsOfQUIC(packet.headers),
      payload[0] == 22 || !datagrams.isEmpty
        || TLSRecognition.isDTLS(payload, lengthOnWire: packet.headers.payloadLengthOnWire)
    {
      readDTLS(packet)
      return
    }
    if payload[0] == OpenVPNReset.versionTwo || payload[0] == OpenVPNReset.versionThree,
      OpenVPNReset.isOne(payload, at: packet.reference.time?.seconds)
    {
      counts.openVPNBeginnings += 1
      return
    }
    if payload[0] >= 0x40 || !quic.isEmpty { processQUIC(packet) }
  }

  /// Processes a segment of a connection that is watched, or that is watched from now on.
  mutating func processSegment(_ packet: Packet) {
    counts.tcpSegments &+= 1
    let headers = packet.headers
    // A bare acknowledgment shows nothing of a handshake.
    guard headers.payloadLengthOnWire > 0 || headers.flags.changeConnection else { return }
    let place = table.place(from: headers.sender, to: headers.receiver)
    let head = SegmentHead(packet, place.direction)
    var index = place.index
    if index < 0 {
      guard
        let new = open(ConnectionKey(headers.sender, headers.receiver), place.hash, head, packet)
      else { return }
      index = new
    } else {
      if head.path != 0 || !connections[index].isNamedByEndpoints
        || !connections[index].isNear(head) && !connections[index].isFirstAnswer(head)
      {
        switch choose(place, head, packet) {
        case .known(let chosen): index = chosen
        case .another(let twin): return openAnother(place, sharingNumbersWith: twin, head, packet)
        case .none: return
        }
      }
      if let process = packet.process, connections[index].process == nil {
        connections[index].process = process
      }
    }
    advance(index, head, packet)
    if openBytes > limits.openBytes { relieve() }
  }

  /// What the first bytes of a segment of a connection that is not watched give reason to.
  private enum Opening {
    /// To watch the connection, of which this is remembered.
    case watch(prior: UInt16?)
    /// To count it as one of TLS that was not seen from its start.
    case countMiddle
    case nothing
  }

  /// Decides by its first bytes what becomes of a segment without SYN of a connection that is not watched.
  private mutating func opening(_ payload: Span<UInt8>, _ hash: UInt64, _ sequence: UInt32) -> Opening {
    let kind = StreamBeginning.newBeginning(payload)
    let isRecord = kind == nil && RecordStream.seemsToBegin(in: payload)
    let isSOCKS = kind == nil && StreamBeginning.isSOCKSRequest(payload)
    let isFTP = kind == nil && FTPDataPorts.isCommand(payload)
    guard kind != nil || isRecord || isSOCKS || isFTP else { return .nothing }
    let prior = recent.mark(of: hash)
    switch kind {
    case _? where Mark.isSentAgain(sequence, after: prior): return .nothing
    case .undecided?: return Mark.isDone(prior) ? .nothing : .watch(prior: prior)
    case _?:
      // After a handshake that was read, a hello is one of its packets sent again, unless it is another one.
      if let prior, Mark.isDone(prior), !Mark.isOfAnother(payload, than: prior) { return .nothing }
      return .watch(prior: Mark.isDone(prior) || Mark.isEnded(prior) ? nil : prior)
    case nil where isFTP || isSOCKS && prior == nil: return .watch(prior: prior)
    // TLS from its middle on: said once, since no session will come of it.
    case nil: return prior == nil && isRecord ? .countMiddle : .nothing
    }
  }

  /// Begins to watch a connection that is not watched, if this packet gives a reason to.
  mutating func open(
    _ key: ConnectionKey, _ hash: UInt64, _ head: SegmentHead, _ packet: Packet
  ) -> Int? {
    var prior: UInt16?
    if !head.flags.contains(.syn) {
      switch opening(packet.payload, hash, packet.headers.sequence) {
      case .watch(let known): prior = known
      case .countMiddle:
        let server = serverOf(key)
        recent.remember(
          hash, mark: Mark.counted(Mark.middle, server: server == key.lower ? .fromLower : .fromUpper))
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
    // Filled where it lies: a connection is large.
    connections[index].tunnels = tunnelTexts.texts(of: packet.headers.tunnels)
    connections[index].process = packet.process
    connections[index].priorMark = prior
    if head.path != 0 { connections[index].notePath(head) }
    if let layouts { connections[index].layout = layouts.begin(key, hasSYN: head.flags.contains(.syn)) }
    return index
  }
}

extension PacketHeaders {
  /// Whether one endpoint has a port of DNS, also on a local link (RFC 1035 §4.2, RFC 6762 §3, RFC 4795 §2).
  fileprivate var isOfNameService: Bool {
    sourcePort == 53 || destinationPort == 53 || sourcePort == 5353 || destinationPort == 5353
      || sourcePort == 5355
  }
}
