import ByteParsing
import CertificateParsing
import HandshakeDecryption
import SessionModel
import TLSParsing
import Values

/// The server's signature over the handshake, and its verification with the leaf's key.
extension Handshake {
  /// Verifies the signature of a ServerKeyExchange, which covers both randoms and the parameters (RFC 5246 §7.4.3, RFC 8422 §5.4).
  mutating func verify(_ exchange: ServerKeyExchange, in body: Span<UInt8>, sharing shared: inout SharedFacts) {
    guard let serverHello = facts.sharedServerHello, let suite = serverHello.cipherSuite, let version = serverHello.version,
      (TLSVersion.tls10.rawValue...TLSVersion.tls12.rawValue).contains(version.rawValue), let leaf = shownLeaf, areRandomsCertain
    else { return }
    guard let scheme = exchange.signatureScheme else {
      // Before TLS 1.2, RSA signs MD5 and SHA-1 digests together, which is not supported. Other exchanges without a scheme are not signed.
      let isRSA = suite.structure?.authentication == .rsa && suite.structure?.keyExchange != .rsaPSK
      if isRSA, version != .tls12 { facts.handshakeSignature = .notVerifiable }
      return
    }
    guard shared.signatures.admit(leaf) else {
      facts.handshakeSignature = .notVerified
      return
    }
    // The challenge of a hello in the SSL 2 format may be shorter than a random (RFC 5246 §E.2).
    var message = Bytes(repeating: 0, count: ShortBytes.capacity - facts.clientRandom.count)
    message.append(contentsOf: facts.clientRandom)
    message.append(contentsOf: facts.serverRandom)
    message.append(copying: body.extracting(exchange.parametersRange))
    facts.handshakeSignature = shared.signatures.verify(body.extracting(exchange.signatureRange), over: message, scheme, with: leaf)
  }

  /// The maximum length of a ServerKeyExchange that is kept for a later hello: with keys of 8192 bits, it has less.
  private static let maximumEarlyExchangeByteCount = 4096

  /// Keeps a ServerKeyExchange until the ClientHello is read, which was captured later or not at all.
  mutating func keepExchange(_ body: Span<UInt8>) {
    if body.count <= Handshake.maximumEarlyExchangeByteCount { earlyExchange = Bytes(copying: body) }
  }

  /// Verifies the signature of a ServerKeyExchange that was read before the ClientHello.
  mutating func verifyEarlyExchange(sharing shared: inout SharedFacts) {
    guard let body = earlyExchange, let serverHello = facts.sharedServerHello, let suite = serverHello.cipherSuite,
      let version = serverHello.version,
      let exchange = try? ServerKeyExchange(parsing: body.span, suite: suite, version: version)
    else { return }
    earlyExchange = nil
    verify(exchange, in: body.span, sharing: &shared)
    // The server may have answered another hello, which the capture lacks.
    if facts.handshakeSignature == .invalid, opener == nil || lost.fromLower || lost.fromUpper { facts.handshakeSignature = nil }
  }

  /// Verifies the signature of a server's CertificateVerify, if all messages before it are known (RFC 8446 §4.4.3).
  mutating func verifyCertificateVerify(_ body: Span<UInt8>, sharing shared: inout SharedFacts) {
    defer { transcript = nil }
    guard let message = transcript?.signedContent, let leaf = shownLeaf, let verify = try? CertificateVerify(parsing: body) else { return }
    if case .delegatedCredential = serverCredential {
      facts.handshakeSignature = .notVerifiable
      return
    }
    guard shared.signatures.admit(leaf) else {
      facts.handshakeSignature = .notVerified
      return
    }
    let signature = shared.signatures.verify(body.extracting(verify.signatureRange), over: message, verify.scheme, with: leaf)
    // A first ClientHello that the capture lacks is a part of the transcript, and so is a HelloRetryRequest.
    let mayLackMessages = !isTranscriptWhole || lost.fromLower || lost.fromUpper
    facts.handshakeSignature = signature == .invalid && mayLackMessages ? nil : signature
  }

  /// The leaf, if all certificates were captured and it can be decoded; otherwise nil.
  private var shownLeaf: ObservedCertificate? {
    guard evidence.certificates == .complete, let leaf = facts.chain?.certificates.first,
      leaf.certificate.decodingError == nil
    else { return nil }
    return leaf
  }

  /// Whether the randoms of both hellos are certainly those that the server signs.
  private var areRandomsCertain: Bool {
    [.complete, .partial].contains(evidence.clientHello) && evidence.serverHello == .complete && !negotiation.isClientHelloRepeated
      && !facts.clientRandom.isEmpty && facts.serverRandom.count == ShortBytes.capacity
  }
}

// MARK: - The transcript of TLS 1.3

extension Handshake {
  /// Begins the transcript that the server signs, if there are secrets to decrypt it. If the server accepts Encrypted ClientHello, the
  /// inner hello replaces this one.
  mutating func beginTranscript(_ body: Span<UInt8>, sharing shared: inout SharedFacts) {
    guard shared.secrets.secrets(ofRandom: facts.clientRandom) != nil else { return }
    isTranscriptWhole = transport == .quic || opener.map { !lost[$0] } == true
    transcript = HandshakeTranscript(clientHello: body)
  }

  /// Adds a message to the transcript.
  mutating func addToTranscript(_ type: HandshakeType, _ body: Span<UInt8>, isWhole: Bool, _ direction: Direction) {
    guard let transcript, let isClient = isClient(direction) else { return }
    switch (type, isClient) {
    case _ where !isWhole: self.transcript = nil
    case (.serverHello, false):
      // Drafts of TLS 1.3 sign different content.
      guard let serverHello = facts.sharedServerHello, let suite = serverHello.cipherSuite, serverHello.version == .tls13 else {
        self.transcript = nil
        return
      }
      transcript.add(serverHello: body, suite: suite, isRetry: serverHello.isHelloRetryRequest)
    case (_, false): transcript.add(type, body)
    default: break
    }
  }
}
