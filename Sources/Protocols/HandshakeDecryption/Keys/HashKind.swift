import ByteParsing
import Crypto

/// The hash functions of HPKE and TLS 1.3, with the derivations by HMAC that both use (RFC 5869).
enum HashKind {
  case sha256
  case sha384
  case sha512

  /// The length of a digest in bytes.
  var byteCount: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  func digest(_ message: Bytes) -> Bytes {
    switch self {
    case .sha256: Bytes(SHA256.hash(data: message))
    case .sha384: Bytes(SHA384.hash(data: message))
    case .sha512: Bytes(SHA512.hash(data: message))
    }
  }

  /// HKDF-Extract; an empty salt means as many zeros as a digest has bytes.
  func extract(_ material: Bytes, salt: Bytes = []) -> Bytes {
    authenticate(material, key: salt.isEmpty ? Bytes(repeating: 0, count: byteCount) : salt)
  }

  /// HKDF-Expand of one block: at most the length of a digest.
  func expand(_ secret: Bytes, _ info: Bytes, _ count: Int) -> Bytes {
    Bytes(authenticate(info + [1], key: secret).prefix(count))
  }

  /// HKDF-Expand-Label (RFC 8446 §7.1), of at most the length of a digest.
  func expand(_ secret: Bytes, label: String, context: Bytes = [], _ count: Int) -> Bytes {
    let label = Bytes("tls13 \(label)".utf8)
    var info: Bytes = [0, UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: label.count)]
    info += label
    info.append(UInt8(truncatingIfNeeded: context.count))
    info += context
    return expand(secret, info, count)
  }

  private func authenticate(_ message: Bytes, key: Bytes) -> Bytes {
    let key = SymmetricKey(data: key)
    return switch self {
    case .sha256: Bytes(HMAC<SHA256>.authenticationCode(for: message, using: key))
    case .sha384: Bytes(HMAC<SHA384>.authenticationCode(for: message, using: key))
    case .sha512: Bytes(HMAC<SHA512>.authenticationCode(for: message, using: key))
    }
  }
}
