import ByteParsing
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
  /// Takes a datagram that may be one of QUIC; the headers are those of the present packet.
  mutating func processQUIC(_ datagram: Span<UInt8>, _ moment: Moment) {
    switch QUICRecognition(datagram) {
    case .other:
      if isOfPortOfHTTPS, QUICRecognition.mayBeInitial(datagram) {
        counts.count(quicOfOtherVersion: QUICRecognition.versionNumber(of: datagram))
      }
    case .shortHeader:
      if !quic.isEmpty || isOfPortOfHTTPS { processShortHeader(datagram, moment) }
    case .otherVersion:
      counts.count(quicOfOtherVersion: QUICRecognition.versionNumber(of: datagram))
    case .handshakePacket:
      counts.quicDatagrams += 1
      processLongHeader(datagram, moment)
    }
  }

  /// Whether a datagram with a port of DNS is QUIC. As a message of DNS one that begins with these versions would have 256
  /// questions and more.
  func isQUIC(_ datagram: Span<UInt8>) -> Bool {
    if isBetweenEndsOfQUIC { return true }
    guard case .handshakePacket = QUICRecognition(datagram), let header = try? LongHeader(parsing: datagram)
    else { return false }
    return header.version != .negotiation && !header.version.isReserved
  }

  /// Whether the present packet has the ends of a QUIC connection whose handshake is open.
  var isBetweenEndsOfQUIC: Bool {
    guard !quic.isEmpty else { return false }
    let place = quicPlace()
    guard place.index >= 0, case .open = quic.entries[place.index] else { return false }
    return true
  }

  private var isOfPortOfHTTPS: Bool { headers.sourcePort == 443 || headers.destinationPort == 443 }

  // Inlined: a call that only borrows the tracker is given a copy of it.
  @inline(__always)
  private func quicPlace() -> ConnectionTable.Place {
    quic.table.place(from: headers.sender, to: headers.receiver)
  }

  /// Most packets of QUIC end here: those of connections whose handshake has been read.
  private mutating func processShortHeader(_ datagram: Span<UInt8>, _ moment: Moment) {
    let place = quicPlace()
    if place.index >= 0, case .open(let session, let isSwapped) = quic.entries[place.index],
      session.receiveShort(
        datagram, in: place.direction.reversed(if: isSwapped), at: moment, sharing: &shared.facts)
    {
      if session.connection.isOver { closeQUIC(session, .done) }
      return
    }
    guard place.index < 0 || !quic.detached.isEmpty else { return }
    guard
      let (session, direction) = quic.session(ofShort: datagram, from: headers.sender, to: headers.receiver),
      session.receiveShort(datagram, in: direction, at: moment, sharing: &shared.facts)
    else {
      if place.index < 0, isOfPortOfHTTPS, datagram[0] & 0x40 != 0 { counts.quicOfUnknownConnections += 1 }
      return
    }
    follow(session, to: place, direction, moment)
    if session.connection.isOver { closeQUIC(session, .done) }
  }

  /// Remembers that a session goes on between other ends than before, where nothing else does.
  private mutating func follow(
    _ session: QUICSession, to place: ConnectionTable.Place, _ direction: Direction, _ moment: Moment
  ) {
    let key = ConnectionKey.make(headers).key
    guard key != session.key else { return }
    session.move(at: moment)
    readings?.move(from: session.key, to: key)
    guard place.index < 0, quic.table.count < QUICSessions.limit else { return }
    quic.insert(key, hash: place.hash, .open(session, isSwapped: place.direction != direction))
  }

  private mutating func processLongHeader(_ datagram: Span<UInt8>, _ moment: Moment) {
    let place = quicPlace()
    if let (session, direction) = quic.session(ofLong: datagram, from: headers.sender, to: headers.receiver),
      place.index < 0 || !session.places.contains(place.index), !isKnown(datagram, at: place.index),
      !session.connection.isContradicted(by: datagram, in: direction)
    {
      follow(session, to: place, direction, moment)
      _ = advance(session, in: direction, datagram, moment)
      return
    }
    if place.index >= 0 {
      switch quic.entries[place.index] {
      case .open(let session, let isSwapped):
        if advance(session, in: place.direction.reversed(if: isSwapped), datagram, moment) { return }
        quic.remove(place.index)
        if session.places.isEmpty { setAside(session) }
      case .over(let originals, _):
        // What is sent again, and what follows, is no news; another first connection ID is.
        guard let header = try? LongHeader(parsing: datagram), header.type == .initial,
          !originals.contains(header.destination), QUICSession.opens(datagram, header)
        else { return }
        quic.remove(place.index)
      case .free: return
      }
    }
    guard let header = try? LongHeader(parsing: datagram) else {
      countUnreadQUIC(datagram)
      return
    }
    // What comes before the first Initial packet is kept for it; where none comes, the connection is counted.
    guard header.type != .versionNegotiation else { return }
    makeQUICRoom(moment.time?.seconds ?? 0)
    let tunnels = headers.tunnels.isEmpty ? nil : tunnelTexts.texts(of: headers.tunnels)
    let key = ConnectionKey.make(headers).key
    let session = QUICSession(ticket: queue.draw(at: moment.frame), key: key, tunnels: tunnels)
    session.isOfNamedVersion = !header.version.isReserved
    quic.insert(key, hash: place.hash, .open(session, isSwapped: false))
    _ = advance(session, in: place.direction, datagram, moment)
  }

  /// Whether a datagram is for a name of the connection between its ends; others may have chosen the same name.
  private func isKnown(_ datagram: Span<UInt8>, at index: Int) -> Bool {
    guard index >= 0, case .open(let session, _) = quic.entries[index],
      let header = try? LongHeader(parsing: datagram)
    else { return false }
    return session.connection.names.contains(header.destination)
  }

  /// Leaves a session whose two ends have begun another connection to its names, if those tell its packets apart.
  private mutating func setAside(_ session: QUICSession) {
    guard session.connection.names.count > 1 else {
      closeQUIC(session, .superseded)
      return
    }
    if quic.detached.count >= QUICSessions.detachedLimit, let oldest = quic.detached.first {
      closeQUIC(oldest, .superseded)
    }
    quic.detach(session)
  }

  /// Counts a long header of a known version behind which the packet does not fit: cut, or no QUIC at all.
  private mutating func countUnreadQUIC(_ datagram: Span<UInt8>) {
    if headers.payloadLengthOnWire > datagram.count { counts.quicCutPackets += 1 }
  }

  /// False where the datagram begins another connection between the same ends.
  private mutating func advance(
    _ session: QUICSession, in direction: Direction, _ datagram: Span<UInt8>, _ moment: Moment
  ) -> Bool {
    if session.process == nil { session.process = packetProcess }
    if session.disputedFragment == 0 { session.disputedFragment = disputedFragment }
    let isCut = headers.payloadLengthOnWire > headers.payloadLength
    let held = session.heldBytes
    let disposition = session.receive(
      datagram, in: direction, isCut: isCut, at: moment, sharing: &shared.facts)
    quic.heldBytes += session.heldBytes - held
    if disposition == .startsAnother { return false }
    quic.learnNames(of: session)
    if session.connection.isOver {
      closeQUIC(session, .done)
    } else if quic.heldBytes > limits.heldBytes {
      counts.evictedConnections += 1
      closeQUIC(session, .limit)
    }
    return true
  }

  /// Hands in what was seen of a connection; its places stay.
  mutating func closeQUIC(_ session: QUICSession, _ ending: Ending) {
    guard !session.isHandedIn else { return }
    session.isHandedIn = true
    quic.forget(session)
    quic.heldBytes -= session.heldBytes
    let weight = MemoryWeight.ownBytes + session.heldBytes
    session.breakOff(sharing: &shared.facts)
    if session.connection.hitLimit { counts.oversizedMessages += 1 }
    counts.disagreeingBytes += UInt64(session.connection.disagreeingBytes)
    let facts = ConnectionFacts(
      opener: session.connection.clientDirection, truncatedPackets: session.truncatedPackets,
      saw: session.saw, priorMark: nil, tunnels: session.tunnels,
      process: session.process, disagreeingBytes: 0, disputedFragment: session.disputedFragment)
    let finishedSession = SessionAssembly(
      file: file, key: session.key, connection: facts, ending: ending, names: shared.names.unlessEmpty
    )
    .quicSession(session)
    if finishedSession == nil {
      counts.quicWithoutHello += 1
      if session.isOfNamedVersion { countWithoutHandshake(session.server ?? serverOf(session.key)) }
    }
    queue.handIn(session.ticket, finishedSession, weight: weight, to: &finished)
    let originals =
      session.connection.givenUpDestinations + [session.connection.originalDestination].compactMap { $0 }
    for place in session.places {
      quic.entries[place] = .over(originals: originals, lastSeen: session.lastSeen)
    }
    session.places = []
  }

  /// Ends every QUIC connection that is open: no more packets will come.
  mutating func finishQUIC() {
    for index in quic.entries.indices {
      if case .open(let session, _) = quic.entries[index] { closeQUIC(session, .stillOpen) }
    }
    for session in quic.detached { closeQUIC(session, .stillOpen) }
  }

  /// Forgets connections that have been silent for long, and one more where no place is free.
  private mutating func makeQUICRoom(_ now: Int64) {
    let isFull = quic.table.count >= QUICSessions.limit
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
    guard quic.table.count >= QUICSessions.limit, let longest else { return }
    if case .open = quic.entries[longest.index] { counts.evictedConnections += 1 }
    removeQUIC(longest.index, .limit)
  }

  private mutating func removeQUIC(_ index: Int, _ ending: Ending) {
    if case .open(let session, _) = quic.entries[index] { closeQUIC(session, ending) }
    quic.remove(index)
  }
}

extension QUICSession {
  /// Whether an Initial packet opens with the keys of its own connection ID, and so is a client's first.
  static func opens(_ datagram: Span<UInt8>, _ header: LongHeader) -> Bool {
    var connection = QUICConnection()
    _ = connection.receive(datagram, in: .fromLower, frame: 0, secrets: SecretStore())
    return connection.clientDirection == .fromLower
  }
}
