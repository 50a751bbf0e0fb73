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
package struct KeyUsage: OptionSet, Hashable, Sendable {
  package var rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Signatures other than on certificates and CRLs.
  package static let digitalSignature = KeyUsage(rawValue: 1 << 0)

  /// Signatures on certificates.
  package static let keyCertSign = KeyUsage(rawValue: 1 << 5)

  /// Signatures on CRLs.
  package static let cRLSign = KeyUsage(rawValue: 1 << 6)
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
