import QUICObservation
import QUICParsing
import Reassembly

/// The QUIC connections that are watched, by their two ends.
///
/// One whose handshake is over stays as a name only, until it has been silent for long: packets that are sent again
/// must not begin a session anew.
struct QUICSessions: ~Copyable {
  /// What is held of a connection.
  enum Entry {
    /// The place is free.
    case free
    /// The handshake goes on.
    case open(QUICSession)
    /// The handshake has been read.
    case over(original: ConnectionID?, lastSeen: Int64)
  }

  var table = ConnectionTable()
  var entries: ContiguousArray<Entry> = []
  private var sweepPosition = 0

  /// Bytes that all open handshakes hold together.
  var heldBytes = 0

  init() {}

  /// Connections that may be held at once; a handshake takes a few kilobytes.
  static let limit = 16_384

  /// Whether there is nothing to be looked up.
  var isEmpty: Bool { table.count == 0 }

  /// Adds an entry and gives out its index.
  mutating func insert(_ key: ConnectionKey, hash: UInt64, _ session: QUICSession) {
    let index = table.insert(key, hash: hash)
    if index < entries.count {
      entries[index] = .open(session)
    } else {
      entries.append(.open(session))
    }
  }

  /// Forgets an entry.
  mutating func remove(_ index: Int) {
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
    case .open(let session): session.lastSeen
    case .over(_, let lastSeen): lastSeen
    }
  }
}
