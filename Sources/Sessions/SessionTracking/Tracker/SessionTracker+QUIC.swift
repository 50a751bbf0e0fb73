import CleartextObservation
import HandshakeDecryption
import PacketParsing
import QUICObservation
import QUICParsing
import Reassembly
import SessionModel
import TLSObservation
import Values

extension SessionTracker {
  /// Processes a datagram that may be QUIC.
  mutating func processQUIC(_ packet: Packet) {
    let datagram = packet.payload
    switch QUICRecognition(datagram) {
    case .other:
      if packet.headers.isOfPortOfHTTPS, QUICRecognition.mayBeInitial(datagram) {
        health.count(quicOfOtherVersion: QUICRecognition.versionNumber(of: datagram))
      }
    case .shortHeader:
      if let version = googleVersion(of: packet) {
        health.count(quicOfOtherVersion: version)
      } else if !quic.isEmpty || packet.headers.isOfPortOfHTTPS {
        processShortHeader(packet)
      }
    case .otherVersion:
      health.count(quicOfOtherVersion: QUICRecognition.versionNumber(of: datagram))
    case .handshakePacket:
      health.quicDatagrams += 1
      processLongHeader(packet)
    }
  }

  /// The version in a datagram of Google's QUIC up to Q043, whose header is certain only at its usual ports; nil for other datagrams.
  func googleVersion(of packet: Packet) -> UInt32? {
    guard let version = QUICRecognition.versionNumber(inGoogleHeader: packet.payload) else { return nil }
    let headers = packet.headers
    return headers.isOfPortOfHTTPS || headers.sourcePort == 80 || headers.destinationPort == 80 ? version : nil
  }

  /// Whether a datagram with a DNS port is QUIC. As a DNS message, one with the version in these bytes would have 256 or more questions.
  func isQUIC(_ packet: Packet) -> Bool {
    if isBetweenEndpointsOfQUIC(packet.headers) { return true }
    let datagram = packet.payload
    guard case .handshakePacket = QUICRecognition(datagram), let header = try? LongHeader(parsing: datagram) else { return false }
    return header.version != .negotiation && !header.version.isReserved
  }

  /// Whether a packet has the endpoints of a QUIC connection with an open handshake.
  func isBetweenEndpointsOfQUIC(_ headers: PacketHeaders) -> Bool {
    guard !quic.isEmpty else { return false }
    guard let index = quicLookup(headers).index, case .open = quic.entries[index] else { return false }
    return true
  }

  // Inlined: a call that only borrows the tracker would be given a copy of it.
  @inline(__always)
  private func quicLookup(_ headers: PacketHeaders) -> ConnectionTable.Lookup {
    quic.table.lookup(from: headers.sender, to: headers.receiver)
  }

  /// Processes a packet with a short header. Most QUIC packets end here, since their connection's handshake has been read.
  private mutating func processShortHeader(_ packet: Packet) {
    let (datagram, reference, headers) = (packet.payload, packet.reference, packet.headers)
    let lookup = quicLookup(headers)
    if let index = lookup.index, case .open(let session, let isSwapped) = quic.entries[index],
      session.receiveShort(datagram, in: lookup.direction.reversed(if: isSwapped), at: reference, sharing: &shared.facts)
    {
      if session.connection.isOver { closeQUIC(session, .done) }
      return
    }
    guard lookup.index == nil || !quic.detached.isEmpty else { return }
    guard let (session, direction) = quic.session(ofShort: datagram, from: headers.sender, to: headers.receiver),
      session.receiveShort(datagram, in: direction, at: reference, sharing: &shared.facts)
    else {
      if lookup.index == nil, headers.isOfPortOfHTTPS, datagram[0] & 0x40 != 0 {
        health.quicOfUnknownConnections += 1
      }
      return
    }
    follow(session, to: lookup, direction, packet)
    if session.connection.isOver { closeQUIC(session, .done) }
  }

