import ByteParsing
import HandshakeDecryption
import SessionModel
import TLSParsing
import Values

/// The messages of both sides.
extension Handshake {
  mutating func receive(
    _ type: HandshakeType, _ body: Span<UInt8>, isWhole: Bool, _ direction: Direction, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    switch type {
    case .clientHello:
      receiveClientHello(body, isWhole: isWhole, direction, frames, sharing: &shared)
    case .serverHello, .helloRetryRequest:
      receiveServerHello(type, body, isWhole: isWhole, direction, frames, sharing: &shared)
    case .certificate where isTLS13:
      receiveTLS13Certificate(body, isWhole: isWhole, direction, frames, sharing: &shared)
    case .certificate:
      receiveCertificate(body, isWhole: isWhole, direction, frames, sharing: &shared)
    case .certificateVerify where isTLS13 && isWhole && isClient(direction) == false:
      verifyCertificateVerify(body, sharing: &shared)
    case .compressedCertificate where isTLS13 && isWhole:
      receiveCompressedCertificate(body, direction, frames, sharing: &shared)
    case .encryptedExtensions where isTLS13 && isWhole && isClient(direction) == false:
      receiveEncryptedExtensions(body)
    case .serverKeyExchange where isWhole:
      receiveServerKeyExchange(body, frames, sharing: &shared)
    case .serverKeyExchange:
      evidence.serverKeyExchange = .partial
      evidence.frames[.serverKeyExchange] = frames
      extents.note(.serverKeyExchange, extent)
      server.sentFullHandshakeMessage = true
    case .certificateStatus:
      receiveCertificateStatus(body, isWhole: isWhole, frames)
    case .certificateRequest:
      facts.clientCertificateRequested = true
      server.sentFullHandshakeMessage = true
    case .newSessionTicket where isWhole && !isTLS13:
      // A lifetime of four bytes and a length of two stand before the ticket (RFC 5077 §3.3).
      if isClient(direction) == false, body.count > 6 {
        facts.issuedTicket = ShortBytes(ticket: body.extracting(6..<body.count))
      }
    case .serverHelloDone:
      server.sentFullHandshakeMessage = true
      server.wentOn = true
      server.endedFlight = true
    case .clientKeyExchange:
      client.sentFullHandshakeMessage = true
      server.wentOn = true
    default:
      break
    }
    if transcript != nil { addToTranscript(type, body, isWhole: isWhole, direction) }
  }

  private mutating func receiveClientHello(
    _ body: Span<UInt8>, isWhole: Bool, _ direction: Direction, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    correctClient(direction)
    guard isClient(direction) != false else { return }
    // After a HelloRetryRequest, and when a client negotiates anew, the first hello stays the one that is reported.
    guard facts.offer == nil else {
      if !isQUIC, facts.serverHello == nil { saidHelloAgain = true }
      if isRetryLast { saidHelloAfterRetry = true }
      if isWhole { transcript?.add(clientHello: body) }
      return
    }
    clientDirection = direction
    evidence.clientHello = isWhole ? .complete : .partial
    evidence.frames[.clientHello] = frames
    extents.note(.clientHello, extent)
    // Packets of QUIC may show that there is a hello, and not its beginning.
    if isQUIC, body.isEmpty { return }
    guard isWhole, let found = shared.clientHello(body, transport: isQUIC ? .quic : .tls) else {
      let hello = ClientHello(parsingPrefix: body, isWhole: isWhole)
      if isWhole, let fault = hello.fault { note(fault, of: .clientHello, sharing: &shared) }
      // What has another version is no hello, but was taken for the start of one.
      if isQUIC || hello.isComplete || [0, 3].contains(hello.legacyVersion.rawValue >> 8) {
        take(hello, sharing: &shared)
      } else {
        evidence.clientHello = .partial
      }
      return
    }
    facts.offer = found.known.offer
    facts.clientRandom = ShortBytes(body.extracting(found.scan.random))
    if !found.scan.serverName.isEmpty { take(shared.name(body.extracting(found.scan.serverName))) }
    facts.offeredSessionID = ShortBytes(body.extracting(found.scan.sessionID))
    offeredTicket = found.known.offersTicket
    facts.offeredTicket = ShortBytes(ticket: body.extracting(found.scan.sessionTicket))
    if !shared.secrets.isEmpty { beginTranscript(body, sharing: &shared) }
    offeredEarlyData = found.known.offersEarlyData
    if facts.serverHello == nil { facts.sessionID = facts.offeredSessionID }
    if !shared.secrets.isEmpty { openInnerHello(body, sharing: shared) }
  }

