/// One extension of a certificate, CRL or OCSP response (RFC 5280 §4.2).
package struct CertificateExtension: Hashable, Sendable {
  package var objectIdentifier: String

  /// Whether software that does not know the extension must reject the structure.
  package var isCritical: Bool

  /// The range of the whole extension in the input.
  package var encodedRange: Range<Int>

  /// The range of the contents of `extnValue` in the input.
  package var valueRange: Range<Int>
}

/// keyUsage (RFC 5280 §4.2.1.3): bit `n` of the BIT STRING has the value 2ⁿ.
public struct KeyUsage: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt16

  /// Creates a set of usages from its bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Signatures other than on certificates and CRLs.
  public static let digitalSignature = KeyUsage(rawValue: 1 << 0)

  /// Signatures that the signer cannot later deny; also called contentCommitment.
  public static let nonRepudiation = KeyUsage(rawValue: 1 << 1)

  /// Encryption of keys, as in RSA key exchange.
  public static let keyEncipherment = KeyUsage(rawValue: 1 << 2)

  /// Encryption of data other than keys.
  public static let dataEncipherment = KeyUsage(rawValue: 1 << 3)

  /// Key agreement, as in DH and ECDH.
  public static let keyAgreement = KeyUsage(rawValue: 1 << 4)

  /// Signatures on certificates.
  public static let keyCertSign = KeyUsage(rawValue: 1 << 5)

  /// Signatures on CRLs.
  public static let cRLSign = KeyUsage(rawValue: 1 << 6)

  /// With `keyAgreement`, encryption alone.
  public static let encipherOnly = KeyUsage(rawValue: 1 << 7)

  /// With `keyAgreement`, decryption alone.
  public static let decipherOnly = KeyUsage(rawValue: 1 << 8)
}

/// policyConstraints and inhibitAnyPolicy (RFC 5280 §4.2.1.11 and §4.2.1.14): the number of further certificates before the constraint
/// takes effect; nil if absent.
package struct PolicyLimits: Hashable, Sendable {
  /// `requireExplicitPolicy`.
  package var requireExplicitPolicy: Int?

  /// `inhibitPolicyMapping`.
  package var inhibitPolicyMapping: Int?

  /// `inhibitAnyPolicy`.
  package var inhibitAnyPolicy: Int?

  package init() {}
}
