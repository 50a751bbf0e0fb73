import ByteParsing
import HandshakeDecryption
import SessionModel
import TLSParsing
package import Values

/// The hellos of both sides.
extension Handshake {
  mutating func receiveClientHello(
    _ body: Span<UInt8>, isWhole: Bool, _ direction: Direction, _ frames: FrameList, sharing shared: inout SharedFacts
  ) {
    correctClient(direction)
    guard isClient(direction) != false else { return }
    // After a HelloRetryRequest or a renegotiation, the first hello remains the reported one.
    guard facts.sharedOffer == nil else {
      // QUIC packets are retransmitted with their hellos, and a DTLS hello is repeated with a cookie.
      if transport == .tls || !negotiation.isAwaitingFirstServerHello { repeatClientHello(body, frames) }
      if isWhole { transcript?.add(clientHello: body) }
      return
    }
    setClient(direction)
    evidence.clientHello = isWhole ? .complete : .partial
    record(.clientHello, in: frames)
    // QUIC packets may show that there is a hello without containing its start.
    if transport == .quic, body.isEmpty { return }
    let fields = HelloFields(ofClient: body, format: transport == .dtls ? .dtls : .tls, isWhole: isWhole)
    if isWhole, let fault = fields.fault { note(fault, of: .clientHello, sharing: &shared) }
    // A damaged hello with another version is not a hello.
    guard fields.fault == nil || transport != .tls || [0, 3].contains(fields.legacyVersion.rawValue >> 8) else {
      evidence.clientHello = .partial
      return
    }
    record(
      shared.offer(fields, of: body, transport: transport), random: ShortBytes(body.extracting(fields.random)),
      sessionID: ShortBytes(body.extracting(fields.sessionID)))
    if let name = fields.serverName(in: body) { record(shared.name(body.extracting(name))) }
    verifyEarlyExchange(sharing: &shared)
    offersOnlyExternalPSKs =
      switch fields.offeredPSKs(in: body) {
      case .noneOrTickets: false
      case .external: true
      // Clients without a clock offer no suites for pre-shared keys, and send signature_algorithms.
      case .withoutAge:
        facts.sharedOffer.map {
          $0.cipherSuites.contains { $0.structure?.usesPreSharedKey == true } || !$0.extensions.contains(.signatureAlgorithms)
        } == true
      }
    if let ticket = fields.body(of: .sessionTicket) {
      facts.offeredTicket = ShortBytes(ticket: body.extracting(ticket))
    }
    if fields.fault == nil, transport != .dtls, !shared.secrets.isEmpty {
      beginTranscript(body, sharing: &shared)
      decryptInnerHello(body, sharing: shared)
    }
  }

  /// Records a further ClientHello. A client that repeats its hello does not change the random (RFC 8446 §4.1.2), so a hello with another
  /// one is forged, or of another connection, and so may be the first: it is uncertain which one the server answers.
  private mutating func repeatClientHello(_ body: Span<UInt8>, _ frames: FrameList) {
    let isRequested = if case .helloRetryRequest = negotiation { true } else { false }
    // The random follows the version, which takes two bytes.
    if transport == .tls, !isRequested, case .handshaking = client, facts.clientRandom.count == ShortBytes.capacity, body.count >= 34,
      ShortBytes(body.extracting(2..<34)) != facts.clientRandom
    {
      evidence.contest(.clientHello, FrameList(evidence.frames[.clientHello].numbers + frames.numbers))
    }
    negotiation.repeatClientHello()
  }

  /// Whether bytes of one side begin with another hello than the one that was read, and not with one that a HelloRetryRequest explains.
  package func isContradicted(by bytes: Span<UInt8>, in direction: Direction) -> Bool {
    // Record header (5), type of the message (1), length (3), version (2), random (32).
    guard bytes.count >= 43, bytes[0] == ContentType.handshake.rawValue else { return false }
    switch (bytes[5], isClient(direction)) {
    case (1, true?):
      return facts.clientRandom.count == ShortBytes.capacity && ShortBytes(bytes.extracting(11..<43)) != facts.clientRandom
    case (2, false?):
      // Other messages of the flight may follow in the segment.
      let hello = try? ServerHello(parsingPrefix: bytes.extracting(9..<bytes.count))
      return facts.sharedServerHello != nil && hello?.isHelloRetryRequest == false
    default: return false
    }
  }

