import ByteParsing
import QUICObservation
package import QUICParsing
package import Reassembly
package import Values

/// The QUIC connections that are watched, by their endpoints and by their connection IDs.
///
/// A connection whose handshake is complete remains as an entry until it has been idle for long, so that retransmitted packets do not begin
/// a new session.
package struct QUICSessions: ~Copyable {
  /// The state of an entry.
  package enum Entry {
    /// The slot is free.
    case free
    /// The handshake is in progress. `isSwapped` if the lower endpoint here corresponds to the upper one of the session's first packet.
    case open(QUICSession, isSwapped: Bool)
    /// The handshake was read. Its hellos, including abandoned ones, were sent to these connection IDs.
    case over(originals: [ConnectionID], lastSeen: Int64)
  }

  package var table = ConnectionTable()
  package var entries: ContiguousArray<Entry> = []
  private var sweepPosition = 0

  /// The memory that all open handshakes take, in bytes.
  package var heldBytes = 0

  /// Open handshakes whose endpoints have begun another connection, oldest first. Only their connection IDs identify them.
  package private(set) var detached: [QUICSession] = []

  private var sessionsByID: [ConnectionID: QUICSession] = [:]

  /// The number of connection IDs by length. A short header does not contain the length of its connection ID.
  private var connectionIDCounts = [Int](repeating: 0, count: ConnectionID.maximumByteCount + 1)

  package init() {}

  /// The maximum number of connections held at once; a handshake takes a few kilobytes.
  package static let maximumCount = 16_384

  /// The maximum number of detached handshakes.
  package static let maximumDetachedCount = 256

  /// The maximum number of connection IDs of a session: those of both endpoints, of a few Retry packets, and of a few repeated hellos.
  private static let maximumIDCount = 16

  /// Whether there are no entries.
  package var isEmpty: Bool { table.count == 0 }

  @discardableResult
  package mutating func insert(_ key: ConnectionKey, hash: UInt64, _ entry: Entry) -> Int {
    let index = table.insert(key, hash: hash)
    if index < entries.count { entries[index] = entry } else { entries.append(entry) }
    if case .open(let session, _) = entry { session.entryIndices.append(index) }
    return index
  }

  /// Removes an entry.
  package mutating func remove(_ index: Int) {
    if case .open(let session, _) = entries[index] { session.entryIndices.removeAll { $0 == index } }
    entries[index] = .free
    table.remove(at: index)
  }

  /// The index of the next entry to check for idleness. A few are checked with each new connection, in rotation.
  package mutating func nextToSweep() -> Int {
    sweepPosition = sweepPosition + 1 < entries.count ? sweepPosition + 1 : 0
    return sweepPosition
  }

  /// The time of the last packet of an entry, in seconds; nil for a free slot.
  package func lastSeen(_ index: Int) -> Int64? {
    switch entries[index] {
    case .free: nil
    case .open(let session, _): session.lastSeen
    case .over(_, let lastSeen): lastSeen
    }
  }
}

// MARK: - Connection IDs

extension QUICSessions {
  /// Detaches a session, which its connection IDs alone then identify.
  package mutating func detach(_ session: QUICSession) { detached.append(session) }

  /// Records the current connection IDs of a session, up to the limit.
  package mutating func learnConnectionIDs(of session: QUICSession) {
    for id in session.connection.connectionIDs
    where session.knownConnectionIDs.count < QUICSessions.maximumIDCount && !session.knownConnectionIDs.contains(id) {
      session.knownConnectionIDs.append(id)
      if sessionsByID.updateValue(session, forKey: id) == nil { connectionIDCounts[id.bytes.count] += 1 }
    }
  }

  /// Removes the connection IDs of a session whose handshake is complete.
  package mutating func forget(_ session: QUICSession) {
    for id in session.knownConnectionIDs where sessionsByID[id] === session {
      sessionsByID[id] = nil
      connectionIDCounts[id.bytes.count] -= 1
    }
    session.knownConnectionIDs = []
    detached.removeAll { $0 === session }
  }

  /// The session that the connection ID in a long header identifies, and the direction of the datagram in it.
  package func session(
    ofLong datagram: Span<UInt8>, from source: Endpoint, to destination: Endpoint
  ) -> (QUICSession, direction: Direction)? {
    guard !sessionsByID.isEmpty, datagram.count > 6 else { return nil }
    let count = Int(datagram[5])
    guard count > 0, count <= ConnectionID.maximumByteCount, datagram.count >= 6 + count else { return nil }
    return session(with: ConnectionID(datagram.extracting(6..<(6 + count))), source, destination)
  }

  /// The session that the connection ID in a short header identifies, and the direction of the datagram in it.
  package func session(
    ofShort datagram: Span<UInt8>, from source: Endpoint, to destination: Endpoint
  ) -> (QUICSession, direction: Direction)? {
    guard !sessionsByID.isEmpty else { return nil }
    for count in 1..<connectionIDCounts.count where connectionIDCounts[count] > 0 && datagram.count > count {
      let id = ConnectionID(datagram.extracting(1..<(1 + count)))
      if let found = session(with: id, source, destination) { return found }
    }
    return nil
  }

  /// The session with this connection ID. The server must also be the same, since a connection ID alone proves little, and a server does
  /// not migrate during the handshake (RFC 9000 §9).
  private func session(with id: ConnectionID, _ source: Endpoint, _ destination: Endpoint) -> (QUICSession, direction: Direction)? {
    guard let session = sessionsByID[id], let isFromClient = session.connection.isFromClient(to: id),
      let clientDirection = session.connection.clientDirection, session.server == (isFromClient ? destination : source)
    else { return nil }
    return (session, clientDirection.reversed(if: !isFromClient))
  }
}
