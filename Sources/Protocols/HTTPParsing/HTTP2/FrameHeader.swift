package import ByteParsing

/// The header of an HTTP/2 frame (RFC 9113 §4.1).
package struct FrameHeader: Hashable, Sendable {
  /// The length of a frame header in bytes.
  package static let byteCount = 9

  /// Frame types (RFC 9113 §6).
  package enum Kind: UInt8, Sendable {
    case data = 0
    case headers = 1
    case priority = 2
    case resetStream = 3
    case settings = 4
    case pushPromise = 5
    case ping = 6
    case goAway = 7
    case windowUpdate = 8
    case continuation = 9
  }

  /// The length of the payload in bytes.
  package var length: Int

  /// The type; nil if RFC 9113 does not define it.
  package var kind: Kind?

  package var flags: UInt8

  /// The stream; 0 for the connection.
  package var stream: UInt32

  /// Whether a frame with part of a header block is its last one (END_HEADERS).
  package var endsHeaders: Bool { flags & 0x04 != 0 }

  /// Parses the nine bytes of a header.
  package init(parsing reader: inout ByteReader) throws(ParseError) {
    length = Int(try reader.readUInt24("Length"))
    kind = Kind(rawValue: try reader.readUInt8("Type"))
    flags = try reader.readUInt8("Flags")
    stream = try reader.readUInt32("Stream Identifier") & 0x7FFF_FFFF
  }

  /// The range of a frame's payload that belongs to a header block. In HEADERS and PUSH_PROMISE, other fields precede it, and padding may
  /// follow (RFC 9113 §6.2, §6.6).
  package func fragmentRange(of payload: Span<UInt8>) throws(ParseError) -> Range<Int> {
    var reader = ByteReader(payload)
    var padding = 0
    if kind == .headers || kind == .pushPromise {
      if flags & 0x08 != 0 { padding = Int(try reader.readUInt8("Pad Length")) }
      if kind == .headers, flags & 0x20 != 0 { try reader.skip(byteCount: 5, "Stream Dependency, Weight") }
      if kind == .pushPromise { try reader.skip(byteCount: 4, "Promised Stream ID") }
    }
    guard padding <= reader.remaining else {
      throw ParseError(.lengthOutOfBounds(padding, allowed: 0...reader.remaining), in: "Pad Length", at: 0)
    }
    return reader.offset..<(payload.count - padding)
  }
}
