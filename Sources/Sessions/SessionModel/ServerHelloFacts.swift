public import TLSParsing

/// The contents of a ServerHello, without what is unique to the connection.
public struct ServerHelloFacts: Hashable, Sendable {
  /// The negotiated version: from `supported_versions` if present, or else `legacy_version`. Nil if it may be in a part of the hello that
  /// was not captured.
  public package(set) var version: TLSVersion?
  /// The chosen suite; nil if the hello was truncated before it.
  public package(set) var cipherSuite: CipherSuite?
  /// The chosen compression method; nil if the message format has none.
  public package(set) var compressionMethod: UInt8?
  /// Extension types in the order sent.
  public package(set) var extensions: [ExtensionType] = []
  /// The chosen ALPN protocol; nil if none was sent in cleartext. A byte 0xNN that is not valid UTF-8 is U+10FFNN.
  public package(set) var alpn: String?
  /// The group in `key_share` (TLS 1.3); nil if there is none.
  public package(set) var keyShareGroup: NamedGroup?
  /// Whether this is a HelloRetryRequest.
  public package(set) var isHelloRetryRequest = false
  /// The JA3S fingerprint, 32 hexadecimal digits; nil for an incomplete hello.
  public package(set) var ja3s: String?

  /// Whether the handshake is that of TLS 1.3 or DTLS 1.3, including drafts; false if the version was not captured.
  package var hasTLS13Handshake: Bool { version?.hasTLS13Handshake == true }

  package init() {}
}