  /// Records that a session continues between other endpoints, if no other session is there.
  private mutating func follow(_ session: QUICSession, to lookup: ConnectionTable.Lookup, _ direction: Direction, _ packet: Packet) {
    let key = ConnectionKey.make(packet.headers).key
    guard key != session.key else { return }
    session.move(at: packet.reference)
    observer?.move(from: session.key, to: key)
    guard lookup.index == nil, quic.table.count < QUICSessions.maximumCount else { return }
    quic.insert(key, hash: lookup.hash, .open(session, isSwapped: lookup.direction != direction))
  }

  private mutating func processLongHeader(_ packet: Packet) {
    let (datagram, reference, headers) = (packet.payload, packet.reference, packet.headers)
    let lookup = quicLookup(headers)
    if let (session, direction) = quic.session(ofLong: datagram, from: headers.sender, to: headers.receiver),
      lookup.index.map({ !session.entryIndices.contains($0) && !isKnown(datagram, at: $0) }) ?? true,
      !session.connection.isContradicted(by: datagram, in: direction)
    {
      follow(session, to: lookup, direction, packet)
      _ = advance(session, in: direction, packet)
      return
    }
    if let index = lookup.index {
      switch quic.entries[index] {
      case .open(let session, let isSwapped):
        if advance(session, in: lookup.direction.reversed(if: isSwapped), packet) { return }
        quic.remove(index)
        if session.entryIndices.isEmpty { setAside(session) }
      case .over(let originals, _):
        // Retransmitted and later packets are ignored; another first connection ID begins a new connection.
        guard let header = try? LongHeader(parsing: datagram), header.type == .initial,
          !originals.contains(header.destination), QUICSession.opens(datagram)
        else { return }
        quic.remove(index)
      case .free: return
      }
    }
    guard let header = try? LongHeader(parsing: datagram) else {
      // A long header of a known version without a valid packet: truncated, or not QUIC at all.
      if headers.payloadLengthOnWire > datagram.count { health.truncatedQUICPackets += 1 }
      return
    }
    // Packets before the first Initial packet are kept for it; if none arrives, the connection is counted.
    guard header.type != .versionNegotiation else { return }
    makeQUICRoom(reference.time?.seconds ?? 0)
    let key = ConnectionKey.make(headers).key
    let session = QUICSession(
      turn: queue.takeTurn(at: reference.frame), key: key, first: reference, firstVersion: header.version,
      tunnels: tunnelLayers.layers(of: headers.tunnels))
    quic.insert(key, hash: lookup.hash, .open(session, isSwapped: false))
    _ = advance(session, in: lookup.direction, packet)
  }

  /// Whether a datagram is addressed to a connection ID of the connection between its endpoints; another connection may have chosen the
  /// same one.
  private func isKnown(_ datagram: Span<UInt8>, at index: Int) -> Bool {
    guard case .open(let session, _) = quic.entries[index],
      let header = try? LongHeader(parsing: datagram)
    else { return false }
    return session.connection.connectionIDs.contains(header.destination)
  }

  /// Detaches a session whose endpoints have begun another connection, if its connection IDs can identify its packets.
  private mutating func setAside(_ session: QUICSession) {
    guard session.connection.connectionIDs.count > 1 else {
      closeQUIC(session, .superseded)
      return
    }
    if quic.detached.count >= QUICSessions.maximumDetachedCount, let oldest = quic.detached.first {
      closeQUIC(oldest, .superseded)
    }
    quic.detach(session)
  }

  /// Processes a datagram of a session. Returns false if it begins another connection between the same endpoints.
  private mutating func advance(_ session: QUICSession, in direction: Direction, _ packet: Packet) -> Bool {
    if session.process == nil { session.process = packet.process }
    if session.disputedFragment == 0 { session.disputedFragment = packet.disputedFragment }
    let isTruncated = packet.headers.payloadLengthOnWire > packet.headers.payloadLength
    let held = session.heldBytes
    let disposition = session.receive(packet.payload, in: direction, isTruncated: isTruncated, at: packet.reference, sharing: &shared.facts)
    quic.heldBytes += session.heldBytes - held
    if disposition == .startsAnother { return false }
    quic.learnConnectionIDs(of: session)
    if session.connection.isOver {
      closeQUIC(session, .done)
    } else if quic.heldBytes > limits.heldBytes {
      health.evictedConnections += 1
      closeQUIC(session, .limit)
    }
    return true
  }

