import ByteParsing
import CertificateSignatures
import SessionModel
import TLSParsing

/// Verifies servers' signatures over their handshakes, and limits their number: each handshake has its own, and verifying it takes longer
/// than reading the rest of the handshake.
package struct HandshakeSignatures {
  /// The maximum number of signatures verified for one capture. Beyond it, only the first signature of each leaf is verified. Most take 20
  /// to 100 µs; those with P-384, P-521 and long RSA keys take up to a millisecond.
  static let defaultMaximumCount = 1024

  /// The maximum number of keys held. With more leaves, all are discarded, and each leaf's next signature counts as its first.
  static let maximumKeyCount = 1024

  private let limit: Int
  private var keys: [ObjectIdentifier: (leaf: ObservedCertificate, key: VerificationKey)] = [:]
  private var verifiedCount = 0

  /// The number of signatures that were not verified.
  package private(set) var notVerifiedCount: UInt64 = 0

  init(limit: Int = defaultMaximumCount) { self.limit = limit }

  /// Counts a signature by a leaf's key. Returns whether to verify it.
  mutating func admit(_ leaf: ObservedCertificate) -> Bool {
    if keys[ObjectIdentifier(leaf)] == nil {
      if keys.count >= HandshakeSignatures.maximumKeyCount { keys.removeAll() }
      keys[ObjectIdentifier(leaf)] = (leaf, VerificationKey(of: leaf.certificate))
    } else if verifiedCount >= limit {
      notVerifiedCount += 1
      return false
    }
    verifiedCount += 1
    return true
  }

  /// Verifies a signature over a message with the key of an admitted leaf.
  func verify(
    _ signature: Span<UInt8>, over message: Bytes, _ scheme: SignatureScheme, with leaf: ObservedCertificate
  ) -> HandshakeSignature {
    guard let method = SignatureMethod(scheme), let key = keys[ObjectIdentifier(leaf)]?.key else { return .notVerifiable }
    switch key.verify(Bytes(copying: signature)[...], over: message[...], method: method) {
    case .valid: return .valid
    case .invalid: return .invalid
    case .notVerifiable: return .notVerifiable
    }
  }
}