  private mutating func record(_ offer: Shared<ClientOffer>, random: ShortBytes, sessionID: ShortBytes) {
    facts.sharedOffer = offer
    facts.clientRandom = random
    facts.offeredSessionID = sessionID
    if facts.sharedServerHello == nil { facts.sessionID = sessionID }
  }

  mutating func record(_ name: KnownName) {
    facts.serverName = name.text
    facts.serverNameDigest = name.digest
  }

  mutating func receiveServerHello(
    _ type: HandshakeType, _ body: Span<UInt8>, isWhole: Bool, _ direction: Direction, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    correctClient(direction.opposite)
    guard isClient(direction) != true else { return }
    guard negotiation.awaitsServerHello else { return }
    guard type == .serverHello else {
      receiveDraftHelloRetryRequest(body, direction, frames)
      return
    }
    setClient(direction.opposite)
    evidence.serverHello = isWhole ? .complete : .partial
    for frame in frames { evidence.frames[.serverHello].insert(frame) }
    extents.note(.serverHello, extent)
    guard let fields = try? HelloFields(ofServer: body, isWhole: isWhole) else {
      if isWhole { note(.serverHelloMalformed) }
      return
    }
    let (random, sessionID) = (body.extracting(fields.random), body.extracting(fields.sessionID))
    if let fault = fields.fault {
      if isWhole { note(fault, of: .serverHello, sharing: &shared) }
      recordBroken(ServerHello(fields, of: body), isWhole: isWhole, random: random, sessionID: sessionID, sharing: &shared)
      return
    }
    record(shared.serverHello(fields, of: body), random: random, sessionID: sessionID)
    if inner != nil { confirmInnerHello(body, sharing: &shared) }
    if case .tls13 = negotiation, transport != .quic, !shared.secrets.isEmpty {
      prepareDecryption(sharing: &shared)
    }
  }

  /// Records a truncated or malformed ServerHello.
  private mutating func recordBroken(
    _ hello: ServerHello, isWhole: Bool, random: Span<UInt8>, sessionID: Span<UInt8>, sharing shared: inout SharedFacts
  ) {
    // A suite that was not offered shows damage, such as mixed copies of bytes, so the hello proves nothing.
    if isWhole, evidence.clientHello == .complete, let offer = facts.sharedOffer, !offer.cipherSuites.contains(hello.cipherSuite) {
      evidence.serverHello = .partial
      return
    }
    let isVersionCertain = hello.isVersionCertain
    let serverHello = shared.serverHello(hello, version: isVersionCertain ? hello.version : versionOfTLS13Offered())
    record(KnownServerHello(serverHello, hello, isVersionCertain: isVersionCertain), random: random, sessionID: sessionID)
    // The extension for resumption may be in the missing part.
    if case .tls13 = negotiation, hello.selectedPSK == nil { facts.isResumed = nil }
  }

  /// The version of a hello with a TLS 1.3 suite: the only TLS 1.3 version or draft in a complete offer, if there is one.
  private func versionOfTLS13Offered() -> TLSVersion? {
    let offered = evidence.clientHello == .complete ? facts.sharedOffer?.versions ?? [] : []
    let candidates = offered.filter { $0.hasTLS13Handshake }
    guard let candidate = candidates.first, candidates.count == 1 else { return nil }
    return candidate
  }

