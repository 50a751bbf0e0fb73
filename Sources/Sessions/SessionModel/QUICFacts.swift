/// Facts about the QUIC connection of a session, besides its handshake.
public struct QUICFacts: Hashable, Sendable {
  /// The version of the server's packets, or else that of the client's.
  public package(set) var version: UInt32

  /// The CONNECTION_CLOSE frame; nil if none was captured.
  public package(set) var close: Close?

  /// A CONNECTION_CLOSE frame.
  public struct Close: Hashable, Sendable {
    /// The error code (RFC 9000 §20.1); 0x0100 to 0x01ff represent TLS alerts (RFC 9001 §4.8).
    public package(set) var code: UInt64

    /// The packet that carries it.
    public package(set) var frame: UInt64

    package init(code: UInt64, frame: UInt64) {
      self.code = code
      self.frame = frame
    }
  }

  package init(version: UInt32, close: Close? = nil) {
    self.version = version
    self.close = close
  }
}
