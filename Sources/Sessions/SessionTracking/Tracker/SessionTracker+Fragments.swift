import BasicContainers
import ByteParsing
import PacketParsing
import Reassembly
import SessionModel
import Values

extension SessionTracker {
  /// Processes a packet that could not be read down to TCP or UDP. A fragment may complete a packet, and an 802.11 frame may contain
  /// several; all others are counted.
  @inline(never)
  mutating func processUnread(_ reason: UnreadReason, _ packet: Packet) {
    switch reason {
    case .fragment:
      processFragment(packet)
      readAbandoned(at: packet.reference.time)
    case .aggregate:
      processAggregate(packet)
      readAbandoned(at: packet.reference.time)
    default:
      health.unread[reason, default: 0] += 1
      if packet.headers.isICMP(.unread(reason)) { processICMP(packet) }
      if reason == .unknownLinkType {
        health.unknownLinkTypes[packet.headers.unknownLinkType, default: 0] += 1
      }
    }
  }

  /// Processes the packets of an 802.11 aggregate, which is counted as unread if none of them could be read.
  private mutating func processAggregate(_ frame: Packet) {
    var headers = frame.headers
    var wasRead = false
    var firstReason: UnreadReason?
    while let kind = headers.decodeSubframe(frame.bytes) {
      let packet = Packet(
        frame.bytes, headers, at: frame.reference, of: frame.process, disputedFragment: frame.disputedFragment,
        isContested: frame.isContested)
      switch kind {
      case .tcp:
        wasRead = true
        processSegment(packet)
      case .udp:
        wasRead = true
        processDatagram(packet)
      case .unread(.fragment):
        wasRead = true
        processFragment(packet)
      case .unread(let reason):
        if firstReason == nil || reason.hidesSomething { firstReason = reason }
      }
    }
    if !wasRead || firstReason?.hidesSomething == true {
      health.unread[firstReason ?? .aggregate, default: 0] += 1
    }
  }

  private mutating func processFragment(_ packet: Packet) {
    let (reference, seconds) = (packet.reference, packet.reference.time?.seconds)
    var headers = packet.headers
    var whole = fragments.add(headers, packet.payload, seconds: seconds, frame: reference.frame)
    if fragments.hasBegun { takeFragmentTurn(headers, at: reference.frame) }
    // A fragment in an aggregate shares the disputes about it.
    var (disputedFragment, isContested) = (packet.disputedFragment, packet.isContested)
    // A reassembled packet may be a tunnel's and contain a fragment itself.
    while let datagram = whole {
      whole = nil
      let bytes = datagram.payload
      if let turn = fragmentTurns.removeValue(forKey: datagram.firstFrame) {
        queue.end(turn, nil, weight: 0, to: &finished)
      }
      if disputedFragment == 0 { disputedFragment = datagram.disputeFrame }
      if datagram.isContested { isContested = true }
      let kind = headers.decode(reassembled: bytes.span, protocolNumber: datagram.protocolNumber, lengthOnWire: datagram.lengthOnWire)
      let packet = Packet(
        bytes.span, headers, at: reference, of: packet.process, disputedFragment: disputedFragment, isContested: isContested)
      switch kind {
      case .tcp: processSegment(packet)
      case .udp: processDatagram(packet)
      case .unread(.fragment):
        whole = fragments.add(headers, packet.payload, seconds: seconds, frame: reference.frame)
        if fragments.hasBegun { takeFragmentTurn(headers, at: reference.frame) }
      case .unread(.aggregate): processAggregate(packet)
      case .unread(let reason): health.unread[reason, default: 0] += 1
      }
    }
  }

  /// Takes a turn for a segment with missing fragments. If they never arrive, the incomplete segment is read late, and its session may
  /// begin here.
  private mutating func takeFragmentTurn(_ headers: PacketHeaders, at frame: UInt64) {
    guard headers.fragment.protocolNumber == 6, fragmentTurns[frame] == nil else { return }
    fragmentTurns[frame] = queue.takeTurn(at: frame)
  }

  /// Passes the turn of a segment to its connection, if that has a later one.
  private mutating func passTurn(_ turn: Int, to lookup: ConnectionTable.Lookup?) {
    var spare = turn
    if let index = lookup?.index, let own = connections[index].turn, own > turn {
      connections[index].turn = turn
      spare = own
    }
    queue.end(spare, nil, weight: 0, to: &finished)
  }

