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
    /// Something in the clear that may change to TLS.
    case dialogue
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

  /// Whether what begins neither as TLS nor as HTTP is taken for DNS.
  private var expectsNames = false

  /// Whether messages of DNS were seen.
  var hasNames: Bool { names?.areOfDNS == true }

  /// What was passed through before what is spoken now; nil for nothing.
  private(set) var preamble: Preamble?

  /// Whether what is spoken began anew, so that the session's place in the order is that of what comes.
  var needsNewTicket = false

  /// The first packet that carries a byte of the session.
  private(set) var first: Moment?

  /// The packet that settled the outcome; until then the last one with a byte of the session.
  private(set) var last: Moment?

  /// Bytes that the capture lacks.
  private(set) var missingBytes = 0

  /// Whether bytes are missing before the hello, in its own direction: what they asked for is not known.
  private(set) var isStartLost = false

  private var lower = StreamBeginning()
  private var upper = StreamBeginning()

  /// What the bytes in front of a handshake are, where that is noted; nil where nobody asks.
  var trace: PreambleTrace?

  /// Whether the client went on before a SOCKS proxy's answer, and the direction that the answer is still to come in.
  private var awaitsReply = (isSo: false, fromLower: false)

  /// The protocol of which nothing has led to TLS yet.
  var foreignProtocol: ForeignProtocol? { preamble?.dialogue?.form ?? preamble?.socks?.form }

  /// Cleartext HTTP in order, each with how much of the preamble stands in front of it.
  var httpConversations: [(http: HTTPConversation, place: Int)] {
    var all = preamble?.httpConversations ?? []
    if let http, !all.contains(where: { $0.http === http }) {
      all.append((http, preamble?.layers.count ?? 0))
    }
    return all
  }

  /// Sessions that have begun: hosts of cleartext HTTP, and a handshake.
  var sessionCount: Int {
    httpConversations.reduce(hasHandshake && first != nil ? 1 : 0) { $0 + $1.http.hosts.count }
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
  mutating func weigh(made: Int) -> Int { ownWeight.change(made: made, held: heldBytes) }

  /// Bytes that wait for more of a message, or that are kept for the end.
  @inline(__always)
  private var heldBytes: Int {
    var count = preamble?.heldBytes ?? 0
    switch phase {
    case .handshake: count += handshake.heldBytes
    case .undecided: count += lower.heldBytes + upper.heldBytes
    case .http: count += http?.heldBytes ?? 0
    case .names: count += names?.heldBytes ?? 0
    case .socks, .dialogue, .foreign: break
    }
    return count
  }

  /// Takes what is to come for messages of DNS, unless it begins as something that is looked for on any port.
  mutating func expectNames() { expectsNames = true }

  /// What a piece has changed, as far as the connection's tracking needs to know.
  struct Progress {
    /// Whether nothing more is to be expected of the connection.
    var isOver: Bool
    /// Whether the client seems to have refused by what the piece holds, an alert that is encrypted.
    var isRefusedNow: Bool
    var needsNewTicket: Bool
    /// Whether there are cleartext requests.
    var isHTTP: Bool
    /// How much more the conversation takes of memory.
    var weightGain: Int
  }

  /// Reads on in one direction, if there is anything to read, and tells what that changed.
  mutating func advance(
    _ piece: Span<UInt8>, fromLower: Bool, at moment: Moment, sharing shared: inout SharedFacts
  ) -> Progress {
    let made = shared.madeBytes
    let wasRefused = handshake.refusedByShape
    if piece.count > 0 { consume(piece, fromLower: fromLower, at: moment, sharing: &shared) }
    return Progress(
      isOver: isOver, isRefusedNow: !wasRefused && handshake.refusedByShape, needsNewTicket: needsNewTicket,
      isHTTP: http != nil, weightGain: weigh(made: shared.madeBytes &- made))
  }

  /// Reads on in one direction.
  mutating func consume(
    _ piece: Span<UInt8>, fromLower: Bool, at moment: Moment, sharing shared: inout SharedFacts
  ) {
    if awaitsReply.isSo, awaitsReply.fromLower == fromLower {
      readReply(piece, fromLower, moment, &shared)
      return
    }
    switch phase {
    case .foreign: return
    case .handshake: read(piece, fromLower, moment, &shared)
    case .http: readHTTP(piece, fromLower, moment, &shared)
    case .socks: readSOCKS(piece, fromLower, moment, &shared)
    case .dialogue: readDialogue(piece, fromLower, moment, &shared)
    case .names: names?.consume(piece, fromLower: fromLower, frame: moment.frame, into: &shared.nameTable)
    case .undecided: begin(piece, fromLower, moment, &shared)
    }
  }

  /// Takes note of bytes that the capture lacks in one direction.
  mutating func skip(
    missing count: Int, fromLower: Bool, at moment: Moment, sharing shared: inout SharedFacts
  ) {
    missingBytes += count
    if awaitsReply.isSo, awaitsReply.fromLower == fromLower { awaitsReply.isSo = false }
    switch phase {
    case .foreign: return
    case .undecided:
      if trace != nil { tellLost(fromLower: fromLower) }
      if fromLower { lower.lose(count) } else { upper.lose(count) }
    case .http: http?.skip(missing: count, fromLower: fromLower)
    case .names: names?.lose()
    case .dialogue: preamble?.dialogue?.skip(fromLower: fromLower)
    case .socks:
      preamble?.socks?.skip(fromLower: fromLower)
      if preamble?.socks?.state == .failed { leaveSOCKS() }
    case .handshake:
      if handshake.facts.offer == nil, handshake.isClient(fromLower) != false { isStartLost = true }
      handshake.skip(missing: count, fromLower: fromLower, frame: moment.frame, sharing: &shared)
    }
  }

  /// Takes what was begun for all that there is.
  mutating func breakOff(sharing shared: inout SharedFacts) {
    if phase == .http { http?.breakOff() }
    guard hasHandshake else { return }
    handshake.breakOff(frame: last?.frame ?? 0, sharing: &shared)
  }

  private mutating func begin(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    let stepOver = min(fromLower ? lower.stepOver : upper.stepOver, piece.count)
    guard stepOver == 0 else {
      if fromLower { lower.stepOver -= stepOver } else { upper.stepOver -= stepOver }
      trace?.add(.content(stepOver), fromLower: fromLower, unread: piece.count - stepOver)
      if stepOver < piece.count {
        begin(piece.extracting(stepOver..<piece.count), fromLower, moment, &shared)
      }
      return
    }
    let kind = fromLower ? lower.examine(piece, at: moment) : upper.examine(piece, at: moment)
    if expectsNames, mayBeNames(kind, piece, fromLower) {
      beginNames(kind == .undecided ? nil : piece, fromLower, moment, &shared)
      return
    }
    switch kind {
    case .undecided:
      return
    case .foreign where isHelloBehindWords(piece, fromLower):
      // Words of no protocol: what comes behind them is looked at by itself.
      tellKept(fromLower: fromLower, unread: piece.count)
      if fromLower { lower = StreamBeginning() } else { upper = StreamBeginning() }
      handshake.note("tls-not-at-start")
      begin(piece, fromLower, moment, &shared)
    case .foreign:
      // What follows a gap says nothing about how the stream began; the other direction may still tell.
      let isLost = fromLower ? lower.isLost : upper.isLost
      if !isLost {
        beginForeign(piece, fromLower, moment, &shared)
      } else {
        trace?.add(.content(piece.count), fromLower: fromLower)
      }
    case .proxyHeader where preamble?.hasProxyHeader == true:
      phase = .foreign
    case .proxyHeader(let version, let byteCount):
      guard pass(.proxyProtocol(version)) else { return }
      self.stepOver(byteCount, piece, fromLower, moment, &shared)
    case .httpResponse: return
    case .httpRequest, .http2Preface:
      phase = .http
      let http = HTTPConversation(isClientLower: fromLower, in: self.http)
      if trace != nil { http.beginTrace() }
      http.pass(fromLower ? lower.lostBytes : upper.lostBytes, fromLower: fromLower)
      http.pass(fromLower ? upper.lostBytes : lower.lostBytes, fromLower: !fromLower)
      if kind == .http2Preface {
        http.takeHTTP2Preface(since: (fromLower ? lower : upper).firstKept, at: moment)
      }
      self.http = http
      let dropped = fromLower ? upper.droppedBytes : lower.droppedBytes
      let answers = fromLower ? upper.take() : lower.take()
      for part in fromLower ? lower.take() : upper.take() {
        consume(part.bytes.span, fromLower: fromLower, at: part.moment, sharing: &shared)
      }
      consume(piece, fromLower: fromLower, at: moment, sharing: &shared)
      // An answer that the capture holds before its request.
      for part in answers {
        consume(part.bytes.span, fromLower: !fromLower, at: part.moment, sharing: &shared)
      }
      if dropped > 0, phase == .http { http.skip(missing: dropped, fromLower: !fromLower) }
    case .hello where (fromLower ? upper : lower).isConsentOfPostgreSQL:
      // The client's request is late in the capture, or lost.
      let said = fromLower ? lower.take() : upper.take()
      trace?.add(.other(1), fromLower: !fromLower)
      guard pass(.startTLS(.postgresql)) else { return }
      beginAnew()
      for part in said { consume(part.bytes.span, fromLower: fromLower, at: part.moment, sharing: &shared) }
      consume(piece, fromLower: fromLower, at: moment, sharing: &shared)
    case .hello, .alert, .ssl2Hello:
      phase = .handshake
      hasHandshake = true
      isStartLost = fromLower ? lower.isLost : upper.isLost
      if kind == .ssl2Hello { handshake.expectSSL2Hello(fromLower: fromLower) }
      if fromLower ? upper.isLost : lower.isLost {
        handshake.skip(missing: 1, fromLower: !fromLower, frame: moment.frame, sharing: &shared)
      }
      if lower.isKeeping || upper.isKeeping { readKept(fromLower, &shared) }
      read(piece, fromLower, moment, &shared)
    }
  }

  /// Whether a hello follows bytes that told nothing, and do not with it.
  private func isHelloBehindWords(_ piece: Span<UInt8>, _ fromLower: Bool) -> Bool {
    let kept = fromLower ? lower.keptBytes : upper.keptBytes
    return !kept.isEmpty && StreamBeginning.kind(of: piece) == .hello
      && ForeignProtocol(beginningWith: kept.span) == nil
  }

  /// Whether a beginning may be one of DNS.
  private func mayBeNames(_ kind: StreamBeginning.Kind, _ piece: Span<UInt8>, _ fromLower: Bool) -> Bool {
    let kept = fromLower ? lower.keptBytes : upper.keptBytes
    switch kind {
    case .hello, .httpRequest, .http2Preface, .proxyHeader: return false
    // The first byte of a record of TLS, or a letter, as the first half of a length would announce a very long message.
    case .undecided: return kept.first.map { $0 != 22 && !(0x41...0x5A).contains($0) } ?? true
    case .alert, .ssl2Hello, .httpResponse, .foreign:
      var beginning = Bytes(kept.prefix(NameStreams.tellingCount))
      beginning.append(copying: piece.extracting(first: NameStreams.tellingCount))
      return beginning.count < NameStreams.tellingCount || NameStreams.beginLikeDNS(beginning)
    }
  }

  /// Begins with messages of DNS; `piece` is nil where it is kept already.
  private mutating func beginNames(
    _ piece: Span<UInt8>?, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    phase = .names
    let names = NameStreams()
    self.names = names
    if lower.isLost || upper.isLost { names.lose() }
    for isLower in [!fromLower, fromLower] {
      for part in isLower ? lower.take() : upper.take() {
        names.consume(part.bytes.span, fromLower: isLower, frame: part.moment.frame, into: &shared.nameTable)
      }
    }
    if let piece { names.consume(piece, fromLower: fromLower, frame: moment.frame, into: &shared.nameTable) }
  }

  /// Steps over bytes at the start of a direction and begins anew with what follows them.
  private mutating func stepOver(
    _ count: Int, _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    let (all, ends) = takeAll(piece, fromLower)
    if let trace {
      trace.add(
        .replaced(NeutralBytes.beginning(all, ends, isText: all.first == UInt8(ascii: "P"), upTo: count)),
        fromLower: fromLower, unread: max(0, all.count - count))
    }
    if fromLower { lower = StreamBeginning() } else { upper = StreamBeginning() }
    guard count < all.count else {
      if fromLower { lower.stepOver = count - all.count } else { upper.stepOver = count - all.count }
      return
    }
    let rest = Bytes(all[count...])
    begin(rest.span, fromLower, moment, &shared)
  }

  /// Begins with what is neither TLS nor HTTP, and perhaps leads to one of them.
  private mutating func beginForeign(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    let (all, ends) = takeAll(piece, fromLower)
    phase = .foreign
    guard let form = ForeignProtocol(beginningWith: all.span) else {
      return tell(all, ends, fromLower: fromLower)
    }
    // An answer that the capture holds before what it answers.
    let answers = fromLower ? upper.take() : lower.take()
    let preamble = preamble ?? Preamble()
    self.preamble = preamble
    if form.isSOCKS {
      phase = .socks
      preamble.socks = SOCKSNegotiation(form, isClientLower: fromLower)
      readSOCKS(all.span, fromLower, moment, &shared)
    } else {
      phase = .dialogue
      preamble.dialogue = CleartextDialogue(form)
      readDialogue(all.span, fromLower, moment, &shared, beginningAt: ends)
    }
    consume(answers, fromLower: !fromLower, sharing: &shared)
  }

  /// Reads what was kept of a direction, by packets.
  private mutating func consume(
    _ parts: [(bytes: Bytes, moment: Moment)], fromLower: Bool, sharing shared: inout SharedFacts
  ) {
    var left = parts.reduce(0) { $0 + $1.bytes.count }
    for part in parts {
      left -= part.bytes.count
      trace?.expect(left, fromLower: fromLower)
      consume(part.bytes.span, fromLower: fromLower, at: part.moment, sharing: &shared)
    }
  }

  /// Gives out what was kept of a direction with its next piece, and where each packet's part of it ends.
  private mutating func takeAll(_ piece: Span<UInt8>, _ fromLower: Bool) -> (bytes: Bytes, ends: [Int]) {
    var all = Bytes()
    var ends: [Int] = []
    for part in fromLower ? lower.take() : upper.take() {
      all.append(contentsOf: part.bytes)
      ends.append(all.count)
    }
    all.append(copying: piece)
    return (all, ends + [all.count])
  }

  /// Notes what is kept of a direction, without telling what it is, for what stands in for it.
  private func tellKept(fromLower: Bool, unread: Int = 0) {
    var beginning = fromLower ? lower : upper
    let dropped = beginning.droppedBytes
    var all = Bytes()
    var ends: [Int] = []
    for part in beginning.take() {
      all.append(contentsOf: part.bytes)
      ends.append(all.count)
    }
    tell(all, ends, fromLower: fromLower, unread: dropped + unread)
  }

  /// Notes bytes that told nothing for what stands in for them; `unread` more stand behind them.
  private func tell(_ all: Bytes, _ ends: [Int], fromLower: Bool, unread: Int = 0) {
    guard let first = all.first else { return }
    let isText = (0x20...0x7E).contains(first) || first == 0x0D || first == 0x0A
    trace?.add(
      .replaced(NeutralBytes.beginning(all, ends, isText: isText, upTo: all.count)), fromLower: fromLower,
      unread: unread)
  }

  /// Notes what was kept of a direction and is given up for a gap.
  private func tellLost(fromLower: Bool) {
    let beginning = fromLower ? lower : upper
    if !beginning.keepsForLater { tellKept(fromLower: fromLower) }
  }

  /// Takes note of what was passed through, and begins anew; false where there is too much of it.
  private mutating func pass(_ layer: Preamble.Layer) -> Bool {
    let preamble = preamble ?? Preamble()
    self.preamble = preamble
    preamble.dialogue = nil
    preamble.socks = nil
    guard preamble.append(layer) else {
      phase = .foreign
      return false
    }
    return true
  }

  /// Reads what was kept of both directions before it told what is spoken; the other direction's first.
  private mutating func readKept(_ fromLower: Bool, _ shared: inout SharedFacts) {
    // What is no TLS is read as if it were.
    if trace != nil, !(fromLower ? upper : lower).mayBeRecord { tellKept(fromLower: !fromLower) }
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
    guard let http else { return }
    let end = http.consume(piece, fromLower: fromLower, at: moment)
    if http.tunnelTarget != nil || http.isUpgradedToTLS {
      http.leave(piece.count - end, fromLower: fromLower)
      enterTunnel(http, &shared)
      guard end < piece.count, phase != .foreign else { return }
      consume(piece.extracting(end..<piece.count), fromLower: fromLower, at: moment, sharing: &shared)
      return
    }
    if end < piece.count, fromLower == http.isClientLower, http.awaitsTunnel {
      goAhead(piece.extracting(end..<piece.count), http, moment, &shared)
    }
    // What is read again may lead here once more, very often if a client wants it so: only the first one goes on.
    guard !http.isRefeeding else { return }
    http.isRefeeding = true
    while let part = http.nextRefed() {
      consume(part.bytes.span, fromLower: http.isClientLower, at: part.moment, sharing: &shared)
    }
    http.isRefeeding = false
  }

  /// Goes on behind a proxy's answer, or an upgrade, with what either end said ahead of it.
  private mutating func enterTunnel(_ http: HTTPConversation, _ shared: inout SharedFacts) {
    let ahead = http.takeAhead()
    let behind = http.takeBehind()
    guard pass(http.isUpgradedToTLS ? .httpUpgrade(http) : .httpConnect(http)) else { return }
    beginAnew()
    consume(ahead, fromLower: http.isClientLower, sharing: &shared)
    consume(behind, fromLower: !http.isClientLower, sharing: &shared)
  }

  /// Reads what a client says behind a CONNECT that has not been answered. One that goes on with a hello or with a request has been
  /// answered, be the answer late in the capture or lost: with consent, unless it asks the proxy once more.
  private mutating func goAhead(
    _ piece: Span<UInt8>, _ http: HTTPConversation, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    switch http.keepAhead(piece, at: moment) {
    case .askingProxy:
      http.takeTunnelForRefused()
    case .throughTunnel:
      http.takeTunnelForOpened()
      enterTunnel(http, &shared)
    case .undecided: return
    }
  }

  /// Gives out what the bytes of one direction are, in the order of what they were read by, and how many of those that came
  /// are not told apart by it. Where a gap comes next, cleartext HTTP waits: it tells of gaps as of bytes.
  func takeTraces(fromLower: Bool, atGap: Bool) -> [(runs: [MessageTrace.Run], unread: Int)] {
    var traces: [(runs: [MessageTrace.Run], unread: Int)] = []
    for layer in preamble?.layers ?? [] {
      switch layer {
      case .socks(let socks): traces.append(socks.takeTrace(fromLower: fromLower))
      case .httpConnect(let http), .httpUpgrade(let http):
        if !atGap, !http.isTraceOver(fromLower: fromLower) {
          traces.append(http.takeTrace(fromLower: fromLower))
        }
      case .proxyProtocol, .startTLS: break
      }
    }
    traces += trace?.take(fromLower: fromLower) ?? []
    if atGap { return traces }
    if let http, !(preamble?.httpConversations.contains { $0.http === http } ?? false) {
      traces.append(http.takeTrace(fromLower: fromLower))
    }
    if hasHandshake, trace?.tellsHandshake(fromLower: fromLower) == true { traces.append(([.handshake], 0)) }
    return traces
  }

  private mutating func readDialogue(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts,
    beginningAt ends: [Int] = []
  ) {
    guard let dialogue = preamble?.dialogue else { return }
    let form = dialogue.form
    let held = dialogue.keptBytes(fromLower: fromLower)
    let hello = dialogue.consume(piece, fromLower: fromLower, at: moment)
    if let trace {
      let rest = hello?.reduce(0) { $0 + $1.bytes.count } ?? dialogue.keptBytes(fromLower: fromLower)
      // A hello may have begun in an earlier piece.
      let said = max(0, piece.count - rest)
      let isText = form.isText
      let neutral =
        ends.isEmpty
        ? NeutralBytes.filling(piece, isText: isText, upTo: said) { form.refined(by: $0) == dialogue.form }
        : NeutralBytes.beginning(Bytes(copying: piece), ends, isText: isText, upTo: said)
      trace.add(.content(max(0, held + piece.count - rest - said)), fromLower: fromLower, unread: rest + said)
      trace.add(.replaced(neutral), fromLower: fromLower, unread: rest)
    }
    guard let parts = hello else {
      if dialogue.isOver { phase = .foreign }
      return
    }
    guard pass(.startTLS(dialogue.form)) else { return }
    beginAnew()
    for part in parts { consume(part.bytes.span, fromLower: fromLower, at: part.moment, sharing: &shared) }
  }

  private mutating func readSOCKS(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    guard let socks = preamble?.socks else { return }
    socks.consume(piece, fromLower: fromLower)
    switch socks.state {
    case .negotiating: return
    case .failed: leaveSOCKS()
    case .open:
      guard pass(.socks(socks)) else { return }
      beginAnew()
      awaitsReply = (socks.awaitsReply, !socks.isClientLower)
      for isLower in [socks.isClientLower, !socks.isClientLower] {
        let rest = socks.rest(fromLower: isLower)
        if !rest.isEmpty { consume(rest.span, fromLower: isLower, at: moment, sharing: &shared) }
      }
    }
  }

  /// Gives up on a SOCKS proxy; what it was begun with marks what may follow.
  private mutating func leaveSOCKS() {
    phase = .foreign
    guard let trace, let socks = preamble?.socks else { return }
    let said = socks.clientBytes
    trace.add(
      .replaced(NeutralBytes.beginning(said, [], isText: false, upTo: said.count)),
      fromLower: socks.isClientLower)
  }

  /// Steps over a proxy's answer that comes when the client has gone on.
  private mutating func readReply(
    _ piece: Span<UInt8>, _ fromLower: Bool, _ moment: Moment, _ shared: inout SharedFacts
  ) {
    guard
      case .socks(let socks)? = preamble?.layers.last(where: { if case .socks = $0 { true } else { false } })
    else { return }
    socks.consume(piece, fromLower: fromLower)
    guard !socks.awaitsReply else { return }
    awaitsReply.isSo = false
    let rest = socks.rest(fromLower: fromLower)
    if !rest.isEmpty { consume(rest.span, fromLower: fromLower, at: moment, sharing: &shared) }
  }

  /// Takes what comes next for a conversation of its own.
  private mutating func beginAnew() {
    phase = .undecided
    lower = StreamBeginning()
    upper = StreamBeginning()
    (first, last) = (nil, nil)
    needsNewTicket = true
  }

  /// Takes note that the client had bytes of the server, when it seemed to refuse, that have not been read.
  mutating func doubtRefusal() { handshake.doubtRefusal() }

  /// Takes a packet without payload, such as a RST, for the one that settled the outcome.
  mutating func settle(at moment: Moment) {
    if hasHandshake, handshake.facts.outcome == .incomplete { last = moment }
  }
}
