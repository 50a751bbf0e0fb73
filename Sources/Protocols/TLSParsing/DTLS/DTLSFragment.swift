package import ByteParsing

/// A part of a handshake message in a record of DTLS (RFC 6347 §4.2.2, RFC 9147 §5.2).
package struct DTLSFragment: Hashable, Sendable {
  /// Bytes of the header before each fragment.
  package static let headerByteCount = 12

  /// What the message is.
  package var type: HandshakeType

  /// Bytes of the whole message, without headers: 0 to 2²⁴ − 1, not checked against anything.
  package var messageLength: Int

  /// `message_seq`: which message of its sender it is, the first being 0.
  package var messageSequence: UInt16

  /// Which bytes of the message these are.
  package var range: Range<Int>

  /// Where in the record's fragment, or what was parsed, the bytes lie.
  package var body: Range<Int>

  /// Parses the fragments in the payload of one record in the clear, up to the first that breaks a rule.
  package static func fragments(of record: Span<UInt8>) -> [DTLSFragment] {
    var fragments: [DTLSFragment] = []
    var reader = ByteReader(record)
    // A fragment has a header at least, so that their number is bounded by the record's length.
    while reader.remaining > 0 {
      guard let fragment = try? DTLSFragment(from: &reader) else { break }
      fragments.append(fragment)
    }
    return fragments
  }

  /// Reads a fragment and leaves the reader after it.
  package init(from reader: inout ByteReader) throws(ParseError) {
    let start = reader.offset
    type = HandshakeType(rawValue: try reader.readUInt8("msg_type"))
    messageLength = Int(try reader.readUInt24("length"))
    messageSequence = try reader.readUInt16("message_seq")
    let offset = Int(try reader.readUInt24("fragment_offset"))
    let length = Int(try reader.readUInt24("fragment_length"))
    guard offset + length <= messageLength else {
      throw ParseError(
        .lengthOutOfBounds(offset + length, allowed: 0...messageLength), in: "fragment_length", at: start)
    }
    range = offset..<(offset + length)
    let bytes = try reader.readBody(byteCount: length, "body")
    body = bytes.offset..<(bytes.offset + bytes.remaining)
  }
}
