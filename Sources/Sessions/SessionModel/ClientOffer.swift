public import TLSParsing

/// What a client offers in its hello, less what is unique to the connection.
///
/// GREASE values are left out of every list (RFC 8701).
public struct ClientOffer: Hashable, Sendable {
  /// `legacy_version`.
  public var legacyVersion = TLSVersion(rawValue: 0)
  /// supported_versions in the order sent; without that extension `legacy_version` alone.
  public var versions: [TLSVersion] = []
  /// Suites in the client's order of preference; signalling values included.
  public var cipherSuites: [CipherSuite] = []
  /// Compression methods.
  public var compressionMethods: [UInt8] = []
  /// Extension types in the order sent.
  public var extensions: [ExtensionType] = []
  /// supported_groups.
  public var groups: [NamedGroup] = []
  /// signature_algorithms.
  public var signatureSchemes: [SignatureScheme] = []
  /// signature_algorithms_cert.
  public var certificateSignatureSchemes: [SignatureScheme] = []
  /// Protocol names of ALPN, as `InputText`.
  public var alpn: [String] = []
  /// Whether the hello has the format of SSL 2.0.
  public var isSSL2Format = false
  /// The JA3 fingerprint: 32 hexadecimal digits; nil where it cannot be made.
  public var ja3: String?
  /// The JA4 fingerprint; nil where it cannot be made.
  public var ja4: String?

  /// Creates an empty offer.
  package init() {}

  /// Whether the client requests all that servers deliver beside certificates: SCTs and OCSP responses.
  package var requestsStatus: Bool {
    extensions.contains(.signedCertificateTimestamp) && extensions.contains(.statusRequest)
  }
}