  /// Takes a hello of DTLS; one that is sent again with a cookie changes nothing.
  mutating func receiveDatagramHello(
    _ message: DTLSMessageAssembly.Message, _ direction: Direction, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    guard facts.offer == nil, isClient(direction) != false else { return }
    clientDirection = direction
    evidence.clientHello = message.isWhole ? .complete : .partial
    evidence.frames[.clientHello] = frames
    extents.note(.clientHello, extent)
    let hello = ClientHello(parsingPrefix: message.body.span, format: .dtls, isWhole: message.isWhole)
    if message.isWhole, let fault = hello.fault { note(fault, of: .clientHello, sharing: &shared) }
    take(hello, sharing: &shared)
  }

  /// Takes a hello that is cut off, malformed or in the format of SSL 2.
  private mutating func take(_ hello: ClientHello, sharing shared: inout SharedFacts) {
    facts.offer = shared.offer(hello, transport: isQUIC ? .quic : .tls)
    facts.clientRandom = ShortBytes(hello.random.span)
    if let name = hello.serverName { take(shared.name(name.span)) }
    facts.offeredSessionID = ShortBytes(hello.sessionID.span)
    offeredTicket = !(hello.sessionTicket ?? []).isEmpty
    if let ticket = hello.sessionTicket { facts.offeredTicket = ShortBytes(ticket: ticket.span) }
    offeredEarlyData = hello.offersEarlyData
    if facts.serverHello == nil { facts.sessionID = facts.offeredSessionID }
  }

  mutating func take(_ name: KnownName) {
    facts.serverName = name.text
    facts.serverNameDigest = name.digest
  }

  private mutating func receiveServerHello(
    _ type: HandshakeType, _ body: Span<UInt8>, isWhole: Bool, _ direction: Direction, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    correctClient(direction.opposite)
    guard isClient(direction) != true else { return }
    if facts.serverHello != nil, !isRetryLast { return }
    guard type == .serverHello else {
      receiveDraftHelloRetryRequest(body, direction, frames, sharing: &shared)
      return
    }
    clientDirection = direction.opposite
    evidence.serverHello = isWhole ? .complete : .partial
    for frame in frames { evidence.frames[.serverHello].insert(frame) }
    extents.note(.serverHello, extent)
    guard isWhole, let found = shared.serverHello(body) else {
      guard let hello = try? ServerHello(parsingPrefix: body, isWhole: isWhole) else {
        if isWhole { note("server-hello-malformed") }
        return
      }
      if isWhole, let fault = hello.fault { note(fault, of: .serverHello, sharing: &shared) }
      // With a suite that was not offered it is damage, as where another copy of its bytes came first, and tells nothing.
      if isWhole, evidence.clientHello == .complete, let offer = facts.offer,
        !offer.cipherSuites.contains(hello.cipherSuite)
      {
        evidence.serverHello = .partial
        return
      }
      takeCutOff(hello, sharing: &shared)
      return
    }
    let (random, sessionID) = (found.scan.random, found.scan.sessionID)
    take(found.known, random: body.extracting(random), sessionID: body.extracting(sessionID))
    if inner != nil { confirmInnerHello(body, sharing: &shared) }
    if isTLS13, !isRetryLast, !isQUIC, !shared.secrets.isEmpty { prepareOpening(sharing: &shared) }
  }

  /// Takes a hello that is not all there, or malformed.
  private mutating func takeCutOff(_ hello: ServerHello, sharing shared: inout SharedFacts) {
    var hello = hello
    let isSettled = hello.isVersionCertain
    if !isSettled { hello.version = versionOfTLS13Offered() }
    let known = KnownAnswer(shared.serverHello(hello), hello, isSettled: isSettled)
    take(known, random: hello.random.span, sessionID: hello.sessionID.span)
    // The extension that resumes may stand in the part that is not there.
    if !hello.isComplete, isTLS13, !isRetryLast, hello.selectedPSK == nil { facts.resumed = nil }
  }

