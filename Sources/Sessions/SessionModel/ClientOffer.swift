public import TLSParsing

/// What a client offers in its hello, less what is unique to the connection.
///
/// GREASE values are left out of every list (RFC 8701).
public struct ClientOffer: Hashable, Sendable {
  /// `legacy_version`.
  public package(set) var legacyVersion = TLSVersion(rawValue: 0)
  /// supported_versions in the order sent; without that extension `legacy_version` alone.
  public package(set) var versions: [TLSVersion] = []
  /// Suites in the client's order of preference; signalling values included.
  public package(set) var cipherSuites: [CipherSuite] = []
  /// Compression methods.
  public package(set) var compressionMethods: [UInt8] = []
  /// Extension types in the order sent.
  public package(set) var extensions: [ExtensionType] = []
  /// supported_groups.
  public package(set) var groups: [NamedGroup] = []
  /// signature_algorithms.
  public package(set) var signatureSchemes: [SignatureScheme] = []
  /// signature_algorithms_cert.
  public package(set) var certificateSignatureSchemes: [SignatureScheme] = []
  /// Protocol names of ALPN, as `InputText`.
  public package(set) var alpn: [String] = []
  /// Whether the hello has the format of SSL 2.0.
  public package(set) var isSSL2Format = false
  /// The JA3 fingerprint: 32 hexadecimal digits; nil where it cannot be made.
  public package(set) var ja3: String?
  /// The JA4 fingerprint; nil where it cannot be made.
  public package(set) var ja4: String?

  /// Creates an empty offer.
  package init() {}

  /// Whether the client requests all that servers deliver beside certificates: SCTs and OCSP responses.
  package var requestsStatus: Bool {
    extensions.contains(.signedCertificateTimestamp) && extensions.contains(.statusRequest)
  }
}
