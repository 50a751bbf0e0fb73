import ByteParsing
import QUICObservation
import QUICParsing
import Reassembly
import TLSObservation
import Values

/// The QUIC connections that are watched, by their two ends, and by the names that packets are sent to.
///
/// One whose handshake is over stays as a place only, until it has been silent for long: packets that are sent again
/// must not begin a session anew.
struct QUICSessions: ~Copyable {
  /// What is held of a connection.
  enum Entry {
    /// The place is free.
    case free
    /// The handshake continues; `isSwapped`, if the lesser end of these two is the greater of those it began between.
    case open(QUICSession, isSwapped: Bool)
    /// The handshake has been read; its hellos went to these names, the given up ones included.
    case over(originals: [ConnectionID], lastSeen: Int64)
  }

  var table = ConnectionTable()
  var entries: ContiguousArray<Entry> = []
  private var sweepPosition = 0

  /// Bytes that all open handshakes hold together.
  var heldBytes = 0

  /// Open handshakes whose ends have begun another connection since, oldest first: only their names lead to them.
  private(set) var detached: [QUICSession] = []

  private var names: [ConnectionID: QUICSession] = [:]

  /// How many names have how many bytes: a short header does not say where the name in it ends.
  private var nameCounts = [Int](repeating: 0, count: ConnectionID.maximumByteCount + 1)

  init() {}

  /// Connections that may be held at once; a handshake takes a few kilobytes.
  static let maximumCount = 16_384

  /// Handshakes that may be open beside others between the same two ends.
  static let maximumDetachedCount = 256

  /// Whether there is nothing to be looked up.
  var isEmpty: Bool { table.count == 0 }

  /// Adds an entry and returns its index.
  @discardableResult
  mutating func insert(_ key: ConnectionKey, hash: UInt64, _ entry: Entry) -> Int {
    let index = table.insert(key, hash: hash)
    if index < entries.count { entries[index] = entry } else { entries.append(entry) }
    if case .open(let session, _) = entry { session.places.append(index) }
    return index
  }

  /// Forgets an entry.
  mutating func remove(_ index: Int) {
    if case .open(let session, _) = entries[index] { session.places.removeAll { $0 == index } }
    entries[index] = .free
    table.remove(at: index)
  }

  /// The next entries to look at for silence: a few with each new connection, all of them in turn.
  mutating func nextToSweep() -> Int {
    sweepPosition = sweepPosition + 1 < entries.count ? sweepPosition + 1 : 0
    return sweepPosition
  }

  /// When an entry was last heard of; nil for a free place.
  func lastSeen(_ index: Int) -> Int64? {
    switch entries[index] {
    case .free: nil
    case .open(let session, _): session.lastSeen
    case .over(_, let lastSeen): lastSeen
    }
  }
}

// MARK: - Names

extension QUICSessions {
  /// Leaves a session to its names alone.
  mutating func detach(_ session: QUICSession) { detached.append(session) }

  /// Records the names that a session has by now.
  mutating func learnNames(of session: QUICSession) {
    for name in session.connection.names where !session.knownNames.contains(name) {
      session.knownNames.append(name)
      if names.updateValue(session, forKey: name) == nil { nameCounts[name.bytes.count] += 1 }
    }
  }

  /// Forgets the names of a session whose handshake is over.
  mutating func forget(_ session: QUICSession) {
    for name in session.knownNames where names[name] === session {
      names[name] = nil
      nameCounts[name.bytes.count] -= 1
    }
    session.knownNames = []
    detached.removeAll { $0 === session }
  }

  /// The session that a datagram with a long header is for by its name, and whether it comes from that session's lesser end.
  func session(
    ofLong datagram: Span<UInt8>, from source: Endpoint, to destination: Endpoint
  ) -> (QUICSession, direction: Direction)? {
    guard !names.isEmpty, datagram.count > 6 else { return nil }
    let count = Int(datagram[5])
    guard count > 0, count <= ConnectionID.maximumByteCount, datagram.count >= 6 + count else { return nil }
    return session(named: ConnectionID(datagram.extracting(6..<(6 + count))), source, destination)
  }

  /// The same for one with a short header.
  func session(
    ofShort datagram: Span<UInt8>, from source: Endpoint, to destination: Endpoint
  ) -> (QUICSession, direction: Direction)? {
    guard !names.isEmpty else { return nil }
    for count in 1..<nameCounts.count where nameCounts[count] > 0 && datagram.count > count {
      let name = ConnectionID(datagram.extracting(1..<(1 + count)))
      if let found = session(named: name, source, destination) { return found }
    }
    return nil
  }

  /// A name alone proves little: the server, which does not move before the handshake is over (RFC 9000 §9), has to be
  /// the same.
  private func session(
    named name: ConnectionID, _ source: Endpoint, _ destination: Endpoint
  ) -> (QUICSession, direction: Direction)? {
    guard let session = names[name], let isFromClient = session.connection.isFromClient(to: name),
      let clientDirection = session.connection.clientDirection,
      session.server == (isFromClient ? destination : source)
    else { return nil }
    return (session, clientDirection.reversed(if: !isFromClient))
  }
}
