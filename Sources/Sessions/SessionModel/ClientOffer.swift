public import TLSParsing
import Values

/// The contents of a ClientHello, without what is unique to the connection.
///
/// GREASE values are omitted from every list (RFC 8701).
public struct ClientOffer: Hashable, Sendable {
  /// `legacy_version`.
  public package(set) var legacyVersion = TLSVersion(rawValue: 0)
  /// `supported_versions` in the order sent; without that extension, only `legacy_version`.
  public package(set) var versions: [TLSVersion] = []
  /// Cipher suites in the client's order of preference, including signaling values.
  public package(set) var cipherSuites: [CipherSuite] = []
  /// Compression methods in the order sent.
  public package(set) var compressionMethods: [UInt8] = []
  /// Extension types in the order sent.
  public package(set) var extensions: [ExtensionType] = []
  /// `supported_groups`, in the client's order of preference.
  public package(set) var groups: [NamedGroup] = []
  /// `signature_algorithms`, in the client's order of preference.
  public package(set) var signatureSchemes: [SignatureScheme] = []
  /// `signature_algorithms_cert`, in the client's order of preference; empty without that extension.
  public package(set) var certificateSignatureSchemes: [SignatureScheme] = []
  /// Protocol names in the ALPN extension. A byte 0xNN that is not valid UTF-8 is U+10FFNN.
  public package(set) var alpn: [String] = []
  /// Whether the hello is in the SSL 2.0 format.
  public package(set) var isSSL2Format = false
  /// The JA3 fingerprint, 32 hexadecimal digits; nil for an incomplete hello or one in the SSL 2.0 format.
  public package(set) var ja3: String?
  /// The JA4 fingerprint; nil for an incomplete hello or one in the SSL 2.0 format.
  public package(set) var ja4: String?

  package init() {}

  /// The versions as text: `TLS 1.3 and TLS 1.2`; `up to TLS 1.1` for a client without `supported_versions` (RFC 8446 §4.2.1).
  package var versionsText: String {
    let texts = versions.map(\.text)
    guard extensions.contains(.supportedVersions), !texts.isEmpty else { return "up to \(texts.last ?? legacyVersion.text)" }
    return texts.joinedWithAnd()
  }

  /// Whether the client requests both SCTs and OCSP responses.
  package var requestsStatus: Bool {
    extensions.contains(.signedCertificateTimestamp) && extensions.contains(.statusRequest)
  }
}
