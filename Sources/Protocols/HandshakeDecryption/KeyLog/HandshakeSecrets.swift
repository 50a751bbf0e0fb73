package import ByteParsing

/// The secrets that open the handshake of one session.
///
/// A log may name several for one side, of which the records tell the right one: each is tried.
package struct HandshakeSecrets: Hashable, Sendable {
  /// The client's handshake traffic secret, and others that were given for it.
  package var client: [Bytes]

  /// The server's handshake traffic secret, and others that were given for it.
  package var server: [Bytes]

  /// Creates secrets.
  package init(client: [Bytes], server: [Bytes]) {
    self.client = client
    self.server = server
  }
}
