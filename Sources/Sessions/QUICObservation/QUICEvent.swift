package import ByteParsing
package import TLSParsing

/// What a QUIC connection turned out to carry.
package enum QUICEvent: Sendable {
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
package struct QUICMessage: Sendable {
  /// Whether the client sent it.
  package var isFromClient: Bool

  /// What the bytes are.
  package var type: HandshakeType

  /// The message after its header.
  package var body: Bytes

  /// Whether all of it is there.
  package var isWhole: Bool

  /// The packets that carry it, in order.
  package var frames: [UInt64]
}

/// A CONNECTION_CLOSE frame (RFC 9000 §19.19).
package struct QUICClose: Hashable, Sendable {
  /// Whether the client sent it.
  package var isFromClient: Bool

  /// The error code.
  package var code: UInt64

  /// Whether the code is one of the application's.
  package var isApplication: Bool

  /// The packet that carries it.
  package var frame: UInt64

  /// The TLS alert that the code stands for (RFC 9001 §4.8); nil for other codes.
  package var alert: AlertDescription? {
    guard !isApplication, code >> 8 == 1 else { return nil }
    return AlertDescription(rawValue: UInt8(truncatingIfNeeded: code))
  }
}