  /// The version of a hello with a suite of TLS 1.3: the one that a whole offer leaves, drafts included; else `unseen`.
  private func versionOfTLS13Offered() -> TLSVersion {
    let offered = evidence.clientHello == .complete ? facts.offer?.versions ?? [] : []
    let candidates = offered.filter { $0.hasTLS13Handshake }
    guard let candidate = candidates.first, candidates.count == 1 else { return .unseen }
    return candidate
  }

  private mutating func take(_ known: KnownAnswer, random: Span<UInt8>, sessionID: Span<UInt8>) {
    facts.serverHello = known.serverHello
    isTLS13 = known.isTLS13
    isRetryLast = known.isHelloRetryRequest
    showsRawPublicKey = known.showsRawPublicKey
    facts.serverRandom = ShortBytes(random)
    if !sessionID.isEmpty || !isTLS13 { facts.sessionID = ShortBytes(sessionID) }
    if let list = known.sctList { facts.sctList = list }
    if isRetryLast {
      facts.helloRetryRequest = true
      facts.group = known.keyShareGroup
    } else if isTLS13 {
      // Only a HelloRetryRequest is answered by a second hello, whether the capture has it or not.
      if saidHelloAgain { facts.helloRetryRequest = true }
      facts.group = known.keyShareGroup
      facts.resumed = known.selectsPSK
      facts.resumption = known.selectsPSK ? .psk : nil
    }
  }

  /// `hello_retry_request` as a type of its own, in the drafts of TLS 1.3 before 22: version, (suite,) extensions.
  private mutating func receiveDraftHelloRetryRequest(
    _ body: Span<UInt8>, _ direction: Direction, _ frames: FrameList, sharing shared: inout SharedFacts
  ) {
    guard facts.serverHello == nil, body.count >= 2 else { return }
    facts.helloRetryRequest = true
    clientDirection = direction.opposite
    for frame in frames { evidence.frames[.serverHello].insert(frame) }
    extents.note(.serverHello, extent)
    evidence.serverHello = .partial
  }

  private mutating func receiveCertificate(
    _ body: Span<UInt8>, isWhole: Bool, _ direction: Direction, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    if noteRawPublicKey(direction, frames) {
      server.sentFullHandshakeMessage = true
      return
    }
    let chain = shared.chain(body, isWhole: isWhole)
    if isClient(direction) == true {
      if chain.isBeyondLimit { shared.beyondLimits.certificates += 1 }
      if facts.clientChain == nil { facts.clientChain = chain }
      if isWhole, chain.certificates.isEmpty { note(EndingNote.clientCertificateNotSent) }
      client.sentFullHandshakeMessage = true
      server.wentOn = true
      return
    }
    server.sentFullHandshakeMessage = true
    guard facts.chain == nil else { return }
    facts.chain = chain
    evidence.certificates = isWhole && chain.isComplete ? .complete : .partial
    if isWhole, !chain.isComplete { noteFault(of: chain, sharing: &shared) }
    evidence.frames[.certificates] = frames
    extents.note(.certificates, extent)
  }

  /// Notes why not all certificates of a whole message were read.
  mutating func noteFault(of chain: CertificateChain, sharing shared: inout SharedFacts) {
    guard chain.isBeyondLimit else {
      note("certificate-message-malformed")
      return
    }
    shared.beyondLimits.certificates += 1
    evidence.incomplete = .limit
  }

  /// Notes why a hello that is whole was not read to its end.
  private mutating func note(_ fault: ParseError, of part: Evidence.Part, sharing shared: inout SharedFacts) {
    guard case .limitReached = fault.reason else {
      note(part == .clientHello ? "client-hello-malformed" : "server-hello-malformed")
      return
    }
    shared.beyondLimits.extensions += 1
    evidence.incomplete = .limit
    if part == .clientHello { evidence.clientHello = .partial } else { evidence.serverHello = .partial }
  }

  /// Takes the server's Certificate message to come for one that holds a raw public key.
  mutating func expectRawPublicKey() { showsRawPublicKey = true }

  /// Notes a Certificate message that holds no certificate but a raw public key (RFC 7250 §3); false for others.
  mutating func noteRawPublicKey(_ direction: Direction, _ frames: FrameList) -> Bool {
    guard showsRawPublicKey, isClient(direction) == false else { return false }
    evidence.certificates = .notSent
    evidence.frames[.certificates] = frames
    extents.note(.certificates, extent)
    note("raw-public-key")
    return true
  }

