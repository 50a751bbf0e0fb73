import CleartextObservation
import SessionModel
import TLSObservation
import Values

/// The protocol of one connection: undecided at first, then a handshake, requests, or neither.
///
/// `Conversation+Beginning.swift` identifies the protocol, `Conversation+Tunnels.swift` reads what leads to a tunnel, and
/// `Conversation+Account.swift` classifies the bytes for an extract. Non-private state is for these files only.
struct Conversation: ~Copyable {
  /// The protocol that the first bytes identified.
  enum Phase {
    /// Not identified yet.
    case undecided
    /// TLS.
    case handshake
    /// Cleartext HTTP.
    case http
    /// DNS over TCP.
    case dns
    /// A SOCKS negotiation, which leads to a tunnel.
    case socks
    /// A cleartext protocol that may change to TLS.
    case dialogue
    /// Another protocol.
    case foreign
  }

  var phase = Phase.undecided

  /// The handshake; meaningful only if `hasHandshake`.
  var handshake = Handshake()

  var hasHandshake = false

  /// The current cleartext HTTP; nil if there is none. It remains set after a request opened the tunnel for the handshake.
  var http: HTTPConversation?

  /// The DNS messages; nil for other protocols.
  var dnsMessages: DNSStreams?

  /// Whether bytes that begin neither TLS nor HTTP are read as DNS.
  var expectsDNS = false

  var isDNS: Bool { dnsMessages?.areDNS == true }

  /// The layers around the current protocol; nil if there are none.
  var preamble: Preamble?

  /// Whether the conversation restarted and its session must take a new turn.
  var needsNewTurn = false

  /// The first packet that carries a byte of the session.
  var first: PacketReference?

  /// The packet that decided the outcome; until then, the last one with a byte of the session.
  var last: PacketReference?

  /// The number of bytes that the capture lacks.
  var missingBytes = 0

  /// Whether bytes before the hello in its own direction are missing: they may have requested another host from a proxy.
  var mayLackProxyRequest = false

  /// Whether bytes before the hello are missing or could not be read, in either direction.
  var lacksBeginning = false

  /// The direction whose record began the handshake; nil before.
  var firstRecordDirection: Direction?

  /// Whether bytes of a direction precede the first ones read of the connection: the peer had already acknowledged them.
  var hadUnread = BothDirections(false)

  /// Whether the greeting of an unknown protocol preceded it.
  var followsGreeting = false

  /// Whether only the greeting of an unknown protocol was read, at the start of the connection or of a tunnel.
  var isUnknownGreeting: Bool {
    phase == .foreign && !hasHandshake && preamble?.endsWithTunnel ?? (http == nil)
  }

  /// The number of bytes of the connection, in both directions, when its innermost tunnel began; 0 without a tunnel.
  var byteCountBeforeTunnel = 0

  /// Whether it is the handshake of an FTP control connection.
  var isFTPControl: Bool { hasHandshake && preamble?.isFTPControl == true }

  var beginnings = BothDirections(StreamBeginning())

  /// The account of the connection's bytes; nil if none is kept.
  var account: ByteAccount?

  /// The direction of a proxy's reply that is still to come, if the client has continued before it; otherwise nil.
  var awaitsReply: Direction?

  /// The cleartext protocol that has not led to TLS so far; nil if there is none.
  var foreignProtocol: ForeignProtocol? { preamble?.dialogue?.foreignProtocol ?? preamble?.socks?.foreignProtocol }

  /// Whether the dialogue rules out an upgrade to TLS.
  var rulesOutTLS: Bool { preamble?.dialogue?.rulesOutTLS ?? false }

  /// The cleartext HTTP conversations in order, each with its index among the layers, which is the number of layers around it.
  var httpConversations: [(http: HTTPConversation, layerIndex: Int)] {
    var all = preamble?.httpConversations ?? []
    if let http, !all.contains(where: { $0.http === http }) {
      all.append((http, preamble?.layers.count ?? 0))
    }
    return all
  }

  /// Whether a session has begun: a handshake, or cleartext requests.
  var hasSession: Bool {
    hasHandshake && first != nil || httpConversations.contains { !$0.http.hosts.isEmpty }
  }

  /// Whether nothing more is expected of the connection.
  var isOver: Bool {
    mutating get {
      switch phase {
      case .undecided, .dns, .socks, .dialogue: false
      case .handshake: handshake.facts.outcome == .established && !handshake.awaitsAlert
      case .http: http?.isUpgraded ?? true
      case .foreign: true
      }
    }
  }

  private var ownWeight = MemoryWeight()

  /// The memory that the conversation takes, in bytes.
  var weight: Int { ownWeight.bytes }

  /// Updates the weight; `made` is the number of bytes of facts created for it since. Returns the change.
  @inline(__always)
  mutating func weigh(made: Int) -> Int {
    let held = phase == .handshake ? handshake.heldBytes() : keptBytes
    return ownWeight.change(made: made, held: held + (preamble?.heldBytes ?? 0))
  }

  /// The memory that kept bytes take while there is no handshake, in bytes.
  private var keptBytes: Int {
    switch phase {
    case .undecided: beginnings.fromLower.heldBytes + beginnings.fromUpper.heldBytes
    case .http: http?.heldBytes ?? 0
    case .dns: dnsMessages?.heldBytes ?? 0
    case .socks: preamble?.socks?.heldBytes ?? 0
    case .handshake, .dialogue, .foreign: 0
    }
  }

