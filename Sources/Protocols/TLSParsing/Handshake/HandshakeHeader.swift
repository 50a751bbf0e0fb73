public import ByteParsing

/// The four bytes in front of every handshake message (RFC 8446 §4).
public struct HandshakeHeader: Hashable, Sendable {
  /// Bytes of a header.
  public static let byteCount = 4

  /// What the message is.
  public var type: HandshakeType

  /// Bytes of the message behind the header: 0 to 2²⁴ − 1, not checked against anything.
  public var length: Int

  /// Reads the header at the start of `bytes`, which may go on.
  public init(parsing bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    type = HandshakeType(rawValue: try reader.readUInt8("msg_type"))
    length = Int(try reader.readUInt24("length"))
  }
}
