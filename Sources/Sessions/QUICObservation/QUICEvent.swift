public import ByteParsing
public import TLSParsing

/// What a QUIC connection turned out to carry.
public enum QUICEvent: Sendable {
  /// A handshake message.
  case message(QUICMessage)
  /// The client began anew after a version negotiation: what came before does not count.
  case restart
  /// One side closed the connection.
  case close(QUICClose)
  /// Both sides sent packets under the keys that follow the handshake.
  case established(frame: UInt64)
}

/// A handshake message of a QUIC connection.
public struct QUICMessage: Sendable {
  /// Whether the client sent it.
  public var isFromClient: Bool

  /// What it is.
  public var type: HandshakeType

  /// The message behind its header.
  public var body: Bytes

  /// Whether all of it is there.
  public var isWhole: Bool

  /// Whether secrets were needed to open it.
  public var isDecrypted: Bool

  /// The packets that carry it, in order.
  public var frames: [UInt64]
}

/// A CONNECTION_CLOSE frame (RFC 9000 §19.19).
public struct QUICClose: Hashable, Sendable {
  /// Whether the client sent it.
  public var isFromClient: Bool

  /// The error code.
  public var code: UInt64

  /// Whether the code is one of the application's.
  public var isApplication: Bool

  /// Whether secrets were needed to open it.
  public var isDecrypted: Bool

  /// The packet that carries it.
  public var frame: UInt64

  /// The TLS alert that the code stands for (RFC 9001 §4.8); nil for other codes.
  public var alert: AlertDescription? {
    guard !isApplication, code >> 8 == 1 else { return nil }
    return AlertDescription(rawValue: UInt8(truncatingIfNeeded: code))
  }
}
