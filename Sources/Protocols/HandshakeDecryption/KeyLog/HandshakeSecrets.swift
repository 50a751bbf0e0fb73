public import ByteParsing

/// The secrets that open the handshake of one session.
///
/// A log may name several for one side, of which the records tell the right one: each is tried.
public struct HandshakeSecrets: Hashable, Sendable {
  /// The client's handshake traffic secret, and others that were given for it.
  public var client: [Bytes]

  /// The server's handshake traffic secret, and others that were given for it.
  public var server: [Bytes]

  /// Creates secrets.
  public init(client: [Bytes], server: [Bytes]) {
    self.client = client
    self.server = server
  }
}
