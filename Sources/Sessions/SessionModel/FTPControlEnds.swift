public import Values

/// An FTP control connection that announced a data connection in the clear.
public struct FTPControlEnds: Hashable, Sendable {
  /// Its client.
  public var client: Endpoint
  /// Its server.
  public var server: Endpoint
  /// The packet with which the announcement was whole.
  public var frame: UInt64

  /// Creates the ends of a control connection.
  package init(client: Endpoint, server: Endpoint, frame: UInt64) {
    self.client = client
    self.server = server
    self.frame = frame
  }
}
