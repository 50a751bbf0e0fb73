import ByteParsing
import Crypto

/// HKDF-Expand-Label (RFC 8446 §7.1) of one secret, with an empty context.
///
/// The secret is hashed once, however many keys are derived from it.
struct KeyDerivation {
  private enum Keyed {
    case sha256(HMAC<SHA256>)
    case sha384(HMAC<SHA384>)
  }

  private let keyed: Keyed

  /// Creates a derivation from a secret, with the hash of `suite`.
  init(_ secret: Bytes, suite: DecryptableSuite) {
    let key = SymmetricKey(data: secret)
    keyed = suite == .aes256GCM ? .sha384(HMAC(key: key)) : .sha256(HMAC(key: key))
  }

  /// Derives at most as many bytes as the suite's hash has, which exceeds the length of any key.
  func expand(_ label: String, _ byteCount: Int) -> Bytes {
    var info = Bytes()
    info.reserveCapacity(label.utf8.count + 11)
    info.append(UInt8(truncatingIfNeeded: byteCount >> 8))
    info.append(UInt8(truncatingIfNeeded: byteCount))
    info.append(UInt8(truncatingIfNeeded: label.utf8.count + 6))
    info.append(contentsOf: "tls13 ".utf8)
    info.append(contentsOf: label.utf8)
    info.append(0)
    // One block of HKDF-Expand (RFC 5869 §2.3), whose bytes are read without a pointer.
    info.append(1)
    switch keyed {
    case .sha256(var code):
      code.update(data: info)
      return Bytes(code.finalize().prefix(byteCount))
    case .sha384(var code):
      code.update(data: info)
      return Bytes(code.finalize().prefix(byteCount))
    }
  }

  /// Derives one key of a secret.
  static func expand(_ secret: Bytes, label: String, byteCount: Int, suite: DecryptableSuite) -> Bytes {
    KeyDerivation(secret, suite: suite).expand(label, byteCount)
  }
}
