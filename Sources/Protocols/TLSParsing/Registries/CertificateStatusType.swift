/// The kind of a certificate status (IANA "TLS Certificate Status Types").
public struct CertificateStatusType: RawRepresentable, Hashable, Sendable {
  /// The code point.
  public var rawValue: UInt8

  /// Takes any code point, known or not.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `ocsp` (RFC 6066 §8).
  public static let ocsp = CertificateStatusType(rawValue: 1)
  /// `ocsp_multi` (RFC 6961 §2.2).
  public static let ocspMulti = CertificateStatusType(rawValue: 2)

  /// The name in the registry, such as `ocsp`.
  public var name: String? { CodePointNames.name(of: rawValue, in: CertificateStatusTypeRegistry.entries) }
}
