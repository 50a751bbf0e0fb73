public import TLSParsing

/// What a server chose in its hello, less what is unique to the connection.
public struct ServerHelloFacts: Hashable, Sendable {
  /// The negotiated version: supported_versions where it is present, else `legacy_version`; `unseen` where it may be in a
  /// part of the hello that is not in the capture.
  public package(set) var version = TLSVersion.unseen
  /// The chosen suite; nil where the hello broke off before it.
  public package(set) var cipherSuite: CipherSuite?
  /// The chosen compression method; nil where the layout has none.
  public package(set) var compressionMethod: UInt8?
  /// Extension types in the order sent.
  public package(set) var extensions: [ExtensionType] = []
  /// The chosen protocol of ALPN, as text; nil where none was sent in the clear.
  public package(set) var alpn: String?
  /// The group of key_share (TLS 1.3).
  public package(set) var keyShareGroup: NamedGroup?
  /// Whether this is a HelloRetryRequest.
  public package(set) var isHelloRetryRequest = false
  /// The JA3S fingerprint; nil where it cannot be made.
  public package(set) var ja3s: String?

  /// Creates the facts of an empty hello.
  package init() {}

  /// The version, where it was seen.
  public var seenVersion: TLSVersion? { version == .unseen ? nil : version }
}

extension TLSVersion {
  /// Represents a version that was not seen; no version has this number.
  package static let unseen = TLSVersion(rawValue: 0)
}
