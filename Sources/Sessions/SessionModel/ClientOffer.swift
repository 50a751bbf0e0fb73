public import TLSParsing

/// What a client offers in its hello, less what is unique to the connection. Many sessions share one.
///
/// GREASE values are left out of every list (RFC 8701).
public final class ClientOffer: Sendable, Hashable {
  /// What an offer holds.
  public struct Content: Hashable, Sendable {
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
    public init() {}
  }

  /// What the offer holds.
  public let content: Content

  /// Wraps the content for sharing.
  public init(_ content: Content) { self.content = content }

  /// Offers are equal when their contents are.
  public static func == (a: ClientOffer, b: ClientOffer) -> Bool { a === b || a.content == b.content }

  /// Hashes the content.
  public func hash(into hasher: inout Hasher) { hasher.combine(content) }

  /// Whether an extension of this type was sent.
  public func has(_ type: ExtensionType) -> Bool { content.extensions.contains(type) }

  /// Whether all that servers deliver beside certificates is asked for: SCTs and OCSP responses.
  package var asksForStatus: Bool { has(.signedCertificateTimestamp) && has(.statusRequest) }
}
