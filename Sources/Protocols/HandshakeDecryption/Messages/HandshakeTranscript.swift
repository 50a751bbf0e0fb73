package import ByteParsing
package import TLSParsing

/// The messages of a TLS 1.3 handshake up to the server's Certificate, which the server signs in its CertificateVerify (RFC 8446 §4.4.1,
/// §4.4.3).
///
/// A message out of order invalidates it, and the signed content is then unknown.
package final class HandshakeTranscript {
  private enum Stage {
    case clientHello, retry, secondHello, serverHello, encryptedExtensions, certificateRequest, certificate
    case broken
  }

  private var stage = Stage.clientHello

  /// The messages so far; after a HelloRetryRequest, a hash replaces the first hello.
  private var messages: Bytes

  private var suite: CipherSuite?
  private var hash: HashKind?

  /// Creates a transcript from the body of the first ClientHello.
  package init(clientHello body: Span<UInt8>) {
    messages = HandshakeHeader.message(.clientHello, Bytes(copying: body))
  }

  /// The number of bytes held.
  package var heldBytes: Int { messages.count }

  /// Adds the body of a second ClientHello, which follows a HelloRetryRequest.
  package func add(clientHello body: Span<UInt8>) {
    advance(from: [.retry], to: .secondHello)
    update(.clientHello, body)
  }

  /// Adds the body of a ServerHello or HelloRetryRequest, which chose a suite.
  package func add(serverHello body: Span<UInt8>, suite: CipherSuite, isRetry: Bool) {
    advance(from: isRetry ? [.clientHello] : [.clientHello, .secondHello], to: isRetry ? .retry : .serverHello)
    if hash == nil {
      self.suite = suite
      hash = DecryptableSuite(suite)?.hash
      if isRetry, let hash { messages = HandshakeHeader.message(.messageHash, hash.digest(messages)) }
    }
    if hash == nil || self.suite != suite { stage = .broken }
    update(.serverHello, body)
  }

  /// Adds another message of the server.
  package func add(_ type: HandshakeType, _ body: Span<UInt8>) {
    switch type {
    case .encryptedExtensions: advance(from: [.serverHello], to: .encryptedExtensions)
    case .certificateRequest: advance(from: [.encryptedExtensions], to: .certificateRequest)
    case .certificate, .compressedCertificate:
      advance(from: [.encryptedExtensions, .certificateRequest], to: .certificate)
    default: stage = .broken
    }
    update(type, body)
  }

  /// The content that the server's CertificateVerify signs; nil if messages before it are missing.
  package var signedContent: Bytes? {
    guard stage == .certificate, let hash else { return nil }
    var content = Bytes(repeating: 0x20, count: 64)
    content.append(contentsOf: "TLS 1.3, server CertificateVerify".utf8)
    content.append(0)
    content.append(contentsOf: hash.digest(messages))
    return content
  }

  private func advance(from stages: [Stage], to next: Stage) {
    stage = stages.contains(stage) ? next : .broken
  }

  private func update(_ type: HandshakeType, _ body: Span<UInt8>) {
    messages = stage == .broken ? [] : messages + HandshakeHeader.message(type, Bytes(copying: body))
  }
}
