import ByteParsing
import SessionObservation
import Values

/// The places of chosen sessions in the captures: which packets of which connections hold their handshakes.
struct ChosenSessions {
  /// Two ends, whichever of them sent.
  struct Connection: Hashable {
    private let low: Endpoint
    private let high: Endpoint
    private let isUDP: Bool

    init(_ one: Endpoint, _ other: Endpoint, isUDP: Bool) {
      let isOrdered = Connection.place(one) <= Connection.place(other)
      (low, high) = isOrdered ? (one, other) : (other, one)
      self.isUDP = isUDP
    }

    private static func place(_ end: Endpoint) -> (UInt64, UInt64, UInt64) {
      (end.address.high, end.address.low, UInt64(end.port) << 1 | (end.address.isIPv6 ? 1 : 0))
    }
  }

  /// The packets of one session, and what is to be known of it.
  struct Place {
    var first: UInt64
    var last: UInt64
    /// Where its connection began, found by a SYN; the first packet of the session where none is seen.
    var start: UInt64
    /// Whether what stands before the session on its connection belongs to it: CONNECT, SOCKS or STARTTLS.
    var needsBeginning: Bool
    /// Whether requests travelled in the clear, those of a CONNECT included.
    var holdsHTTP: Bool
    /// Whether a SOCKS proxy was asked before.
    var hasPreamble: Bool
    var server: Endpoint
    /// The process of the session, where the capture names one.
    var process: CapturedProcess?
  }

  private(set) var places: [String: [Connection: [Place]]] = [:]

  /// Addresses between which fragments may travel.
  private(set) var addresses: [String: [Addresses: ClosedRange<UInt64>]] = [:]

  /// Whether any requests travelled in the clear: in fragments they cannot be reduced.
  private(set) var holdsCleartext = false

  /// Two addresses, whichever of them sent.
  struct Addresses: Hashable {
    private let low: IPAddress
    private let high: IPAddress

    init(_ one: IPAddress, _ other: IPAddress) {
      let isOrdered = (one.high, one.low) <= (other.high, other.low)
      (low, high) = isOrdered ? (one, other) : (other, one)
    }
  }

  /// Randoms of the chosen handshakes, for choosing their secrets.
  private(set) var randoms: Set<String> = []

  /// Addresses that are the identity of a session, because nothing else names its server.
  private(set) var identities: Set<IPAddress> = []

  /// Addresses as they were, from which the replacements follow: who does not know them cannot undo it.
  private(set) var seed = Bytes()

  /// How many sessions are chosen.
  private(set) var count = 0

  mutating func add(_ session: ObservedSession, random: String?) {
    count += 1
    if let random { randoms.insert(random) }
    let address = session.server.address
    if seed.count < 1 << 16 { seed += session.client.address.bytes + address.bytes }
    if session.serverName == nil || session.serverNameSource == .address
      || session.serverName == address.description
    {
      identities.insert(address)
    }
    if session.serverNameSource == .httpHost, let name = session.serverName,
      name.contains(address.description)
    {
      identities.insert(address)
    }
    let connection = Connection(session.client, session.server, isUDP: session.transport != .tcp)
    let isTunnelled = session.tunnel.contains { $0.hasPrefix("http-connect") }
    let hasPreamble = session.tunnel.contains { $0.hasPrefix("socks") }
    let place = Place(
      first: session.firstFrame, last: session.lastFrame, start: session.firstFrame,
      needsBeginning: isTunnelled || hasPreamble || session.tunnel.contains { $0.hasPrefix("starttls") },
      holdsHTTP: session.application == .http || isTunnelled,
      hasPreamble: hasPreamble, server: session.server,
      process: session.process)
    places[session.file, default: [:]][connection, default: []].append(place)
    let pair = Addresses(session.client.address, address)
    if place.holdsHTTP { holdsCleartext = true }
    let range = place.first...max(place.first, place.last)
    let known = addresses[session.file, default: [:]][pair] ?? range
    addresses[session.file, default: [:]][pair] =
      min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
  }

  /// Notes that a connection began with a packet.
  mutating func noteStart(of connection: Connection, in file: String, at frame: UInt64) {
    guard var known = places[file]?[connection] else { return }
    for index in known.indices where frame <= known[index].first {
      known[index].start = known[index].start == known[index].first ? frame : max(known[index].start, frame)
    }
    places[file]?[connection] = known
  }

  /// Whether a fragment may be of a chosen session: between its addresses, or of a tunnel, whose inner addresses only the
  /// whole datagram tells, and in the time of a session.
  func isInReach(_ pair: Addresses, in file: String, at frame: UInt64, isTunnel: Bool) -> Bool {
    guard let ranges = addresses[file] else { return false }
    if isTunnel { return ranges.values.contains { $0.contains(frame) } }
    return ranges[pair]?.contains(frame) == true
  }

  /// What a packet belongs to; nil where it is of no chosen session. `isBare` is a segment without payload, SYN or RST.
  func place(of connection: Connection, in file: String, at frame: UInt64, isBare: Bool) -> Place? {
    places[file]?[connection]?.first { place in
      guard frame <= place.last else { return false }
      if frame >= place.first { return true }
      if place.needsBeginning { return true }
      // Before the handshake only what opened the connection.
      return frame >= place.start && !isBare
    }
  }
}
