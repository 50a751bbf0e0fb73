import ByteParsing
import HandshakeDecryption
import TLSParsing

/// Joins both directions of a connection into what was observed of one handshake.
struct Handshake {
  /// What has been seen.
  var facts = TLSFacts()

  /// Where it was seen.
  var evidence = Evidence()

  /// Whether the lower end of the connection is the client; nil before a hello tells.
  private(set) var isClientLower: Bool?

  /// Whether the outcome is known and nothing more is to be expected in the clear.
  private(set) var isOver = false

  /// Whether the server chose the version family of TLS 1.3, drafts included; false before it has chosen.
  private(set) var isTLS13 = false

  /// Whether the server shows a raw public key in place of certificates (RFC 7250).
  private var showsRawPublicKey = false

  /// Whether the server's last word was a HelloRetryRequest; meaningful once it has answered.
  private var isRetryLast = false

  /// Whether a limit was hit.
  var hitLimit: Bool { lower.hitLimit || upper.hitLimit }

  /// Opens what is protected, where there are secrets for it.
  var opening: HandshakeOpening?

  /// Whether the client was taken to have refused because of what a sealed record of its looks like.
  private var refusedByShape = false

  /// Whether which end is the client was concluded from an alert, for want of anything better.
  private var isClientGuessed = false

  /// Whether the messages come out of QUIC packets and not out of records.
  private var isQUIC = false

  /// Whether the server's Finished was seen: nothing that was not seen before it was sent.
  private var sawServerFinished = false

  private var lower = RecordStream()
  private var upper = RecordStream()
  private var client = SideProgress()
  private var server = SideProgress()
  private var offeredSessionID = ShortBytes()
  private var offeredTicket = false
  private var offeredEarlyData = false

  /// How far one side has come.
  private struct SideProgress {
    /// It sent a ChangeCipherSpec.
    var changedCipherSpec = false
    /// It sent a protected record that can be its Finished or application data.
    var finished = false
    /// It sent a handshake message that only a full handshake has.
    var sentFullHandshakeMessage = false
    /// It ended its first flight (ServerHelloDone), or went on behind it.
    var wentOn = false
    /// The end of its first flight was seen in its own direction: no gap behind it hides a part of the flight.
    var endedFlight = false
  }

  /// Whether bytes of either direction are missing from before the end of the server's first flight.
  private var lostOfLower = false
  private var lostOfUpper = false

  /// How many alerts of one side are kept.
  static let alertLimit = 32

  /// Takes the bytes to come from one end for a hello in the format of SSL 2.
  mutating func expectSSL2Hello(fromLower: Bool) {
    if fromLower { lower.expectSSL2Hello() } else { upper.expectSSL2Hello() }
  }

  /// Reads on in one direction.
  mutating func consume(
    _ piece: Span<UInt8>, fromLower: Bool, frame: UInt64, sharing shared: inout SharedFacts
  ) {
    var position = 0
    while let event = nextEvent(piece, &position, fromLower, frame, sharing: &shared) {
      if case .message(let type, let body) = event {
        let frames = fromLower ? lower.frames : upper.frames
        receive(type, piece.extracting(body), isWhole: true, fromLower, frames, sharing: &shared)
      } else {
        receive(event, fromLower, frame, sharing: &shared)
      }
    }
  }

  @inline(__always)
  private mutating func nextEvent(
    _ piece: Span<UInt8>, _ position: inout Int, _ fromLower: Bool, _ frame: UInt64,
    sharing shared: inout SharedFacts
  ) -> RecordStream.Event? {
    let start = position
    let event =
      fromLower
      ? lower.next(in: piece, at: &position, frame: frame, spare: &shared.spareBuffers)
      : upper.next(in: piece, at: &position, frame: frame, spare: &shared.spareBuffers)
    if opening != nil { open(piece.extracting(start..<position), fromLower, frame, sharing: &shared) }
    return event
  }

  /// Takes note of bytes that the capture lacks in one direction.
  mutating func skip(missing count: Int, fromLower: Bool, frame: UInt64, sharing shared: inout SharedFacts) {
    if !server.endedFlight {
      if fromLower { lostOfLower = true } else { lostOfUpper = true }
    }
    if let isClientLower { opening?.lose(isClient: fromLower == isClientLower) }
    let event =
      fromLower
      ? lower.skip(missing: count, spare: &shared.spareBuffers)
      : upper.skip(missing: count, spare: &shared.spareBuffers)
    if let event { receive(event, fromLower, frame, sharing: &shared) }
  }

