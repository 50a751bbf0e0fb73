package import ByteParsing

/// The secrets that decrypt the handshake of one session.
///
/// A log may contain several for one side. Each is tried, and the records show the right one.
package struct HandshakeSecrets: Hashable, Sendable {
  /// The client's handshake traffic secret, and any alternatives in the log.
  package var client: [Bytes]

  /// The server's handshake traffic secret, and any alternatives in the log.
  package var server: [Bytes]

  /// The server's first application traffic secret, which decrypts its alerts after the handshake; nil if the log lacks it.
  package var serverApplication: Bytes?

  package init(client: [Bytes], server: [Bytes], serverApplication: Bytes? = nil) {
    self.client = client
    self.server = server
    self.serverApplication = serverApplication
  }
}
