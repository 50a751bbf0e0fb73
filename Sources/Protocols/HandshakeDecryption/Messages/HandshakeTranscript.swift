package import ByteParsing
import Crypto
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

  /// The hash so far, with the suite's function.
  private enum Hash {
    case sha256(SHA256)
    case sha384(SHA384)

    /// Nil for unsupported suites.
    init?(_ suite: CipherSuite) {
      switch DecryptableSuite(suite)?.secretLength {
      case 32: self = .sha256(SHA256())
      case 48: self = .sha384(SHA384())
      default: return nil
      }
    }

    mutating func update(_ bytes: Bytes) {
      switch self {
      case .sha256(var hash):
        hash.update(data: bytes)
        self = .sha256(hash)
      case .sha384(var hash):
        hash.update(data: bytes)
        self = .sha384(hash)
      }
    }

    var digest: Bytes {
      switch self {
      case .sha256(let hash): Bytes(hash.finalize())
      case .sha384(let hash): Bytes(hash.finalize())
      }
    }
  }

  private var stage = Stage.clientHello

  /// The first hello, while the suite is unknown.
  private var held: Bytes

  private var suite: CipherSuite?
  private var hash: Hash?

  /// Creates a transcript from the body of the first ClientHello.
  package init(clientHello body: Span<UInt8>) { held = HandshakeTranscript.message(.clientHello, body) }

  /// The number of bytes held.
  package var heldBytes: Int { held.count }

  /// Adds the body of a second ClientHello, which follows a HelloRetryRequest.
  package func add(clientHello body: Span<UInt8>) {
    advance(from: [.retry], to: .secondHello)
    update(.clientHello, body)
  }

  /// Adds the body of a ServerHello or HelloRetryRequest, which chose a suite.
  package func add(serverHello body: Span<UInt8>, suite: CipherSuite, isRetry: Bool) {
    advance(
      from: isRetry ? [.clientHello] : [.clientHello, .secondHello], to: isRetry ? .retry : .serverHello)
    if hash == nil {
      self.suite = suite
      hash = Hash(suite)
      // After a HelloRetryRequest a hash replaces the first hello.
      if isRetry, var first = hash {
        first.update(held)
        held = HandshakeTranscript.message(HandshakeType(rawValue: 254), first.digest.span)
      }
      hash?.update(held)
      held = []
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
    content.append(contentsOf: hash.digest)
    return content
  }

  private func advance(from stages: [Stage], to next: Stage) {
    stage = stages.contains(stage) ? next : .broken
  }

  private func update(_ type: HandshakeType, _ body: Span<UInt8>) {
    guard stage != .broken else { return }
    hash?.update(HandshakeTranscript.message(type, body))
  }

  private static func message(_ type: HandshakeType, _ body: Span<UInt8>) -> Bytes {
    var message: Bytes = [
      type.rawValue, UInt8(truncatingIfNeeded: body.count >> 16), UInt8(truncatingIfNeeded: body.count >> 8),
      UInt8(truncatingIfNeeded: body.count),
    ]
    message.append(copying: body)
    return message
  }
}