  /// Takes what was begun in both directions for all that there is.
  mutating func breakOff(frame: UInt64, sharing shared: inout SharedFacts) {
    if let event = lower.breakOff(spare: &shared.spareBuffers) {
      receive(event, true, frame, sharing: &shared)
    }
    if let event = upper.breakOff(spare: &shared.spareBuffers) {
      receive(event, false, frame, sharing: &shared)
    }
    if opening != nil { breakOffOpening(frame) }
    lower.giveBuffer(to: &shared.spareBuffers)
    upper.giveBuffer(to: &shared.spareBuffers)
  }

  private mutating func receive(
    _ event: RecordStream.Event, _ fromLower: Bool, _ frame: UInt64, sharing shared: inout SharedFacts
  ) {
    switch event {
    case .message, .lost:
      break
    case .gatheredMessage(let type):
      receiveGathered(type, isWhole: true, fromLower, sharing: &shared)
    case .brokenMessage(let type):
      receiveGathered(type, isWhole: false, fromLower, sharing: &shared)
    case .ssl2Hello:
      let message = fromLower ? lower.gathered : upper.gathered
      receiveSSL2Hello(message, fromLower, fromLower ? lower.frames : upper.frames, sharing: &shared)
    case .alert(let level, let description):
      receiveAlert(ObservedAlert(level: level, description: description, frame: frame), fromLower)
    case .changeCipherSpec:
      receiveChangeCipherSpec(fromLower)
    case .protected(let type, let length):
      if let opening, let isClient = isClient(fromLower), opening.isOpen(forClient: isClient) {
        opening.begin(
          type, version: fromLower ? lower.recordVersion : upper.recordVersion, length: length,
          isClient: isClient)
      } else {
        receiveProtected(type, length: length, fromLower, frame)
      }
    }
  }

  private mutating func receiveGathered(
    _ type: HandshakeType, isWhole: Bool, _ fromLower: Bool, sharing shared: inout SharedFacts
  ) {
    let message = fromLower ? lower.gathered : upper.gathered
    let frames = fromLower ? lower.frames : upper.frames
    let start = min(HandshakeHeader.byteCount, message.count)
    receive(
      type, message.span.extracting(start..<message.count), isWhole: isWhole, fromLower, frames,
      sharing: &shared)
  }

  private func isClient(_ fromLower: Bool) -> Bool? { isClientLower.map { $0 == fromLower } }

  /// Takes the messages to come for those of QUIC packets.
  mutating func expectQUIC() { isQUIC = true }
}

// MARK: - Messages

