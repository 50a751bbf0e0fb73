package import Values

/// An FTP control connection that announced a data connection in the clear.
package struct FTPControlEnds: Hashable, Sendable {
  /// Its client.
  package var client: Endpoint
  /// Its server.
  package var server: Endpoint
  /// The packet with which the announcement was whole.
  package var frame: UInt64

  /// Creates the ends of a control connection.
  package init(client: Endpoint, server: Endpoint, frame: UInt64) {
    self.client = client
    self.server = server
    self.frame = frame
  }
}
