import ByteParsing
import HandshakeDecryption
import SessionModel
import TLSParsing
import Values

// MARK: - Decrypting records

extension Handshake {
  /// Finds the secrets, once the server has chosen TLS 1.3 and a suite.
  mutating func prepareDecryption(sharing shared: inout SharedFacts) {
    guard decryptor == nil, let suite = facts.sharedServerHello?.cipherSuite else { return }
    // If the server accepts Encrypted ClientHello, the key log identifies the secrets by the inner hello's random.
    let random = facts.innerRandom ?? facts.clientRandom
    guard let secrets = shared.secrets.secrets(ofRandom: random) else {
      if facts.innerRandom == nil, facts.sharedOffer?.extensions.contains(.encryptedClientHello) == true {
        decryptor = HandshakeDecryptor(seeking: suite)
      }
      if decryptor == nil { noteMissingSecrets() }
      return
    }
    shared.secretSearch.exclude(random, of: shared.secrets)
    decryptor = HandshakeDecryptor(secrets, suite: suite)
    guard decryptor == nil else { return }
    note(DecryptableSuite(suite) == nil ? .cipherSuiteNotDecrypted : .secretsDoNotDecrypt)
  }

  /// Records that there are no secrets for a session that is not resumed, and so contains certificates.
  private mutating func noteMissingSecrets() {
    if facts.isResumed != true { note(.secretsMissing) }
  }

  /// Searches for secrets that decrypt the record which these bytes complete.
  private mutating func searchSecrets(_ bytes: Span<UInt8>, sharing shared: inout SharedFacts) {
    switch decryptor?.search(bytes, with: &shared.secretSearch, in: shared.secrets) {
    case .found(let random, _)?: acceptInnerHello(random, sharing: &shared)
    case .unfinished?: note(.secretSearchUnfinished)
    case Optional.none, SecretSearch.Outcome.none?: break
    }
  }

  /// Passes on bytes of a protected record, and receives its contents once it is complete.
  mutating func decrypt(_ bytes: Span<UInt8>, _ direction: Direction, _ frame: UInt64, sharing shared: inout SharedFacts) {
    guard let clientDirection else { return }
    if direction != clientDirection { searchSecrets(bytes, sharing: &shared) }
    guard let outcome = decryptor?.feed(bytes, isClient: direction == clientDirection, frame: frame) else { return }
    guard outcome.isDecrypted else {
      if direction != clientDirection { transcript = nil }
      receiveProtected(outcome.type, length: outcome.length, direction, frame)
      return
    }
    facts.isDecrypted = true
    extent = 0..<0
    for event in outcome.events {
      switch event {
      case .alert(let level, let description):
        receiveAlert(ObservedAlert(level: level, description: description, frame: frame), direction)
      case .message(let type, let body):
        receive(type, body.span, isWhole: true, direction, outcome.frames, sharing: &shared)
        if type == .finished { finish(in: direction, frame) }
      }
    }
  }
}

extension Handshake {
  /// Records bytes that one side's protected records lack: no more of them can be decrypted. The incomplete record counts by its length
  /// alone.
  mutating func loseProtectedBytes(_ direction: Direction, _ frame: UInt64) {
    guard let decryptor, let isClient = isClient(direction) else { return }
    let record = decryptor.unfinished(isClient: isClient)
    decryptor.lose(isClient: isClient)
    if let record { receiveProtected(record.contentType, length: record.length, direction, frame) }
  }

  /// Receives incomplete protected records by their length alone.
  mutating func breakOffDecryption(_ frame: UInt64) {
    guard let decryptor, let clientDirection else { return }
    for isClient in [true, false] {
      guard let record = decryptor.unfinished(isClient: isClient) else { continue }
      receiveProtected(record.contentType, length: record.length, isClient ? clientDirection : clientDirection.opposite, frame)
    }
    if decryptor.isRefuted { note(.secretsDoNotDecrypt) }
    if decryptor.lacksServerSecret { note(.serverSecretMissing) }
    if decryptor.hasNoSecrets { noteMissingSecrets() }
  }
}

// MARK: - Encrypted messages of TLS 1.3

extension Handshake {
  mutating func receiveEncryptedExtensions(_ body: Span<UInt8>) {
    guard let extensions = try? EncryptedExtensions(parsing: body) else {
      note(.encryptedExtensionsMalformed)
      return
    }
    if extensions.serverCertificateType == 2 { serverCredential = .rawPublicKey }
    requestsRawPublicKey = extensions.clientCertificateType == 2
    if let alpn = extensions.alpn { facts.protectedALPN = InputText.string(decoding: alpn) }
  }

  mutating func receiveCompressedCertificate(
    _ body: Span<UInt8>, _ direction: Direction, _ frames: FrameList, sharing shared: inout SharedFacts
  ) {
    do {
      let message = try CompressedCertificate(parsing: body)
      let restored = try CertificateDecompression.decompress(message, in: body)
      receiveTLS13Certificate(restored.span, isWhole: true, direction, frames, sharing: &shared)
      return
    } catch let failure as CertificateDecompression.Failure {
      switch failure {
      case .unknownAlgorithm: note(.compressedCertificateUnknownAlgorithm)
      case .tooLong: note(.compressedCertificateTooLong)
      case .malformed: note(.compressedCertificateMalformed)
      }
    } catch {
      note(.compressedCertificateMalformed)
    }
    guard clientDirection != direction, facts.chain == nil else { return }
    evidence.certificates = .partial
    evidence.frames[.certificates] = frames
  }

  /// Receives a TLS 1.3 Certificate message, with the OCSP responses and SCTs of its certificates.
  mutating func receiveTLS13Certificate(
    _ body: Span<UInt8>, isWhole: Bool, _ direction: Direction, _ frames: FrameList, sharing shared: inout SharedFacts
  ) {
    if noteRawPublicKey(body, direction, frames) { return }
    let message = CertificateMessage(parsing: body, format: .tls13)
    let chain = shared.chain(body, isWhole: isWhole) { _ in message }
    if clientDirection == direction {
      if chain.isBeyondLimit { shared.beyondLimits.certificates += 1 }
      // A client without a certificate sends an empty list.
      if facts.clientChain == nil, !chain.certificates.isEmpty { facts.clientChain = chain }
      if isWhole, chain.certificates.isEmpty { note(.clientCertificateNotSent) }
      return
    }
    guard facts.chain == nil else { return }
    facts.chain = chain
    evidence.certificates = chain.isComplete ? .complete : .partial
    if isWhole, !chain.isComplete { noteFault(of: chain, sharing: &shared) }
    evidence.frames[.certificates] = frames
    guard let leaf = message.entries.first else { return }
    if leaf.delegatedCredential != nil { serverCredential = .delegatedCredential }
    if let list = body.copy(of: leaf.sctList) { facts.sctList = list }
    if let response = body.copy(of: leaf.ocspResponse) {
      facts.hasStapledOCSPResponse = true
      facts.ocspResponse = response
      evidence.certificateStatus = .complete
      evidence.frames[.certificateStatus] = frames
    } else if isWhole {
      evidence.certificateStatus = .notSent
    }
    var responses: [Int: Bytes] = [:]
    for (index, entry) in message.entries.enumerated().dropFirst() where index < chain.certificates.count {
      responses[index] = body.copy(of: entry.ocspResponse)
    }
    if !responses.isEmpty { facts.issuerOCSPResponses = responses }
  }
}
