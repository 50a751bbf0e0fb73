import ByteParsing
import Values

/// What is spoken on one connection: undecided at first, then a handshake or requests, or neither.
struct Conversation {
  /// What the first bytes have told.
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
    /// None of these.
    case foreign
  }

  /// What has been told.
  private(set) var phase = Phase.undecided

  /// The handshake; meaningful once there is one.
  var handshake = Handshake()

  /// Whether there is a handshake.
  private(set) var hasHandshake = false

  /// The cleartext requests, once there is one; also those that opened a tunnel for the handshake.
  private(set) var http: HTTPConversation?

  /// The messages of DNS, where those are spoken.
  private var names: NameStreams?

  /// The protocol that was spoken before something else began, where it is one that changes to TLS on the same connection.
  private(set) var foreignProtocol: ForeignProtocol?

  /// The version of the PROXY protocol whose header stood in front; nil for none.
  private(set) var proxyVersion: Int?

  /// What was said to a SOCKS proxy in front of everything else; nil for nothing.
  private(set) var socks: SOCKSNegotiation?

  /// The first packet that carries a byte of the session.
  private(set) var first: Moment?

  /// The packet that settled the outcome; until then the last one with a byte of the session.
  private(set) var last: Moment?

  /// Bytes that the capture lacks.
  private(set) var missingBytes = 0

  private var lower = StreamBeginning()
  private var upper = StreamBeginning()

  /// Whether nothing more is to be expected of the connection.
  var isOver: Bool {
    switch phase {
    case .undecided, .names, .socks: false
    case .handshake: handshake.isOver
    case .http: http?.isUpgraded ?? true
    case .foreign: true
    }
  }

  /// Takes what is to come for messages of DNS.
  mutating func expectNames() {
    phase = .names
    names = NameStreams()
  }

  /// Reads on in one direction.
  mutating func consume(
    _ piece: Span<UInt8>, fromLower: Bool, at moment: Moment, sharing shared: inout SharedFacts
  ) {
    switch phase {
    case .foreign: return
    case .handshake: read(piece, fromLower, moment, &shared)
    case .http: readHTTP(piece, fromLower, moment, &shared)
    case .socks: readSOCKS(piece, fromLower, moment, &shared)
    case .names: names?.consume(piece, fromLower: fromLower, frame: moment.frame, into: &shared.nameTable)
    case .undecided: begin(piece, fromLower, moment, &shared)
    }
  }

  /// Takes note of bytes that the capture lacks in one direction.
  mutating func skip(
    missing count: Int, fromLower: Bool, at moment: Moment, sharing shared: inout SharedFacts
  ) {
    missingBytes += count
    switch phase {
    case .foreign: return
    case .undecided: if fromLower { lower.isLost = true } else { upper.isLost = true }
    case .http: http?.skip(missing: count, fromLower: fromLower)
    case .names: names?.lose()
    case .socks:
      socks?.skip(fromLower: fromLower)
      if socks?.state == .failed { phase = .foreign }
    case .handshake:
      handshake.skip(missing: count, fromLower: fromLower, frame: moment.frame, sharing: &shared)
    }
  }

  /// Takes what was begun for all that there is.
  mutating func breakOff(sharing shared: inout SharedFacts) {
    guard hasHandshake else { return }
    handshake.breakOff(frame: last?.frame ?? 0, sharing: &shared)
  }

  private mutating func begin(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    let kind = fromLower ? lower.examine(piece, at: moment) : upper.examine(piece, at: moment)
    switch kind {
    case .undecided:
      return
    case .foreign:
      // What follows a gap says nothing about how the stream began; the other direction may still tell.
      let isLost = fromLower ? lower.isLost : upper.isLost
      if !isLost {
        phase = .foreign
        foreignProtocol = ForeignProtocol(beginningWith: piece)
        if let form = foreignProtocol, form.isSOCKS, socks == nil {
          phase = .socks
          socks = SOCKSNegotiation(form, isClientLower: fromLower)
          readSOCKS(piece, fromLower, moment, &shared)
        }
      }
    case .proxyHeader where proxyVersion != nil:
      // One behind another says nothing more, and must not be a way to nest without end.
      phase = .foreign
    case .proxyHeader(let version, let byteCount):
      proxyVersion = version
      stepOver(byteCount, piece, fromLower, moment, &shared)
    case .httpRequest, .http2Preface:
      phase = .http
      let http = HTTPConversation(isClientLower: fromLower, in: self.http)
      if kind == .http2Preface { http.takeHTTP2Preface(at: moment) }
      self.http = http
      for part in fromLower ? lower.take() : upper.take() {
        readHTTP(part.bytes.span, fromLower, part.moment, &shared)
      }
      readHTTP(piece, fromLower, moment, &shared)
    case .hello, .alert, .ssl2Hello:
      phase = .handshake
      hasHandshake = true
      if kind == .ssl2Hello { handshake.expectSSL2Hello(fromLower: fromLower) }
      if fromLower ? upper.isLost : lower.isLost {
        handshake.skip(missing: 1, fromLower: !fromLower, frame: moment.frame, sharing: &shared)
      }
      if !lower.kept.isEmpty || !upper.kept.isEmpty { readKept(fromLower, &shared) }
      read(piece, fromLower, moment, &shared)
    }
  }

  /// Steps over bytes at the start of a direction and begins anew with what follows them.
  private mutating func stepOver(
    _ count: Int, _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    var all = Bytes()
    for part in fromLower ? lower.take() : upper.take() { all.append(contentsOf: part.bytes) }
    all.append(copying: piece)
    if fromLower { lower = StreamBeginning() } else { upper = StreamBeginning() }
    guard count < all.count else { return }
    let rest = Bytes(all[count...])
    begin(rest.span, fromLower, moment, &shared)
  }

  /// Reads what was kept of both directions before it told what is spoken; the other direction's first.
  private mutating func readKept(_ fromLower: Bool, _ shared: inout SharedFacts) {
    for part in fromLower ? upper.take() : lower.take() {
      read(part.bytes.span, !fromLower, part.moment, &shared)
    }
    for part in fromLower ? lower.take() : upper.take() {
      read(part.bytes.span, fromLower, part.moment, &shared)
    }
  }

  private mutating func read(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    if moment.frame < first?.frame ?? .max { first = moment }
    let wasSettled = handshake.facts.outcome != .incomplete
    handshake.consume(piece, fromLower: fromLower, frame: moment.frame, sharing: &shared)
    if !wasSettled, moment.frame > last?.frame ?? 0 { last = moment }
  }

  private mutating func readHTTP(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    // A client that goes on with a hello has been answered, be the answer late in the capture or lost.
    if let http, http.awaitsTunnel, fromLower == http.isClientLower, StreamBeginning.kind(of: piece) == .hello
    {
      http.takeTunnelForOpened()
      beginAnew()
      begin(piece, fromLower, moment, &shared)
      return
    }
    http?.consume(piece, fromLower: fromLower, at: moment)
    if http?.tunnelTarget != nil { beginAnew() }
  }

  private mutating func readSOCKS(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    guard let socks else { return }
    socks.consume(piece, fromLower: fromLower)
    switch socks.state {
    case .negotiating: return
    case .failed: phase = .foreign
    case .open:
      foreignProtocol = nil
      beginAnew()
      for isLower in [socks.isClientLower, !socks.isClientLower] {
        let rest = socks.rest(fromLower: isLower)
        if !rest.isEmpty { consume(rest.span, fromLower: isLower, at: moment, sharing: &shared) }
      }
    }
  }

  /// Takes what comes next for a conversation of its own.
  private mutating func beginAnew() {
    phase = .undecided
    lower = StreamBeginning()
    upper = StreamBeginning()
    (first, last) = (nil, nil)
  }

  /// Takes a packet without payload, such as a RST, for the one that settled the outcome.
  mutating func settle(at moment: Moment) {
    if hasHandshake, handshake.facts.outcome == .incomplete { last = moment }
  }
}