extension Handshake {
  mutating func receive(
    _ type: HandshakeType, _ body: Span<UInt8>, isWhole: Bool, _ fromLower: Bool, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    switch type {
    case .clientHello:
      receiveClientHello(body, isWhole: isWhole, fromLower, frames, sharing: &shared)
    case .serverHello, .helloRetryRequest:
      receiveServerHello(type, body, isWhole: isWhole, fromLower, frames, sharing: &shared)
    case .certificate where isTLS13:
      receiveTLS13Certificate(body, isWhole: isWhole, fromLower, frames, sharing: &shared)
    case .certificate:
      receiveCertificate(body, isWhole: isWhole, fromLower, frames, sharing: &shared)
    case .compressedCertificate where isTLS13 && isWhole:
      receiveCompressedCertificate(body, fromLower, frames, sharing: &shared)
    case .encryptedExtensions where isTLS13 && isWhole && isClient(fromLower) == false:
      receiveEncryptedExtensions(body)
    case .serverKeyExchange where isWhole:
      receiveServerKeyExchange(body, frames)
    case .serverKeyExchange:
      evidence.serverKeyExchange = .partial
      evidence.frames[.serverKeyExchange] = frames
      server.sentFullHandshakeMessage = true
    case .certificateStatus:
      receiveCertificateStatus(body, isWhole: isWhole, frames)
    case .certificateRequest:
      facts.clientCertificateRequested = true
      server.sentFullHandshakeMessage = true
    case .newSessionTicket where isWhole && !isTLS13:
      // A lifetime of four bytes and a length of two stand before the ticket (RFC 5077 §3.3).
      if isClient(fromLower) == false, body.count > 6 {
        facts.issuedTicket = TicketDigest(ticket: body.extracting(6..<body.count))
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
  }

  private mutating func receiveClientHello(
    _ body: Span<UInt8>, isWhole: Bool, _ fromLower: Bool, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    correctClient(isLower: fromLower)
    // After a HelloRetryRequest, and when a client negotiates anew, the first hello stays the one that is reported.
    guard facts.offer == nil, isClient(fromLower) != false else { return }
    isClientLower = fromLower
    evidence.clientHello = isWhole ? .complete : .partial
    evidence.frames[.clientHello] = frames
    guard !isQUIC, isWhole, let scan = ClientHelloScan(body, seed: shared.offerShapes.seed) else {
      let hello = ClientHello(parsingPrefix: body)
      if isWhole, !hello.isComplete { note("client-hello-malformed") }
      take(hello, sharing: &shared)
      return
    }
    let known = shared.knownOffer(scan, body)
    facts.offer = known.offer
    facts.clientRandom = ShortBytes(body.extracting(scan.random))
    if !scan.serverName.isEmpty { take(shared.name(body.extracting(scan.serverName))) }
    offeredSessionID = ShortBytes(body.extracting(scan.sessionID))
    offeredTicket = known.offersTicket
    facts.offeredTicket = TicketDigest(ticket: body.extracting(scan.sessionTicket))
    offeredEarlyData = known.offersEarlyData
    if facts.answer == nil { facts.sessionID = offeredSessionID }
  }

  /// Takes a hello of DTLS; one that is sent again with a cookie changes nothing.
  mutating func receiveDatagramHello(
    _ message: DTLSMessageAssembly.Message, _ fromLower: Bool, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    guard facts.offer == nil, isClient(fromLower) != false else { return }
    isClientLower = fromLower
    evidence.clientHello = message.isWhole ? .complete : .partial
    evidence.frames[.clientHello] = frames
    let hello = ClientHello(parsingPrefix: message.body.span, format: .dtls)
    if message.isWhole, !hello.isComplete { note("client-hello-malformed") }
    take(hello, sharing: &shared)
  }

  /// Takes a hello that is cut off, malformed or in the format of SSL 2.
  private mutating func take(_ hello: ClientHello, sharing shared: inout SharedFacts) {
    facts.offer = shared.offer(hello, transport: isQUIC ? .quic : .tls)
    facts.clientRandom = ShortBytes(hello.random.span)
    if let name = hello.serverName { take(shared.name(name.span)) }
    offeredSessionID = ShortBytes(hello.sessionID.span)
    offeredTicket = !(hello.sessionTicket ?? []).isEmpty
    if let ticket = hello.sessionTicket { facts.offeredTicket = TicketDigest(ticket: ticket.span) }
    offeredEarlyData = hello.offersEarlyData
    if facts.answer == nil { facts.sessionID = offeredSessionID }
  }

  private mutating func take(_ name: KnownName) {
    facts.serverName = name.text
    facts.serverNameDigest = name.digest
  }

  private mutating func receiveServerHello(
    _ type: HandshakeType, _ body: Span<UInt8>, isWhole: Bool, _ fromLower: Bool, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    correctClient(isLower: !fromLower)
    guard isClient(fromLower) != true else { return }
    if facts.answer != nil, !isRetryLast { return }
    guard type == .serverHello else {
      receiveDraftHelloRetryRequest(body, fromLower, frames, sharing: &shared)
      return
    }
    isClientLower = !fromLower
    evidence.serverHello = isWhole ? .complete : .partial
    for frame in frames { evidence.frames[.serverHello].insert(frame) }
    guard isWhole, let scan = ServerHelloScan(body, seed: shared.answerShapes.seed),
      let known = shared.knownAnswer(scan, body)
    else {
      if isWhole { note("server-hello-malformed") }
      guard let hello = try? ServerHello(parsingPrefix: body) else { return }
      take(
        KnownAnswer(shared.answer(hello), sctList: hello.sctList, selectsPSK: hello.selectedPSK != nil),
        random: hello.random.span, sessionID: hello.sessionID.span)
      return
    }
    take(known, random: body.extracting(scan.random), sessionID: body.extracting(scan.sessionID))
    if isTLS13, !isRetryLast, !isQUIC, !shared.secrets.isEmpty { prepareOpening(sharing: shared) }
  }

  private mutating func take(_ known: KnownAnswer, random: Span<UInt8>, sessionID: Span<UInt8>) {
    facts.answer = known.answer
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
      facts.group = known.keyShareGroup
      facts.resumed = known.selectsPSK
      facts.resumption = known.selectsPSK ? .psk : nil
    }
  }

  /// `hello_retry_request` as a type of its own, in the drafts of TLS 1.3 before 22: version, (suite,) extensions.
  private mutating func receiveDraftHelloRetryRequest(
    _ body: Span<UInt8>, _ fromLower: Bool, _ frames: FrameList, sharing shared: inout SharedFacts
  ) {
    guard facts.answer == nil, body.count >= 2 else { return }
    facts.helloRetryRequest = true
    isClientLower = !fromLower
    for frame in frames { evidence.frames[.serverHello].insert(frame) }
    evidence.serverHello = .partial
  }

  private mutating func receiveCertificate(
    _ body: Span<UInt8>, isWhole: Bool, _ fromLower: Bool, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    if noteRawPublicKey(fromLower, frames) {
      server.sentFullHandshakeMessage = true
      return
    }
    let chain = shared.chain(body, isWhole: isWhole)
    if isClient(fromLower) == true {
      if facts.clientChain == nil { facts.clientChain = chain }
      client.sentFullHandshakeMessage = true
      server.wentOn = true
      return
    }
    server.sentFullHandshakeMessage = true
    guard facts.chain == nil else { return }
    facts.chain = chain
    evidence.certificates = isWhole && chain.isComplete ? .complete : .partial
    if isWhole, !chain.isComplete { note("certificate-message-malformed") }
    evidence.frames[.certificates] = frames
  }

  /// Takes the server's Certificate message to come for one that holds a raw public key.
  mutating func expectRawPublicKey() { showsRawPublicKey = true }

  /// Notes a Certificate message that holds no certificate but a raw public key (RFC 7250 §3); false for others.
  mutating func noteRawPublicKey(_ fromLower: Bool, _ frames: FrameList) -> Bool {
    guard showsRawPublicKey, isClient(fromLower) == false else { return false }
    evidence.certificates = .notSent
    evidence.frames[.certificates] = frames
    note("raw-public-key")
    return true
  }

  private mutating func receiveServerKeyExchange(_ body: Span<UInt8>, _ frames: FrameList) {
    server.sentFullHandshakeMessage = true
    guard facts.serverKeyExchange == nil, let answer = facts.answer, let suite = answer.content.cipherSuite
    else { return }
    evidence.frames[.serverKeyExchange] = frames
    guard let exchange = try? ServerKeyExchange(parsing: body, suite: suite, version: answer.content.version)
    else {
      evidence.serverKeyExchange = .partial
      note("server-key-exchange-malformed")
      return
    }
    evidence.serverKeyExchange = .complete
    facts.serverKeyExchange = ServerKeyExchangeFacts(
      bits: exchange.bits, group: exchange.group, signatureScheme: exchange.signatureScheme)
    facts.group = exchange.group
  }

  private mutating func receiveCertificateStatus(_ body: Span<UInt8>, isWhole: Bool, _ frames: FrameList) {
    facts.ocspStapled = true
    server.sentFullHandshakeMessage = true
    evidence.frames[.certificateStatus] = frames
    evidence.certificateStatus = isWhole ? .complete : .partial
    guard isWhole, let status = try? CertificateStatus(parsing: body), let first = status.responses.first,
      first.lowerBound >= 0, first.upperBound <= body.count
    else { return }
    facts.ocspResponse = Bytes(copying: body.extracting(first))
  }

  private mutating func receiveSSL2Hello(
    _ message: Bytes, _ fromLower: Bool, _ frames: FrameList, sharing shared: inout SharedFacts
  ) {
    note("ssl2-hello")
    if message.first == 1 {
      guard facts.offer == nil, let hello = try? ClientHello(parsingSSL2: message.span) else { return }
      isClientLower = fromLower
      evidence.clientHello = .complete
      evidence.frames[.clientHello] = frames
      take(hello, sharing: &shared)
      return
    }
    guard facts.answer == nil, let hello = try? SSL2ServerHello(parsing: message.span) else { return }
    isClientLower = !fromLower
    facts.answer = shared.answer(hello)
    facts.sessionID = ShortBytes(hello.connectionID.span)
    evidence.serverHello = .complete
    evidence.frames[.serverHello] = frames
    guard !hello.certificate.isEmpty else { return }
    facts.chain = shared.chain(ofOne: hello.certificate)
    evidence.certificates = .complete
    evidence.frames[.certificates] = frames
  }

  mutating func note(_ name: String) {
    if !evidence.notes.contains(name) { evidence.notes.append(name) }
  }
}

// MARK: - The end of the handshake

extension Handshake {
  mutating func receiveAlert(_ alert: ObservedAlert, _ fromLower: Bool) {
    let isClient: Bool
    if let known = self.isClient(fromLower) {
      isClient = known
    } else {
      // Before any hello only a server has a reason to alert: the client's hello is not in the capture.
      isClient = false
      isClientLower = !fromLower
      isClientGuessed = true
    }
    if isClient, facts.clientAlerts.count < Handshake.alertLimit { facts.clientAlerts.append(alert) }
    if !isClient, facts.serverAlerts.count < Handshake.alertLimit { facts.serverAlerts.append(alert) }
    guard facts.outcome == .incomplete, endsHandshake(alert) else { return }
    settle(isClient ? .refusedByClient : .refusedByServer, alert.frame)
  }

