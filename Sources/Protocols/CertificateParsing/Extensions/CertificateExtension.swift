/// One extension of a certificate, CRL or OCSP response (RFC 5280 §4.2).
package struct CertificateExtension: Hashable, Sendable {
  /// The dotted OID.
  package var objectIdentifier: String

  /// Whether who does not know the extension must refuse what carries it.
  package var isCritical: Bool

  /// The whole extension, as offsets into the input.
  package var encodedRange: Range<Int>

  /// The contents of `extnValue`, as offsets into the input.
  package var valueRange: Range<Int>
}

/// keyUsage (RFC 5280 §4.2.1.3): bit `n` of the BIT STRING is 2ⁿ here.
package struct KeyUsage: OptionSet, Hashable, Sendable {
  /// The bits.
  package var rawValue: UInt16

  /// Creates a set of bits.
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Signatures other than on certificates and CRLs.
  package static let digitalSignature = KeyUsage(rawValue: 1 << 0)

  /// Signatures on certificates.
  package static let keyCertSign = KeyUsage(rawValue: 1 << 5)

  /// Signatures on CRLs.
  package static let cRLSign = KeyUsage(rawValue: 1 << 6)
}

/// policyConstraints and inhibitAnyPolicy (RFC 5280 §4.2.1.11 and §4.2.1.14): how many more certificates may follow
/// before the demand takes effect; nil where it is absent.
package struct PolicyLimits: Hashable, Sendable {
  /// `requireExplicitPolicy`.
  package var requireExplicitPolicy: Int?

  /// `inhibitPolicyMapping`.
  package var inhibitPolicyMapping: Int?

  /// `inhibitAnyPolicy`.
  package var inhibitAnyPolicy: Int?

  /// Creates limits that demand nothing.
  package init() {}
}
