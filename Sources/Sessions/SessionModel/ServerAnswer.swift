public import TLSParsing

/// What a server chose in its hello, less what is unique to the connection. Many sessions share one.
public final class ServerAnswer: Sendable, Hashable {
  /// What an answer holds.
  public struct Content: Hashable, Sendable {
    /// The negotiated version: supported_versions where it is present, else `legacy_version`; `unseen` where it may be in a
    /// part of the hello that is not in the capture.
    public var version = TLSVersion.unseen
    /// The chosen suite; nil where the hello broke off before it.
    public var cipherSuite: CipherSuite?
    /// The chosen compression method; nil where the layout has none.
    public var compressionMethod: UInt8?
    /// Extension types in the order sent.
    public var extensions: [ExtensionType] = []
    /// The chosen protocol of ALPN, as text; nil where none was sent in the clear.
    public var alpn: String?
    /// The group of key_share (TLS 1.3).
    public var keyShareGroup: NamedGroup?
    /// Whether this is a HelloRetryRequest.
    public var isHelloRetryRequest = false
    /// The JA3S fingerprint; nil where it cannot be made.
    public var ja3s: String?

    /// Creates an empty answer.
    public init() {}

    /// The version, where it was seen.
    public var seenVersion: TLSVersion? { version == .unseen ? nil : version }
  }

  /// What the answer holds.
  public let content: Content

  /// Wraps the content for sharing.
  public init(_ content: Content) { self.content = content }

  /// Answers are equal when their contents are.
  public static func == (a: ServerAnswer, b: ServerAnswer) -> Bool { a === b || a.content == b.content }

  /// Hashes the content.
  public func hash(into hasher: inout Hasher) { hasher.combine(content) }

  /// Whether an extension of this type was sent.
  public func has(_ type: ExtensionType) -> Bool { content.extensions.contains(type) }
}

extension TLSVersion {
  /// Stands for a version that was not seen; no version has this number.
  public static let unseen = TLSVersion(rawValue: 0)
}