  /// The effect of a piece, as far as connection tracking needs to know it.
  struct Progress {
    /// Whether nothing more is expected of the connection.
    var isOver: Bool
    /// Whether the client seems to have refused in this piece, by an encrypted alert.
    var isRefusedNow: Bool
    var needsNewTurn: Bool
    /// The change in the memory that the conversation takes, in bytes.
    var weightGain: Int
  }

  /// Reads on in one direction, and returns the effect.
  @inline(__always)
  mutating func advance(
    _ piece: Span<UInt8>, in direction: Direction, at reference: PacketReference, sharing shared: inout ObservationTables
  ) -> Progress {
    let made = shared.facts.madeBytes
    let wasRefused = handshake.isRefusedByShape
    if piece.count > 0 { consume(piece, in: direction, at: reference, sharing: &shared) }
    return Progress(
      isOver: isOver, isRefusedNow: !wasRefused && handshake.isRefusedByShape, needsNewTurn: needsNewTurn,
      weightGain: weigh(made: shared.facts.madeBytes &- made))
  }

  /// Reads on in one direction. Not inlined: it is large and has many callers.
  @inline(never)
  mutating func consume(
    _ piece: Span<UInt8>, in direction: Direction, at reference: PacketReference, sharing shared: inout ObservationTables
  ) {
    if awaitsReply == direction {
      readReply(piece, direction, reference, &shared)
      return
    }
    switch phase {
    case .foreign: return
    case .handshake: read(piece, direction, reference, &shared)
    case .http: readHTTP(piece, direction, reference, &shared)
    case .socks: readSOCKS(piece, direction, reference, &shared)
    case .dialogue: readDialogue(piece, direction, reference, &shared)
    case .dns: dnsMessages?.consume(piece, in: direction, frame: reference.frame, into: &shared.names)
    case .undecided: begin(piece, direction, reference, &shared)
    }
  }

  /// Records bytes that the capture lacks in one direction.
  mutating func skip(missing count: Int, in direction: Direction, at reference: PacketReference, sharing shared: inout ObservationTables) {
    if awaitsReply == direction { endReply() }
    // A gap after the reply of a SOCKS proxy is counted in the tunnel, and not here.
    // Nor is a gap after the handshake, where only an alert is awaited.
    if phase != .socks, phase != .handshake || !handshake.facts.isEstablished { missingBytes += count }
    switch phase {
    case .foreign: return
    case .socks: skipSOCKS(missing: count, in: direction, at: reference, &shared)
    case .undecided where beginBegunHTTP(in: direction, at: reference, &shared):
      http?.skip(missing: count, in: direction)
    case .undecided:
      accountForGap(of: count, in: direction)
      beginnings[direction].lose(count)
    case .http: http?.skip(missing: count, in: direction)
    case .dns:
      dnsMessages?.lose()
      account?.add(.content(count), in: direction)
    case .dialogue:
      account?.add(.content((preamble?.dialogue?.keptBytes(in: direction) ?? 0) + count), in: direction)
      preamble?.dialogue?.skip(in: direction)
    case .handshake:
      if handshake.facts.sharedOffer == nil {
        // A gap in the direction of the first record is within the hello or after it; what a HelloRetryRequest answers is a hello.
        if direction != firstRecordDirection, !handshake.lacksFirstHello { lacksBeginning = true }
        if handshake.isClient(direction) != false { mayLackProxyRequest = true }
      } else if hadUnread[direction], handshake.facts.sharedServerHello == nil {
        // The server sent them before the hello, which acknowledged them.
        lacksBeginning = true
      }
      handshake.skip(missing: count, in: direction, frame: reference.frame, sharing: &shared.facts)
      account?.add(.other(count), in: direction)
    }
  }

  /// Ends reading; incomplete messages are read as far as possible.
  mutating func endReading(sharing shared: inout ObservationTables) {
    if awaitsReply != nil { endReply() }
    if phase == .undecided {
      for direction in Direction.allCases {
        if let reference = beginnings[direction].firstKept, beginBegunHTTP(in: direction, at: reference, &shared) { break }
      }
    }
    if phase == .http { http?.endReading() }
    if phase == .undecided { readTunnelOfServer(&shared) }
    guard hasHandshake else { return }
    handshake.endReading(frame: last?.frame ?? 0, sharing: &shared.facts)
  }

  @inline(__always)
  mutating func read(_ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables) {
    if reference.frame < first?.frame ?? .max { first = reference }
    let wasConcluded = handshake.facts.outcome != .incomplete
    let alertCount = handshake.facts.serverAlerts.count
    handshake.consume(piece, in: direction, frame: reference.frame, sharing: &shared.facts)
    if account != nil { accountForHandshake(piece, in: direction) }
    // A server of TLS 1.3 may refuse the client's certificate after the handshake.
    let isDecisive = !wasConcluded || handshake.facts.serverAlerts.count > alertCount
    if isDecisive, reference.frame > last?.frame ?? 0 { last = reference }
  }

  /// Records a packet without payload, such as a RST, as the one that decided the outcome.
  mutating func noteOutcomePacket(_ reference: PacketReference) {
    if hasHandshake, handshake.facts.outcome == .incomplete { last = reference }
  }
}
