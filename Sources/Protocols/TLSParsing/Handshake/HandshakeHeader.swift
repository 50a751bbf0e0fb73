package import ByteParsing

/// The four-byte header of a handshake message (RFC 8446 §4).
package struct HandshakeHeader: Hashable, Sendable {
  /// The length of a header in bytes.
  package static let byteCount = 4

  /// The maximum length of a message that is read.
  package static let maximumLength = 256 * 1024

  /// The type of the message.
  package var type: HandshakeType

  /// The length of the message after the header: 0 to 2²⁴ − 1, not validated.
  package var length: Int

  /// Parses the header at the start of `bytes`, which may continue.
  package init(parsing bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    type = HandshakeType(rawValue: try reader.readUInt8("msg_type"))
    length = Int(try reader.readUInt24("length"))
  }

  /// The type of the message that begins at `start`, and the range of its body; nil if its end is missing.
  package static func message(in bytes: Span<UInt8>, from start: Int) -> (type: HandshakeType, body: Range<Int>)? {
    guard let header = try? HandshakeHeader(parsing: bytes.extracting(start..<bytes.count)),
      header.length <= bytes.count - start - byteCount
    else { return nil }
    return (header.type, (start + byteCount)..<(start + byteCount + header.length))
  }

  /// The message with this body, including its header.
  package static func message(_ type: HandshakeType, _ body: Bytes) -> Bytes {
    var message = Bytes()
    message.append(big: UInt32(type.rawValue) << 24 | UInt32(truncatingIfNeeded: body.count))
    return message + body
  }
}