  /// Takes what is known better than what was concluded from an alert.
  private mutating func correctClient(isLower: Bool) {
    guard isClientGuessed else { return }
    isClientGuessed = false
    guard isClientLower != isLower else { return }
    isClientLower = isLower
    (facts.clientAlerts, facts.serverAlerts) = (facts.serverAlerts, facts.clientAlerts)
    switch facts.outcome {
    case .refusedByClient: facts.outcome = .refusedByServer
    case .refusedByServer: facts.outcome = .refusedByClient
    case .established, .reset, .incomplete: break
    }
  }

  /// Whether an alert ends the handshake: any fatal one; in TLS 1.3 any but the two closing ones (RFC 8446 §6).
  private func endsHandshake(_ alert: ObservedAlert) -> Bool {
    if alert.level == 2 { return true }
    return isTLS13 && ![0, 90, 100, 112].contains(alert.description.rawValue)
  }

  mutating func receiveChangeCipherSpec(_ fromLower: Bool) {
    // In TLS 1.3 the record is there for middleboxes only (RFC 8446 appendix D.4).
    guard !isTLS13, let isClient = isClient(fromLower) else { return }
    if isClient {
      client.changedCipherSpec = true
    } else {
      server.changedCipherSpec = true
      server.wentOn = true
      server.endedFlight = true
    }
    if fromLower { lower.isProtected = true } else { upper.isProtected = true }
  }

