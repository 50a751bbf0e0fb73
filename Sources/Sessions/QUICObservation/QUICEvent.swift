package import ByteParsing
package import TLSParsing

/// An event of a QUIC connection.
package enum QUICEvent: Sendable {
  /// A handshake message.
  case message(QUICMessage)
  /// The client restarted after a Retry or Version Negotiation packet; earlier messages do not count.
  case restart
  /// One side closed the connection.
  case close(QUICClose)
  /// Both sides have completed the handshake.
  case established(frame: UInt64)
}

package struct QUICMessage: Sendable {
  package var isFromClient: Bool

  package var type: HandshakeType

  /// The message without its header.
  package var body: Bytes

  /// Whether the message is complete.
  package var isWhole: Bool

  /// The packets that carry it, in ascending order.
  package var frames: [UInt64]
}

/// A CONNECTION_CLOSE frame (RFC 9000 §19.19).
package struct QUICClose: Hashable, Sendable {
  package var isFromClient: Bool

  package var code: UInt64

  /// Whether the code is an application's, or replaces one.
  package var isApplication: Bool

  package var frame: UInt64

  /// The TLS alert that the code represents (RFC 9001 §4.8); nil for other codes.
  package var alert: AlertDescription? {
    guard !isApplication, code >> 8 == 1 else { return nil }
    return AlertDescription(rawValue: UInt8(truncatingIfNeeded: code))
  }
}
