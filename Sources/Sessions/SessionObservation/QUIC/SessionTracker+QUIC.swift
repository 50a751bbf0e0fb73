import ByteParsing
import HandshakeDecryption
import PacketParsing
import QUICObservation
import QUICParsing
import Reassembly
import Values

extension SessionTracker {
  /// Takes a datagram that may be one of QUIC; the headers are those of the present packet.
  mutating func processQUIC(_ datagram: Span<UInt8>, _ moment: Moment) {
    switch QUICRecognition(datagram) {
    case .other: return
    case .shortHeader:
      if !quic.isEmpty { processShortHeader(datagram, moment) }
    case .otherVersion:
      health.quicOfOtherVersions += 1
    case .handshakePacket:
      health.quicDatagrams += 1
      processLongHeader(datagram, moment)
    }
  }

  private func quicPlace() -> ConnectionTable.Place {
    quic.table.place(
      from: headers.source, headers.sourcePort, to: headers.destination, headers.destinationPort)
  }

  /// Most packets of QUIC end here: those of connections whose handshake has been read.
  private mutating func processShortHeader(_ datagram: Span<UInt8>, _ moment: Moment) {
    let place = quicPlace()
    guard place.index >= 0, case .open(let session) = quic.entries[place.index] else { return }
    session.receiveShort(datagram, fromLower: place.isFromLower, at: moment, sharing: &shared)
    if session.connection.isOver { closeQUIC(place.index, .done) }
  }

  private mutating func processLongHeader(_ datagram: Span<UInt8>, _ moment: Moment) {
    let place = quicPlace()
    if place.index >= 0 {
      switch quic.entries[place.index] {
      case .open(let session):
        if advance(session, place, datagram, moment) { return }
        closeQUIC(place.index, .superseded)
        quic.remove(place.index)
      case .over(let original, _):
        // What is sent again, and what follows, is no news; another first connection ID is.
        guard let header = try? LongHeader(parsing: datagram), header.type == .initial,
          header.destination != original, QUICSession.opens(datagram, header)
        else { return }
        quic.remove(place.index)
      case .free: return
      }
    }
    guard let header = try? LongHeader(parsing: datagram) else {
      countUnreadQUIC(datagram)
      return
    }
    // A packet of another type begins nothing that could be read.
    guard header.type == .initial else { return }
    makeQUICRoom(moment.time?.seconds ?? 0)
    let tunnels = headers.tunnels.isEmpty ? nil : tunnelTexts.texts(of: headers.tunnels)
    let session = QUICSession(ticket: queue.draw(), tunnels: tunnels)
    quic.insert(ConnectionKey.make(headers).key, hash: place.hash, session)
    _ = advance(session, quicPlace(), datagram, moment)
  }

  /// Counts a long header of a known version behind which the packet does not fit: cut, or no QUIC at all.
  private mutating func countUnreadQUIC(_ datagram: Span<UInt8>) {
    if headers.payloadLengthOnWire > datagram.count { health.quicCutPackets += 1 }
  }

  /// False where the datagram begins another connection between the same ends.
  private mutating func advance(
    _ session: QUICSession, _ place: ConnectionTable.Place, _ datagram: Span<UInt8>, _ moment: Moment
  ) -> Bool {
    if session.process == nil { session.process = packetProcess }
    let isCut = headers.payloadLengthOnWire > headers.payloadLength
    let held = session.connection.heldBytes
    let disposition = session.receive(
      datagram, fromLower: place.isFromLower, isCut: isCut, at: moment, sharing: &shared)
    quic.heldBytes += session.connection.heldBytes - held
    if disposition == .startsAnother { return false }
    if session.connection.isOver {
      closeQUIC(place.index, .done)
    } else if quic.heldBytes > limits.heldBytes {
      health.evictedConnections += 1
      closeQUIC(place.index, .limit)
    }
    return true
  }

  /// Hands in what was seen of a connection; its name stays.
  mutating func closeQUIC(_ index: Int, _ ending: Ending) {
    guard case .open(let session) = quic.entries[index] else { return }
    quic.heldBytes -= session.connection.heldBytes
    session.breakOff(sharing: &shared)
    if session.connection.hitLimit { health.oversizedMessages += 1 }
    health.disagreeingBytes += UInt64(session.connection.disagreeingBytes)
    let key = quic.table.key(at: index)
    let facts = ConnectionFacts(
      isOpenedByLower: session.connection.isClientLower, truncatedPackets: session.truncatedPackets,
      sawBothDirections: session.sawLower && session.sawUpper, priorMark: nil, tunnels: session.tunnels,
      process: session.process, disagreeingBytes: 0)
    let finishedSession = SessionAssembly(
      file: file, key: key, connection: facts, ending: ending, names: shared.nameTable
    )
    .quicSession(session)
    if finishedSession == nil { health.quicWithoutHello += 1 }
    queue.handIn(session.ticket, finishedSession, to: &finished)
    quic.entries[index] = .over(
      original: session.connection.originalDestination, lastSeen: session.lastSeen)
  }

  /// Ends every QUIC connection that is open: no more packets will come.
  mutating func finishQUIC() {
    for index in quic.entries.indices { closeQUIC(index, .stillOpen) }
  }

  /// Forgets connections that have been silent for long, and one more where no place is free.
  private mutating func makeQUICRoom(_ now: Int64) {
    let isFull = quic.table.count >= QUICSessions.limit
    var longest: (index: Int, lastSeen: Int64)?
    for _ in 0..<min(quic.entries.count, isFull ? 16 : 2) {
      let index = quic.nextToSweep()
      guard let lastSeen = quic.lastSeen(index) else { continue }
      if now - lastSeen > limits.idleSeconds {
        closeQUIC(index, .stillOpen)
        quic.remove(index)
      } else if lastSeen < longest?.lastSeen ?? .max {
        longest = (index, lastSeen)
      }
    }
    guard quic.table.count >= QUICSessions.limit, let longest else { return }
    if case .open = quic.entries[longest.index] { health.evictedConnections += 1 }
    closeQUIC(longest.index, .limit)
    quic.remove(longest.index)
  }
}

extension QUICSession {
  /// Whether an Initial packet opens with the keys of its own connection ID, and so is a client's first.
  static func opens(_ datagram: Span<UInt8>, _ header: LongHeader) -> Bool {
    var connection = QUICConnection()
    _ = connection.receive(datagram, fromLower: true, frame: 0, secrets: SecretStore())
    return connection.isClientLower == true
  }
}