  /// Reports the session of a connection; its entries remain.
  mutating func closeQUIC(_ session: QUICSession, _ ending: Ending) {
    quic.forget(session)
    quic.heldBytes -= session.heldBytes
    let weight = MemoryWeight.ownBytes + session.heldBytes
    session.endReading(sharing: &shared.facts)
    if session.connection.hitLimit { health.oversizedMessages += 1 }
    health.disagreeingBytes += UInt64(session.connection.disagreeingBytes)
    let facts = ConnectionFacts(
      opener: session.connection.clientDirection, truncatedPackets: session.truncatedPackets, saw: session.saw, priorMark: nil,
      tunnels: session.tunnels, process: session.process, disagreeingBytes: session.connection.disagreeingBytes,
      disputeFrames: session.connection.disputeFrames, disputedFragment: session.disputedFragment)
    let finishedSession = SessionAssembly(
      file: file, key: session.key, connection: facts, ending: ending, names: shared.names.unlessEmpty
    )
    .quicSession(session)
    if finishedSession == nil {
      health.quicWithoutHello += 1
      // Other protocols may contain what looks like a reserved version.
      if !session.firstVersion.isReserved { countWithoutHandshake(session.server ?? serverOf(session.key)) }
    }
    queue.end(session.turn, finishedSession.map { EndedSession($0) }, weight: weight, to: &finished)
    let originals = session.connection.abandonedDestinations + [session.connection.originalDestination].compactMap { $0 }
    for index in session.entryIndices {
      quic.entries[index] = .over(originals: originals, lastSeen: session.lastSeen)
    }
    session.entryIndices = []
  }

  /// Ends every open QUIC connection: no more packets will come.
  mutating func finishQUIC() {
    for index in quic.entries.indices {
      if case .open(let session, _) = quic.entries[index] { closeQUIC(session, .stillOpen) }
    }
    for session in quic.detached { closeQUIC(session, .stillOpen) }
  }

  /// Removes idle connections, and evicts another one if the table is full.
  private mutating func makeQUICRoom(_ now: Int64) {
    let isFull = quic.table.count >= QUICSessions.maximumCount
    if let oldest = quic.detached.first, limits.isIdle(since: oldest.lastSeen, at: now) {
      closeQUIC(oldest, .stillOpen)
    }
    var longest: (index: Int, lastSeen: Int64)?
    for _ in 0..<min(quic.entries.count, isFull ? 16 : 2) {
      let index = quic.nextToSweep()
      guard let lastSeen = quic.lastSeen(index) else { continue }
      if limits.isIdle(since: lastSeen, at: now) {
        removeQUIC(index, .stillOpen)
      } else if lastSeen < longest?.lastSeen ?? .max {
        longest = (index, lastSeen)
      }
    }
    guard quic.table.count >= QUICSessions.maximumCount, let longest else { return }
    if case .open = quic.entries[longest.index] { health.evictedConnections += 1 }
    removeQUIC(longest.index, .limit)
  }

  private mutating func removeQUIC(_ index: Int, _ ending: Ending) {
    if case .open(let session, _) = quic.entries[index] { closeQUIC(session, ending) }
    quic.remove(index)
  }
}

extension QUICSession {
  /// Whether an Initial packet decrypts with the keys of its own connection ID, and is therefore a client's first.
  static func opens(_ datagram: Span<UInt8>) -> Bool {
    var connection = QUICConnection()
    _ = connection.receive(datagram, in: .fromLower, frame: 0, secrets: SecretStore())
    return connection.clientDirection == .fromLower
  }
}

extension PacketHeaders {
  fileprivate var isOfPortOfHTTPS: Bool { sourcePort == 443 || destinationPort == 443 }
}
