import ByteParsing
import CleartextObservation
import SessionModel
import TLSObservation
import Values

/// What is spoken on one connection: undecided at first, then a handshake or requests, or neither.
///
/// How it begins is told in `Conversation+Beginning.swift`, what leads to a tunnel is read in `Conversation+Tunnels.swift`, and
/// `Conversation+Account.swift` keeps account of the bytes. What is no `private` state is for those, and for nothing outside this folder.
struct Conversation: ~Copyable {
  /// What the first bytes identified.
  enum Phase {
    /// Not enough yet.
    case undecided
    /// TLS.
    case handshake
    /// Cleartext HTTP.
    case http
    /// DNS.
    case names
    /// What leads to a tunnel through a SOCKS proxy.
    case socks
    /// Something in the clear that may change to TLS.
    case dialogue
    /// None of these.
    case foreign
  }

  /// What was identified.
  var phase = Phase.undecided

  /// The handshake; meaningful once there is one.
  var handshake = Handshake()

  /// Whether there is a handshake.
  var hasHandshake = false

  /// The cleartext requests, once there is one; also those that opened a tunnel for the handshake.
  var http: HTTPConversation?

  /// The messages of DNS, where those are spoken.
  var names: NameStreams?

  /// Whether what begins neither as TLS nor as HTTP is taken for DNS.
  var expectsNames = false

  /// Whether messages of DNS were seen.
  var hasNames: Bool { names?.areOfDNS == true }

  /// What was passed through before what is spoken now; nil for nothing.
  var preamble: Preamble?

  /// Whether what is spoken began anew, so that the session's place in the order is that of what comes.
  var needsNewTurn = false

  /// The first packet that carries a byte of the session.
  var first: PacketReference?

  /// The packet that decided the outcome; until then, the last one with a byte of the session.
  var last: PacketReference?

  /// Bytes that the capture lacks.
  private(set) var missingBytes = 0

  /// Whether bytes are missing before the hello, in its own direction: what they requested is not known.
  var isStartLost = false

  /// Whether the greeting of an unknown protocol came before it.
  var followsGreeting = false

  /// Whether it is nothing but such a greeting.
  var isUnknownGreeting: Bool { phase == .foreign && !hasHandshake && http == nil && preamble == nil }

  /// Whether it is a handshake that a control connection of FTP has changed to.
  var isFTPControl: Bool { hasHandshake && preamble?.isFTPControl == true }

  var beginnings = BothDirections(StreamBeginning())

  /// The account of the connection's bytes; nil unless it is kept.
  var account: ByteAccount?

  /// The direction that a SOCKS proxy's reply is still to come in, where the client continued before it; nil otherwise.
  var awaitsReply: Direction?

  /// The protocol of which nothing has led to TLS yet.
  var foreignProtocol: ForeignProtocol? { preamble?.dialogue?.form ?? preamble?.socks?.form }

  /// Whether the dialogue rules out an upgrade to TLS.
  var rulesOutTLS: Bool { preamble?.dialogue?.rulesOutTLS ?? false }

  /// Cleartext HTTP in order, each with how much of the preamble comes before it.
  var httpConversations: [(http: HTTPConversation, place: Int)] {
    var all = preamble?.httpConversations ?? []
    if let http, !all.contains(where: { $0.http === http }) {
      all.append((http, preamble?.layers.count ?? 0))
    }
    return all
  }

  /// Whether a session has begun: a handshake, or requests in the clear.
  var hasSession: Bool {
    hasHandshake && first != nil || httpConversations.contains { !$0.http.hosts.isEmpty }
  }

  /// Whether nothing more is to be expected of the connection.
  var isOver: Bool {
    switch phase {
    case .undecided, .names, .socks, .dialogue: false
    case .handshake: handshake.isOver
    case .http: http?.isUpgraded ?? true
    case .foreign: true
    }
  }

  private var ownWeight = MemoryWeight()

  /// What it counts for among all that are open.
  var weight: Int { ownWeight.bytes }

  /// Counts anew what it takes of memory, some bytes of facts having been made for it; returns how much that is more than before.
  @inline(__always)
  mutating func weigh(made: Int) -> Int {
    let held = phase == .handshake ? handshake.heldBytes : keptBytes
    return ownWeight.change(made: made, held: held + (preamble?.heldBytes ?? 0))
  }

