package import ByteParsing

/// The four bytes before every handshake message (RFC 8446 §4).
package struct HandshakeHeader: Hashable, Sendable {
  /// Bytes of a header.
  package static let byteCount = 4

  /// The longest message that is read.
  package static let maximumLength = 256 * 1024

  /// What the message is.
  package var type: HandshakeType

  /// Bytes of the message after the header: 0 to 2²⁴ − 1, not checked against anything.
  package var length: Int

  /// Reads the header at the start of `bytes`, which may continue.
  package init(parsing bytes: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(bytes)
    type = HandshakeType(rawValue: try reader.readUInt8("msg_type"))
    length = Int(try reader.readUInt24("length"))
  }

  /// The type of the message that begins at `start`, and the range of its body; nil where its end is not there.
  package static func message(
    in bytes: Span<UInt8>, from start: Int
  ) -> (type: HandshakeType, body: Range<Int>)? {
    guard let header = try? HandshakeHeader(parsing: bytes.extracting(start..<bytes.count)),
      header.length <= bytes.count - start - byteCount
    else { return nil }
    return (header.type, (start + byteCount)..<(start + byteCount + header.length))
  }
}
