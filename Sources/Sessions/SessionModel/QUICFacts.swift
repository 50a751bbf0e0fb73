/// What a session over QUIC shows beside its handshake.
public struct QUICFacts: Hashable, Sendable {
  /// The version: that of the server's packets, or else the one that the client chose.
  public package(set) var version: UInt32

  /// How the connection was closed; nil where that was not seen.
  public package(set) var close: Close?

  /// A CONNECTION_CLOSE frame.
  public struct Close: Hashable, Sendable {
    /// The error code (RFC 9000 §20.1); 0x0100 and above stand for alerts of TLS (RFC 9001 §4.8).
    public package(set) var code: UInt64

    /// The packet that carries it.
    public package(set) var frame: UInt64

    /// Creates a close.
    package init(code: UInt64, frame: UInt64) {
      self.code = code
      self.frame = frame
    }
  }

  /// Creates the facts of a connection that was not seen to close.
  package init(version: UInt32, close: Close? = nil) {
    self.version = version
    self.close = close
  }
}