  private mutating func record(_ known: KnownServerHello, random: Span<UInt8>, sessionID: Span<UInt8>) {
    let wasClientHelloRepeated = negotiation.isClientHelloRepeated
    negotiation.choose(isTLS13: known.isTLS13, isHelloRetryRequest: known.serverHello.isHelloRetryRequest)
    facts.sharedServerHello = known.serverHello
    serverCredential = known.showsRawPublicKey ? .rawPublicKey : .certificate
    requestsRawPublicKey = known.requestsRawPublicKey
    facts.serverRandom = ShortBytes(random)
    if case .mayHaveFinished = client { client = .handshaking }
    if !sessionID.isEmpty || !negotiation.isTLS13 { facts.sessionID = ShortBytes(sessionID) }
    if let list = known.sctList { facts.sctList = list }
    guard negotiation.isTLS13 else { return }
    facts.group = known.serverHello.keyShareGroup
    if case .helloRetryRequest = negotiation {
      facts.hasHelloRetryRequest = true
      return
    }
    // Only a HelloRetryRequest makes a client repeat its hello, captured or not.
    if wasClientHelloRepeated, !evidence.isContested(.clientHello) { facts.hasHelloRetryRequest = true }
    if known.selectsPSK, offersOnlyExternalPSKs { note(.externalPSK) }
    facts.isResumed = known.selectsPSK && !offersOnlyExternalPSKs
    facts.resumption = facts.isResumed == true ? .psk : nil
  }

  /// Receives `hello_retry_request` as a separate message type, as in drafts of TLS 1.3 before 22: version, (suite,) extensions.
  private mutating func receiveDraftHelloRetryRequest(_ body: Span<UInt8>, _ direction: Direction, _ frames: FrameList) {
    guard facts.sharedServerHello == nil, body.count >= 2 else { return }
    facts.hasHelloRetryRequest = true
    setClient(direction.opposite)
    for frame in frames { evidence.frames[.serverHello].insert(frame) }
    extents.note(.serverHello, extent)
    evidence.serverHello = .partial
  }

  /// Records why a whole hello was not completely read.
  private mutating func note(_ fault: ParseError, of part: Evidence.Part, sharing shared: inout SharedFacts) {
    guard case .limitReached = fault.reason else {
      note(part == .clientHello ? .clientHelloMalformed : .serverHelloMalformed)
      return
    }
    shared.beyondLimits.extensions += 1
    evidence.incomplete = .limit
    if part == .clientHello { evidence.clientHello = .partial } else { evidence.serverHello = .partial }
  }
}

// MARK: - SSL 2

extension Handshake {
  mutating func receiveSSL2Hello(_ message: Bytes, _ direction: Direction, _ frames: FrameList, sharing shared: inout SharedFacts) {
    note(.ssl2Hello)
    if message.first == 1 {
      guard facts.sharedOffer == nil, let hello = try? ClientHello(parsingSSL2: message.span) else { return }
      setClient(direction)
      evidence.clientHello = .complete
      record(.clientHello, in: frames)
      record(shared.offer(hello, transport: transport), random: ShortBytes(hello.random.span), sessionID: ShortBytes(hello.sessionID.span))
      return
    }
    guard facts.sharedServerHello == nil, let hello = try? SSL2ServerHello(parsing: message.span) else { return }
    setClient(direction.opposite)
    negotiation.choose(isTLS13: false, isHelloRetryRequest: false)
    facts.sharedServerHello = shared.serverHello(hello)
    facts.sessionID = ShortBytes(hello.connectionID.span)
    evidence.serverHello = .complete
    record(.serverHello, in: frames)
    guard !hello.certificate.isEmpty else { return }
    facts.chain = shared.chain(ofOne: hello.certificate)
    evidence.certificates = .complete
    record(.certificates, in: frames)
  }

  /// Receives the first bytes of a hello in the SSL 2 format; the capture lacks the rest.
  mutating func receiveBrokenSSL2Hello(_ message: Bytes, _ direction: Direction, _ frames: FrameList) {
    note(.ssl2Hello)
    if message.first == 1 {
      guard facts.sharedOffer == nil, evidence.clientHello == .missing else { return }
      setClient(direction)
      evidence.clientHello = .partial
      record(.clientHello, in: frames)
    } else if message.first == 4 {
      guard facts.sharedServerHello == nil, evidence.serverHello == .missing else { return }
      setClient(direction.opposite)
      evidence.serverHello = .partial
      record(.serverHello, in: frames)
    }
  }
}
