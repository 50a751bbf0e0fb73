import ByteParsing
import Crypto

/// HKDF-Expand-Label (RFC 8446 §7.1) with an empty context.
enum KeyDerivation {
  /// At most as many bytes as the suite's hash gives at once, which is more than any key has.
  static func expand(_ secret: Bytes, label: String, byteCount: Int, suite: SealedSuite) -> Bytes {
    var info = Bytes()
    info.append(UInt8(truncatingIfNeeded: byteCount >> 8))
    info.append(UInt8(truncatingIfNeeded: byteCount))
    let name = Bytes("tls13 ".utf8) + Bytes(label.utf8)
    info.append(UInt8(truncatingIfNeeded: name.count))
    info.append(contentsOf: name)
    info.append(0)
    // One block of HKDF-Expand (RFC 5869 §2.3), whose bytes come out without a pointer.
    info.append(1)
    let key = SymmetricKey(data: secret)
    return suite == .aes256GCM
      ? Bytes(HMAC<SHA384>.authenticationCode(for: info, using: key).prefix(byteCount))
      : Bytes(HMAC<SHA256>.authenticationCode(for: info, using: key).prefix(byteCount))
  }
}
