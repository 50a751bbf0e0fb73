import ByteParsing
import Reassembly
package import SessionModel
import Values

/// The chosen sessions of each capture: the connections and packets that contain their handshakes.
package struct ChosenSessions {
  /// A connection between two endpoints, in either order.
  struct Connection: Hashable {
    let key: ConnectionKey
    let isUDP: Bool

    init(_ key: ConnectionKey, isUDP: Bool) { (self.key, self.isUDP) = (key, isUDP) }

    init(_ one: Endpoint, _ other: Endpoint, isUDP: Bool) {
      self.init(ConnectionKey(one, other), isUDP: isUDP)
    }
  }

  /// The packets of one session, and what is to be known of it.
  struct SessionFrames {
    var first: UInt64
    var last: UInt64
    /// The first frame of the connection, or of the session if the connection's start is unknown.
    var start: UInt64
    /// Whether the connection's SYN was captured. If so, packets without payload before the session are not copied.
    var hasSYN: Bool
    /// Whether the session uses QUIC.
    var isQUIC: Bool
    /// Whether the session is cleartext HTTP.
    var isHTTP: Bool
    /// The process of the session; nil if the capture does not name one.
    var process: CapturedProcess?
  }

  private(set) var sessionFrames: [String: [Connection: [SessionFrames]]] = [:]

  /// The sessions of one connection, indexed by their frames.
  private struct Order {
    var sessionFrames: [SessionFrames]
    /// The frame ranges of packets without payload, SYN, FIN or RST (`bare`), and of all others.
    var bare: FrameRanges
    var others: FrameRanges
    var byLast: [Int]

    init(_ sessionFrames: [SessionFrames]) {
      self.sessionFrames = sessionFrames
      others = FrameRanges(sessionFrames.map { $0.start...max($0.start, $0.last) })
      bare = FrameRanges(
        sessionFrames.map { frames in
          let first = frames.hasSYN ? max(frames.start, frames.first) : frames.start
          return first...max(first, frames.last)
        })
      byLast = sessionFrames.indices.sorted { (sessionFrames[$0].last, $0) < (sessionFrames[$1].last, $1) }
    }
  }

  /// The sessions of each capture whose connections are known.
  private var orders: [String: [Connection: Order]] = [:]

  /// The randoms of the chosen handshakes, which select their secrets from a key log.
  private(set) var randoms: Set<String> = []

  /// Whether secrets decrypted the handshake of a chosen session.
  private(set) var hasDecrypted = false

  /// Addresses that identify a session because nothing else names its server.
  private(set) var identities: Set<IPAddress> = []

  /// The FTP control connections that announced chosen data connections.
  private var announcements: [(file: String, ends: FTPControlEndpoints)] = []

  private(set) var names: [IPAddress: [String]] = [:]

  /// The numbers of sessions by capture.
  package private(set) var counts: [String: Int] = [:]

  package init() {}

  package mutating func add(_ session: ObservedSession) {
    counts[session.file, default: 0] += 1
    if session.sharedTLS?.isDecrypted == true { hasDecrypted = true }
    let randoms = [session.sharedTLS?.clientRandom, session.sharedTLS?.innerRandom].compactMap { $0 }
    self.randoms.formUnion(randoms.filter { !$0.isEmpty }.map(hexadecimal))
    for hint in session.nameHints where names[session.hostAddress]?.contains(hint.name) != true {
      names[session.hostAddress, default: []].append(hint.name)
    }
    let address = session.server.address
    if session.serverName == nil || session.isHostTheServer
      || session.serverName == address.description
    {
      identities.insert(address)
    }
    if let named = session.serverName.flatMap({ IPAddress($0) }) { identities.insert(named) }
    if session.serverNameSource == .httpHost, let name = session.serverName, name.contains(address.description) {
      identities.insert(address)
    }
    let connection = Connection(session.client, session.server, isUDP: session.transport != .tcp)
    let frames = SessionFrames(
      first: session.firstFrame, last: ChosenSessions.lastFrame(of: session), start: session.firstFrame, hasSYN: true,
      isQUIC: session.transport == .quic, isHTTP: session.application == .http, process: session.process)
    sessionFrames[session.file, default: [:]][connection, default: []].append(frames)
    if let ends = session.controlEnds { announcements.append((session.file, ends.value)) }
  }

  /// Extends the sessions of FTP control connections to the packets that announced chosen data connections.
  mutating func reachAnnouncements() {
    for (file, ends) in announcements {
      let connection = Connection(ends.client, ends.server, isUDP: false)
      guard let index = sessionFrames[file]?[connection]?.lastIndex(where: { $0.first <= ends.frame }) else { continue }
      let last = sessionFrames[file]?[connection]?[index].last ?? 0
      sessionFrames[file]?[connection]?[index].last = max(last, ends.frame)
    }
    announcements = []
  }

  /// The packet that decides the outcome is not always the last one; packets can be reordered.
  private static func lastFrame(of session: ObservedSession) -> UInt64 {
    var last = session.lastFrame
    for part in Evidence.Part.allCases {
      for frame in session.evidence.frames[part] { last = max(last, frame) }
    }
    return max(last, session.quic?.close?.frame ?? 0)
  }

  /// The connections of the chosen sessions of a capture, each with the last frame of its sessions.
  func connections(in file: String) -> [Connection: UInt64] {
    (sessionFrames[file] ?? [:]).mapValues { $0.reduce(0) { max($0, $1.last) } }
  }

  /// The number of connections between the same endpoints as in another capture.
  var repeatedConnections: Int {
    sessionFrames.values.reduce(0) { $0 + $1.count } - sessionFrames.values.reduce(into: Set<Connection>()) { $0.formUnion($1.keys) }.count
  }

  /// The last frames of cleartext HTTP sessions by connection, in ascending order.
  func requestEnds(in file: String) -> [Connection: [UInt64]] {
    (sessionFrames[file] ?? [:]).mapValues { $0.filter(\.isHTTP).map(\.last).sorted() }.filter { !$1.isEmpty }
  }

  /// Records where the connections of a capture begin, and which endpoints belong to the same session.
  mutating func complete(_ file: String, by map: ConnectionMap) {
    for (connection, known) in sessionFrames[file] ?? [:] {
      for index in known.indices {
        guard let beginning = map.beginning(of: connection, at: known[index].first) else { continue }
        sessionFrames[file]?[connection]?[index].start = min(beginning.frame, known[index].first)
        sessionFrames[file]?[connection]?[index].hasSYN = beginning.hasSYN
        // Without its last few bytes, a message would appear to be lost or never sent.
        if known[index].isHTTP, let last = map.endOfBody(of: connection, at: known[index].first, after: known[index].last) {
          sessionFrames[file]?[connection]?[index].last = last
        }
      }
      if !connection.isUDP {
        sessionFrames[file]?[connection]?.complete(by: map.layouts.late[connection.key] ?? [])
      }
      for (frame, before) in map.misread[connection] ?? [] {
        // A request that could not be read is copied too: without it, bytes would appear to be lost.
        guard let beginning = map.beginning(of: connection, at: frame),
          var frames = sessionFrames[file]?[connection]?.last(where: { $0.start == beginning.frame }),
          before <= frames.last
        else { continue }
        (frames.first, frames.last, frames.start) = (frame, frame, frame)
        sessionFrames[file]?[connection]?.append(frames)
      }
    }
    for move in map.layouts.moves {
      for frames in sessionFrames[file]?[Connection(move.from, isUDP: true)] ?? []
      where frames.start <= move.frame && move.frame <= frames.last {
        sessionFrames[file]?[Connection(move.to, isUDP: true), default: []].append(frames)
      }
    }
    orders[file] = (sessionFrames[file] ?? [:]).mapValues { Order($0) }
  }

  /// The session that a packet belongs to; nil if it is not part of a chosen one. `isBare` means a segment without payload, SYN, FIN or
  /// RST.
  func frames(of connection: Connection, in file: String, at frame: UInt64, isBare: Bool) -> SessionFrames? {
    guard let order = orders[file]?[connection] else { return nil }
    return (isBare ? order.bare : order.others).index(holding: frame).map { order.sessionFrames[$0] }
  }

  /// The last session of a connection that ended before a packet; the packet may close its connection.
  func framesBefore(_ frame: UInt64, of connection: Connection, in file: String) -> SessionFrames? {
    guard let order = orders[file]?[connection] else { return nil }
    let next = order.byLast.partitioningIndex { order.sessionFrames[$0].last >= frame }
    return next > 0 ? order.sessionFrames[order.byLast[next - 1]] : nil
  }
}

extension [ChosenSessions.SessionFrames] {
  /// Extends sessions to packets that were captured late but precede their data in the stream.
  fileprivate mutating func complete(by late: [(frame: UInt64, earlier: UInt64)]) {
    if late.isEmpty { return }
    let ranges = FrameRanges(map { $0.first...Swift.max($0.first, $0.last) })
    for (frame, earlier) in late {
      guard let index = ranges.index(holding: earlier) else { continue }
      self[index].last = Swift.max(self[index].last, frame)
    }
  }
}
