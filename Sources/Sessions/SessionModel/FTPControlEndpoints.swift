package import Values

/// The FTP control connection that announced a data connection in cleartext.
package struct FTPControlEndpoints: Hashable, Sendable {
  /// The client of the control connection.
  package var client: Endpoint
  /// The server of the control connection.
  package var server: Endpoint
  /// The packet that completed the announcement.
  package var frame: UInt64

  package init(client: Endpoint, server: Endpoint, frame: UInt64) {
    self.client = client
    self.server = server
    self.frame = frame
  }
}