  /// The least fragment that holds a Finished of TLS 1.3: 4 bytes of header, 32 of digest, the type, a tag of 8.
  static let leastFinishedLength = 45

  /// The fragment that holds an alert of TLS 1.3 and nothing else: 2 bytes, the type, the tag. A Certificate message
  /// without certificates, which a client sends that was asked for one, is six bytes longer.
  private var sealedAlertLength: Int {
    facts.answer?.content.cipherSuite == .aes128CCM8 ? 11 : 19
  }

  mutating func receiveProtected(
    _ type: ContentType, length: Int, _ fromLower: Bool, _ frame: UInt64
  ) {
    guard let isClient = isClient(fromLower), facts.outcome == .incomplete || refusedByShape else { return }
    if isTLS13 {
      guard !isRetryLast else { return }
      if !isClient {
        server.finished = true
      } else if length >= Handshake.leastFinishedLength {
        if refusedByShape { takeBackRefusal() }
        client.finished = true
      } else if length == sealedAlertLength, !client.finished, !offeredEarlyData, !refusedByShape {
        // Before its Finished a client has nothing else of that length to say.
        note(Handshake.sealedAlertNote)
        refusedByShape = true
        settle(.refusedByClient, frame)
        return
      }
    } else {
      guard type == .handshake || type == .applicationData else { return }
      // Early data says nothing about how the handshake will end.
      if isClient, facts.answer == nil, offeredEarlyData { return }
      if isClient { client.finished = true } else { server.finished = true }
    }
    establishIfFinished(frame)
  }

