/// The kind of a certificate status (IANA "TLS Certificate Status Types").
@usableFromInline package struct CertificateStatusType: RawRepresentable, Hashable, Sendable {
  /// The code point.
  @usableFromInline package var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `ocsp` (RFC 6066 §8).
  package static let ocsp = CertificateStatusType(rawValue: 1)
  /// `ocsp_multi` (RFC 6961 §2.2).
  package static let ocspMulti = CertificateStatusType(rawValue: 2)

  /// The name in the registry, such as `ocsp`.
  package var name: String? { CodePointNames.name(of: rawValue, in: CertificateStatusTypeRegistry.entries) }
}