  private mutating func receiveServerKeyExchange(
    _ body: Span<UInt8>, _ frames: FrameList, sharing shared: inout SharedFacts
  ) {
    server.sentFullHandshakeMessage = true
    guard facts.serverKeyExchange == nil, let serverHello = facts.serverHello,
      let suite = serverHello.cipherSuite
    else { return }
    evidence.frames[.serverKeyExchange] = frames
    extents.note(.serverKeyExchange, extent)
    guard ServerKeyExchange.isExplained(by: suite) else {
      // It is there, and nobody can tell what would be wrong with it.
      evidence.serverKeyExchange = .complete
      return
    }
    guard let exchange = try? ServerKeyExchange(parsing: body, suite: suite, version: serverHello.version)
    else {
      evidence.serverKeyExchange = .partial
      note("server-key-exchange-malformed")
      return
    }
    evidence.serverKeyExchange = .complete
    facts.serverKeyExchange = ServerKeyExchangeFacts(
      bits: exchange.bits, group: exchange.group, signatureScheme: exchange.signatureScheme)
    facts.group = exchange.group
    verifyKeyExchange(body, sharing: &shared)
  }

  private mutating func receiveCertificateStatus(_ body: Span<UInt8>, isWhole: Bool, _ frames: FrameList) {
    facts.ocspStapled = true
    server.sentFullHandshakeMessage = true
    evidence.frames[.certificateStatus] = frames
    extents.note(.certificateStatus, extent)
    evidence.certificateStatus = isWhole ? .complete : .partial
    guard isWhole, let status = try? CertificateStatus(parsing: body), let first = status.responses.first,
      first.lowerBound >= 0, first.upperBound <= body.count
    else { return }
    facts.ocspResponse = Bytes(copying: body.extracting(first))
    // A server that was asked in the second way says of the CAs' certificates as well (RFC 6961 §2.2).
    var responses: [Int: Bytes] = [:]
    for (place, range) in status.responses.enumerated().dropFirst() where !range.isEmpty {
      guard place < facts.chain?.certificates.count ?? 0, range.lowerBound >= 0,
        range.upperBound <= body.count
      else { break }
      responses[place] = Bytes(copying: body.extracting(range))
    }
    if !responses.isEmpty { facts.issuerOCSPResponses = responses }
  }

  mutating func receiveSSL2Hello(
    _ message: Bytes, _ direction: Direction, _ frames: FrameList, sharing shared: inout SharedFacts
  ) {
    note("ssl2-hello")
    if message.first == 1 {
      guard facts.offer == nil, let hello = try? ClientHello(parsingSSL2: message.span) else { return }
      clientDirection = direction
      evidence.clientHello = .complete
      evidence.frames[.clientHello] = frames
      extents.note(.clientHello, extent)
      take(hello, sharing: &shared)
      return
    }
    guard facts.serverHello == nil, let hello = try? SSL2ServerHello(parsing: message.span) else { return }
    clientDirection = direction.opposite
    facts.serverHello = shared.serverHello(hello)
    facts.sessionID = ShortBytes(hello.connectionID.span)
    evidence.serverHello = .complete
    evidence.frames[.serverHello] = frames
    extents.note(.serverHello, extent)
    guard !hello.certificate.isEmpty else { return }
    facts.chain = shared.chain(ofOne: hello.certificate)
    evidence.certificates = .complete
    evidence.frames[.certificates] = frames
    extents.note(.certificates, extent)
  }

  /// Takes note of a hello in the format of SSL 2 of which only the first bytes are there.
  mutating func receiveBrokenSSL2Hello(_ message: Bytes, _ direction: Direction, _ frames: FrameList) {
    note("ssl2-hello")
    if message.first == 1 {
      guard facts.offer == nil, evidence.clientHello == .missing else { return }
      clientDirection = direction
      evidence.clientHello = .partial
      evidence.frames[.clientHello] = frames
      extents.note(.clientHello, extent)
    } else if message.first == 4 {
      guard facts.serverHello == nil, evidence.serverHello == .missing else { return }
      clientDirection = direction.opposite
      evidence.serverHello = .partial
      evidence.frames[.serverHello] = frames
      extents.note(.serverHello, extent)
    }
  }

  package mutating func note(_ name: String) {
    if !evidence.notes.contains(name) { evidence.notes.append(name) }
  }
}
