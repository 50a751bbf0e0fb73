package import ByteParsing

/// A part of a handshake message in a DTLS record (RFC 6347 §4.2.2, RFC 9147 §5.2).
package struct DTLSFragment: Hashable, Sendable {
  /// The type of the message.
  package var type: HandshakeType

  /// The length of the whole message without headers: 0 to 2²⁴ − 1, not validated.
  package var messageLength: Int

  /// `message_seq`: the number of the message, the sender's first being 0.
  package var messageSequence: UInt16

  /// The range of the fragment in the message.
  package var range: Range<Int>

  /// The range of the bytes in the record's fragment, or in the bytes that were parsed.
  package var body: Range<Int>

  /// Parses the fragments in the payload of a cleartext record, up to the first malformed one.
  package static func fragments(of record: Span<UInt8>) -> [DTLSFragment] {
    var fragments: [DTLSFragment] = []
    var reader = ByteReader(record)
    // Each fragment has at least a header, so their number is bounded by the record's length.
    while reader.remaining > 0 {
      guard let fragment = try? DTLSFragment(from: &reader) else { break }
      fragments.append(fragment)
    }
    return fragments
  }

  /// Reads a fragment and advances the reader past it.
  package init(from reader: inout ByteReader) throws(ParseError) {
    let start = reader.offset
    type = HandshakeType(rawValue: try reader.readUInt8("msg_type"))
    messageLength = Int(try reader.readUInt24("length"))
    messageSequence = try reader.readUInt16("message_seq")
    let offset = Int(try reader.readUInt24("fragment_offset"))
    let length = Int(try reader.readUInt24("fragment_length"))
    guard offset + length <= messageLength else {
      throw ParseError(.lengthOutOfBounds(offset + length, allowed: 0...messageLength), in: "fragment_length", at: start)
    }
    range = offset..<(offset + length)
    let bytes = try reader.readBody(byteCount: length, "body")
    body = bytes.remainingRange
  }
}