  /// A client that goes on did not refuse.
  private mutating func takeBackRefusal() {
    refusedByShape = false
    facts.outcome = .incomplete
    evidence.frames[.outcome] = FrameList()
    evidence.notes.removeAll { $0 == Handshake.sealedAlertNote }
  }

  private static let sealedAlertNote = "encrypted-alert-from-client"

  /// Takes the Finished of one side, which was opened.
  mutating func finish(fromLower: Bool, _ frame: UInt64) {
    guard let isClient = isClient(fromLower) else { return }
    if isClient { client.finished = true } else { noteServerFinished() }
    if facts.outcome == .incomplete { establishIfFinished(frame) }
  }

  /// Takes note of the server's Finished, behind which nothing of the handshake comes from it.
  mutating func noteServerFinished() {
    server.finished = true
    sawServerFinished = true
  }

  private mutating func establishIfFinished(_ frame: UInt64) {
    guard client.finished, server.finished else { return }
    establish(frame)
  }

  /// Both sides have finished.
  mutating func establish(_ frame: UInt64) {
    guard facts.outcome == .incomplete else { return }
    facts.established = true
    settle(.established, frame)
    isOver = true
  }

  mutating func settle(_ outcome: TLSFacts.Outcome, _ frame: UInt64) {
    facts.outcome = outcome
    evidence.frames[.outcome].insert(frame)
  }

  /// Gives the facts away, once they are concluded.
  mutating func takeFacts() -> TLSFacts {
    var taken = TLSFacts()
    swap(&taken, &facts)
    return taken
  }

  /// Gives the evidence away, once it is concluded.
  mutating func takeEvidence() -> Evidence {
    var taken = Evidence()
    swap(&taken, &evidence)
    return taken
  }

  /// What the capture shows in all, once no more of the connection will be read.
  mutating func conclude(wasReset: Bool, resetFrame: UInt64, openedByLower: Bool? = nil) {
    if let openedByLower { correctClient(isLower: openedByLower) }
    if facts.outcome == .incomplete, wasReset { settle(.reset, resetFrame) }
    if facts.resumed == nil, facts.answer != nil, !isTLS13 { concludeResumption() }
    concludeStates()
  }

  private mutating func concludeResumption() {
    if server.sentFullHandshakeMessage || client.sentFullHandshakeMessage {
      facts.resumed = false
      return
    }
    let echoed = !facts.sessionID.isEmpty && facts.sessionID == offeredSessionID
    // A ChangeCipherSpec right behind the hello tells, unless what stood between the two was lost.
    guard echoed || server.changedCipherSpec && !isServerFlightBroken else { return }
    facts.resumed = true
    facts.resumption = offeredTicket ? .ticket : .sessionID
  }

  /// Whether bytes of the server's first flight are missing.
  private var isServerFlightBroken: Bool {
    guard let isClientLower else { return lostOfLower || lostOfUpper }
    return isClientLower ? lostOfUpper : lostOfLower
  }

  /// Whether the server's whole hello says that no CertificateStatus follows.
  private var forgoesCertificateStatus: Bool {
    guard evidence.serverHello == .complete, !isTLS13, let answer = facts.answer, server.wentOn else {
      return false
    }
    return !answer.content.extensions.contains { $0 == .statusRequest || $0 == .statusRequestV2 }
  }

  private mutating func concludeStates() {
    let isResumed = facts.resumed == true
    let unseen: Evidence.State
    if isTLS13, !isRetryLast, sawServerFinished {
      unseen = isResumed ? .resumed : .notSent
    } else if isTLS13, !isRetryLast {
      unseen = .encrypted
    } else if isResumed {
      unseen = .resumed
    } else {
      unseen = facts.answer != nil && server.wentOn && !isServerFlightBroken ? .notSent : .missing
    }
    if evidence.certificates == .missing { evidence.certificates = unseen }
    if evidence.certificateStatus == .missing {
      // Without the extension in its hello a server sends none (RFC 6066 §8), whatever else was lost.
      evidence.certificateStatus = unseen == .missing && forgoesCertificateStatus ? .notSent : unseen
    }
    if evidence.serverKeyExchange == .missing {
      evidence.serverKeyExchange = isTLS13 && !isRetryLast ? .notSent : unseen
    }
  }
}