  /// Bytes that are kept while there is no handshake.
  private var keptBytes: Int {
    switch phase {
    case .undecided: beginnings.fromLower.heldBytes + beginnings.fromUpper.heldBytes
    case .http: http?.heldBytes ?? 0
    case .names: names?.heldBytes ?? 0
    case .handshake, .socks, .dialogue, .foreign: 0
    }
  }

  /// Takes what is to come for messages of DNS, unless it begins as something that is looked for on any port.
  mutating func expectNames() { expectsNames = true }

  /// What a piece has changed, as far as the connection's tracking needs to know.
  struct Progress {
    /// Whether nothing more is to be expected of the connection.
    var isOver: Bool
    /// Whether the client seems to have refused by what the piece holds, an alert that is encrypted.
    var isRefusedNow: Bool
    var needsNewTurn: Bool
    /// How much more the conversation takes of memory.
    var weightGain: Int
  }

  /// Continues reading in one direction, if there is anything to read, and tells what that changed.
  @inline(__always)
  mutating func advance(
    _ piece: Span<UInt8>, in direction: Direction, at reference: PacketReference,
    sharing shared: inout ObservationTables
  ) -> Progress {
    let made = shared.facts.madeBytes
    let wasRefused = handshake.refusedByShape
    if piece.count > 0 { consume(piece, in: direction, at: reference, sharing: &shared) }
    return Progress(
      isOver: isOver, isRefusedNow: !wasRefused && handshake.refusedByShape, needsNewTurn: needsNewTurn,
      weightGain: weigh(made: shared.facts.madeBytes &- made))
  }

  /// Continues reading in one direction.
  mutating func consume(
    _ piece: Span<UInt8>, in direction: Direction, at reference: PacketReference,
    sharing shared: inout ObservationTables
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
    case .names: names?.consume(piece, in: direction, frame: reference.frame, into: &shared.names)
    case .undecided: begin(piece, direction, reference, &shared)
    }
  }

  /// Records bytes that the capture lacks in one direction.
  mutating func skip(
    missing count: Int, in direction: Direction, at reference: PacketReference,
    sharing shared: inout ObservationTables
  ) {
    missingBytes += count
    if awaitsReply == direction { endReply() }
    switch phase {
    case .foreign: return
    case .undecided:
      accountForGap(of: count, in: direction)
      beginnings[direction].lose(count)
    case .http: http?.skip(missing: count, in: direction)
    case .names:
      names?.lose()
      account?.add(.content(count), in: direction)
    case .dialogue:
      account?.add(.content((preamble?.dialogue?.keptBytes(in: direction) ?? 0) + count), in: direction)
      preamble?.dialogue?.skip(in: direction)
    case .socks:
      preamble?.socks?.skip(missing: count, in: direction)
      if preamble?.socks?.state == .failed {
        leaveSOCKS()
        account?.add(.content(count), in: direction)
      }
    case .handshake:
      if handshake.facts.offer == nil, handshake.isClient(direction) != false { isStartLost = true }
      handshake.skip(missing: count, in: direction, frame: reference.frame, sharing: &shared.facts)
      account?.add(.other(count), in: direction)
    }
  }

  /// Ends what has begun: no more bytes follow.
  mutating func breakOff(sharing shared: inout ObservationTables) {
    if awaitsReply != nil { endReply() }
    if phase == .http { http?.breakOff() }
    guard hasHandshake else { return }
    handshake.breakOff(frame: last?.frame ?? 0, sharing: &shared.facts)
  }

  @inline(__always)
  mutating func read(
    _ piece: Span<UInt8>, _ direction: Direction, _ reference: PacketReference, _ shared: inout ObservationTables
  ) {
    if reference.frame < first?.frame ?? .max { first = reference }
    let wasConcluded = handshake.facts.outcome != .incomplete
    handshake.consume(piece, in: direction, frame: reference.frame, sharing: &shared.facts)
    if account != nil { accountForHandshake(piece, in: direction) }
    if !wasConcluded, reference.frame > last?.frame ?? 0 { last = reference }
  }

  /// Records that the client had bytes of the server, when it seemed to refuse, that have not been read.
  mutating func doubtRefusal() { handshake.doubtRefusal() }

  /// Records a packet without payload, such as a RST, as the one that decided the outcome.
  mutating func noteOutcomePacket(_ reference: PacketReference) {
    if hasHandshake, handshake.facts.outcome == .incomplete { last = reference }
  }
}
