import ByteParsing
import SessionModel
import TLSParsing
import Values

/// The messages after the hellos.
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
    case .certificateRequest:
      facts.isClientCertificateRequested = true
      server.flight.noteFullHandshake()
    case _ where negotiation.isTLS13:
      receiveTLS13(type, body, isWhole: isWhole, direction, frames, sharing: &shared)
    default:
      receiveTLS12(type, body, isWhole: isWhole, direction, frames, sharing: &shared)
    }
    if transcript != nil { addToTranscript(type, body, isWhole: isWhole, direction) }
  }

  private mutating func receiveTLS13(
    _ type: HandshakeType, _ body: Span<UInt8>, isWhole: Bool, _ direction: Direction, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    switch type {
    case .encryptedExtensions where isWhole && isClient(direction) == false:
      receiveEncryptedExtensions(body)
    case .certificate:
      receiveTLS13Certificate(body, isWhole: isWhole, direction, frames, sharing: &shared)
    case .compressedCertificate where isWhole:
      receiveCompressedCertificate(body, direction, frames, sharing: &shared)
    case .certificateVerify where isWhole && isClient(direction) == false:
      verifyCertificateVerify(body, sharing: &shared)
    default: break
    }
  }

  /// Receives a message of TLS 1.2 or earlier, or of a session whose ServerHello was not read.
  private mutating func receiveTLS12(
    _ type: HandshakeType, _ body: Span<UInt8>, isWhole: Bool, _ direction: Direction, _ frames: FrameList,
    sharing shared: inout SharedFacts
  ) {
    switch type {
    case .certificate:
      receiveCertificate(body, isWhole: isWhole, direction, frames, sharing: &shared)
    case .certificateStatus:
      receiveCertificateStatus(body, isWhole: isWhole, frames)
    case .serverKeyExchange:
      receiveServerKeyExchange(body, isWhole: isWhole, frames, sharing: &shared)
    case .serverHelloDone:
      server.flight.noteServerHelloDone()
    case .clientKeyExchange:
      server.flight.noteClientFlight()
    case .newSessionTicket where isWhole && isClient(direction) == false && body.count > 6:
      // The ticket follows a lifetime of four bytes and a length of two (RFC 5077 §3.3).
      facts.issuedTicket = ShortBytes(ticket: body.extracting(6..<body.count))
    default: break
    }
  }

  private mutating func receiveCertificate(
    _ body: Span<UInt8>, isWhole: Bool, _ direction: Direction, _ frames: FrameList, sharing shared: inout SharedFacts
  ) {
    if noteRawPublicKey(body, direction, frames) {
      if isClient(direction) == true { server.flight.noteClientFlight() } else { server.flight.noteFullHandshake() }
      return
    }
    let chain = shared.chain(body, isWhole: isWhole)
    if isClient(direction) == true {
      if chain.isBeyondLimit { shared.beyondLimits.certificates += 1 }
      if facts.clientChain == nil { facts.clientChain = chain }
      if isWhole, chain.certificates.isEmpty { note(.clientCertificateNotSent) }
      server.flight.noteClientFlight()
      return
    }
    server.flight.noteFullHandshake()
    guard facts.chain == nil else { return }
    facts.chain = chain
    evidence.certificates = isWhole && chain.isComplete ? .complete : .partial
    if isWhole, !chain.isComplete { noteFault(of: chain, sharing: &shared) }
    record(.certificates, in: frames)
  }

  /// Records the packets and the range of the message being received.
  mutating func record(_ part: Evidence.Part, in frames: FrameList) {
    evidence.frames[part] = frames
    extents.note(part, extent)
  }

  /// Records why not all certificates of a whole message were read.
  mutating func noteFault(of chain: CertificateChain, sharing shared: inout SharedFacts) {
    guard chain.isBeyondLimit else {
      note(.certificateMessageMalformed)
      return
    }
    shared.beyondLimits.certificates += 1
    evidence.incomplete = .limit
  }

  /// Records a Certificate message with a raw public key instead of certificates (RFC 7250 §3); returns false for any other.
  mutating func noteRawPublicKey(_ body: Span<UInt8>, _ direction: Direction, _ frames: FrameList) -> Bool {
    // A client without a key sends an empty message, as one without a certificate does: three bytes, or four in TLS 1.3.
    if isClient(direction) == true { return requestsRawPublicKey && body.count > 4 }
    guard case .rawPublicKey = serverCredential, isClient(direction) == false else { return false }
    evidence.certificates = .notSent
    record(.certificates, in: frames)
    note(.rawPublicKey)
    return true
  }

  private mutating func receiveServerKeyExchange(_ body: Span<UInt8>, isWhole: Bool, _ frames: FrameList, sharing shared: inout SharedFacts)
  {
    server.flight.noteFullHandshake()
    guard isWhole else {
      evidence.serverKeyExchange = .partial
      record(.serverKeyExchange, in: frames)
      return
    }
    guard facts.serverKeyExchange == nil, let serverHello = facts.sharedServerHello, let version = serverHello.version,
      let suite = serverHello.cipherSuite
    else { return }
    record(.serverKeyExchange, in: frames)
    guard ServerKeyExchange.isExplained(by: suite) else {
      // The parameters of this suite are not parsed.
      evidence.serverKeyExchange = .complete
      return
    }
    guard let exchange = try? ServerKeyExchange(parsing: body, suite: suite, version: version) else {
      evidence.serverKeyExchange = .partial
      note(.serverKeyExchangeMalformed)
      return
    }
    evidence.serverKeyExchange = .complete
    facts.serverKeyExchange = ServerKeyExchangeFacts(bits: exchange.bits, group: exchange.group, signatureScheme: exchange.signatureScheme)
    facts.group = exchange.group
    if facts.sharedOffer == nil { keepExchange(body) } else { verify(exchange, in: body, sharing: &shared) }
  }

  private mutating func receiveCertificateStatus(_ body: Span<UInt8>, isWhole: Bool, _ frames: FrameList) {
    facts.hasStapledOCSPResponse = true
    server.flight.noteFullHandshake()
    record(.certificateStatus, in: frames)
    evidence.certificateStatus = isWhole ? .complete : .partial
    guard isWhole, let status = try? CertificateStatus(parsing: body),
      let response = body.copy(of: status.responses.first)
    else { return }
    facts.ocspResponse = response
    // A response to `status_request_v2` also covers CA certificates (RFC 6961 §2.2).
    var responses: [Int: Bytes] = [:]
    for (index, range) in status.responses.enumerated().dropFirst() where !range.isEmpty {
      guard index < facts.chain?.certificates.count ?? 0, let response = body.copy(of: range) else { break }
      responses[index] = response
    }
    if !responses.isEmpty { facts.issuerOCSPResponses = responses }
  }
}

extension Span<UInt8> {
  /// A copy of the bytes in a range; nil if there is no range, or not all of it is in the span.
  func copy(of range: Range<Int>?) -> Bytes? {
    guard let range, range.lowerBound >= 0, range.upperBound <= count else { return nil }
    return Bytes(copying: extracting(range))
  }
}