  /// Reads incomplete datagrams as far as possible and releases the turns of the rest.
  private mutating func readAbandoned(at time: Timestamp?) {
    readBroken(at: time)
    forgetLost()
  }

  /// Releases the turns of segments that have been incomplete for too long: only fragments advance this timeout, and no more may arrive.
  /// Readable parts are read with the next fragment, not in the middle of another packet.
  @inline(never)
  mutating func forgetLost(before now: Int64) {
    fragments.abandon(before: now)
    forgetLost()
  }

  /// Releases the turns of segments of which nothing can be read.
  mutating func forgetLost() {
    for frame in fragments.takeLost() {
      guard let turn = fragmentTurns.removeValue(forKey: frame) else { continue }
      queue.end(turn, nil, weight: 0, to: &finished)
    }
  }

  /// Reads incomplete datagrams as far as possible: their bytes belong in their streams all the same.
  mutating func readBroken(at time: Timestamp?) {
    for datagram in fragments.takeBroken() {
      let start = datagram.start
      var headers = datagram.headers
      let kind = headers.decode(
        reassembled: start.span, protocolNumber: headers.fragment.protocolNumber, lengthOnWire: datagram.knownLength)
      switch kind {
      case .tcp: readBroken(datagram, headers, at: time)
      case .udp:
        processDatagram(
          Packet(
            start.span, headers, at: PacketReference(frame: datagram.frame, time: time), of: nil, disputedFragment: datagram.disputeFrame))
      // Already counted as a packet with missing fragments.
      case .unread: break
      }
      if let turn = fragmentTurns.removeValue(forKey: datagram.firstFrame) {
        passTurn(turn, to: kind == .tcp ? table.lookup(from: headers.sender, to: headers.receiver) : nil)
      }
    }
  }

  /// Reads an incomplete segment as several shorter ones.
  private mutating func readBroken(_ datagram: BrokenDatagram, _ whole: PacketHeaders, at time: Timestamp?) {
    var headers = whole
    let headerLength = headers.payloadOffset
    headers.forgetChecksum()
    let first = SequenceNumber(headers.sequence).advanced(by: headers.flags.contains(.syn) ? 1 : 0)
    // The FIN belongs only to the end of the whole segment.
    let withoutEnd = headers.flags.subtracting(.fin)
    if !datagram.rest.isEmpty || datagram.length != datagram.start.count { headers.flags = withoutEnd }
    headers.payloadLengthOnWire = max(0, datagram.startLengthOnWire - headerLength)
    processPart(datagram.start, headers, of: datagram, PacketReference(frame: datagram.frame, time: time))
    for piece in datagram.rest where piece.start >= headerLength {
      headers.sequence = first.advanced(by: piece.start - headerLength).rawValue
      headers.flags = withoutEnd.subtracting(.syn)
      headers.payloadOffset = 0
      headers.payloadLength = piece.bytes.count
      headers.payloadLengthOnWire = piece.lengthOnWire
      processPart(piece.bytes, headers, of: datagram, PacketReference(frame: piece.frame, time: time))
    }
  }

  private mutating func processPart(_ bytes: Bytes, _ headers: PacketHeaders, of datagram: BrokenDatagram, _ reference: PacketReference) {
    processSegment(
      Packet(bytes.span, headers, at: reference, of: nil, disputedFragment: datagram.disputeFrame, isContested: datagram.disputeFrame > 0))
  }

  /// Copies the fragment counters.
  mutating func noteFragments() {
    health.fragments = fragments.fragments
    health.reassembledPackets = fragments.wholeDatagrams
    health.incompletePackets = fragments.incompleteDatagrams
    health.abandonedFragments = fragments.limitedDatagrams
    health.disagreeingFragmentBytes = fragments.disagreeingBytes
    health.contradictingFragments = fragments.contradictingFragments
  }
}

/// The layers of sessions; connections in the same tunnels share them.
struct EnclosingLayers {
  private var path = TunnelPath()
  private var layers: [EnclosingLayer] = []

  /// The layers for the tunnels, outermost first; nil if there are none.
  mutating func layers(of path: TunnelPath) -> [EnclosingLayer]? {
    if path.isEmpty { return nil }
    if path != self.path {
      self.path = path
      layers = path.descriptions.map { EnclosingLayer($0) }
    }
    return layers
  }
}
