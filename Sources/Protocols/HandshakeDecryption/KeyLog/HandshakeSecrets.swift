public import ByteParsing

/// The secrets that open the handshake of one session.
public struct HandshakeSecrets: Hashable, Sendable {
  /// The client's handshake traffic secret.
  public var client: Bytes?

  /// The server's handshake traffic secret.
  public var server: Bytes?

  /// Creates secrets.
  public init(client: Bytes?, server: Bytes?) {
    self.client = client
    self.server = server
  }
}
