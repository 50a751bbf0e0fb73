import ByteParsing
import CertificateParsing
import CertificateSignatures
import SessionModel
import TLSParsing

/// Verifies the signatures of servers over their handshakes, and bounds how many: each handshake has one of its own, and verifying it
/// takes longer than reading all the rest of the handshake.
package struct HandshakeSignatures {
  /// Signatures of one capture that are verified; beyond them only the first with each leaf is. Most take 20 to 100 µs, those with P-384
  /// or P-521 and long RSA keys up to a millisecond.
  static let defaultMaximumCount = 1024

  /// Keys that are held at most. With more leaves all are forgotten, and what a leaf shows next counts as its first.
  static let maximumKeyCount = 1024

  private let limit: Int
  private var keys: [ObjectIdentifier: (leaf: ObservedCertificate, key: VerificationKey)] = [:]
  private var verifiedCount = 0

  /// Signatures that were not verified.
  package private(set) var notVerifiedCount: UInt64 = 0

  init(limit: Int = defaultMaximumCount) { self.limit = limit }

  /// Counts a signature by the key of a leaf. Returns whether it is to be verified.
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

  /// Verifies a signature over a message with the key of a leaf that was admitted.
  func verify(
    _ signature: Span<UInt8>, over message: Bytes, _ scheme: SignatureScheme, with leaf: ObservedCertificate
  ) -> HandshakeSignature {
    guard let method = SignatureMethod(scheme), let key = keys[ObjectIdentifier(leaf)]?.key else {
      return .notVerifiable
    }
    switch key.verify(Bytes(copying: signature)[...], over: message[...], method: method) {
    case .valid: return .valid
    case .invalid: return .invalid
    case .notVerifiable: return .notVerifiable
    }
  }
}
