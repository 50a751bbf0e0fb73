package import ByteParsing

/// A frame that Initial and Handshake packets may hold (RFC 9000 §12.4, table 3).
package enum Frame: Hashable, Sendable {
  /// So many PADDING frames in a row.
  case padding(count: Int)
  /// PING.
  case ping
  /// ACK: the largest packet number that it acknowledges.
  case acknowledgment(largest: UInt64)
  /// CRYPTO: bytes of the handshake from `offset`; `data` is where they lie in the payload.
  case crypto(offset: UInt64, data: Range<Int>)
  /// CONNECTION_CLOSE: the error code, whether the application gave it, and where the reason lies in the payload.
  case connectionClose(code: UInt64, isApplication: Bool, reason: Range<Int>)
}

/// Reads the frames of an opened Initial or Handshake packet one after another.
package struct FrameReader: ~Escapable {
  private var reader: ByteReader

  /// More ranges in an ACK than are stepped through.
  static let maximumRangeCount: UInt64 = 4096

  /// Reads the payload of a packet.
  @_lifetime(copy payload)
  package init(_ payload: Span<UInt8>) { reader = ByteReader(payload) }

  /// The next frame; nil at the end. Throws at a frame that is truncated or may not be here.
  @_lifetime(self: copy self)
  package mutating func next() throws(ParseError) -> Frame? {
    guard reader.remaining > 0 else { return nil }
    let start = reader.offset
    let type = try reader.readVariableLengthInteger("Frame Type")
    switch type {
    case 0x00: return .padding(count: 1 + skipPadding())
    case 0x01: return .ping
    case 0x02, 0x03: return try readAcknowledgment(hasECN: type == 0x03)
    case 0x06: return try readCrypto()
    case 0x1C, 0x1D: return try readClose(isApplication: type == 0x1D)
    default: throw ParseError(.unexpectedValue(type), in: "Frame Type", at: start)
    }
  }

  /// Steps over zeros: an Initial packet is mostly padding.
  @_lifetime(self: copy self)
  private mutating func skipPadding() -> Int {
    let rest = reader.rest
    var count = 0
    while count < rest.count, rest[count] == 0 { count += 1 }
    try? reader.skip(byteCount: count, "PADDING")
    return count
  }

  @_lifetime(self: copy self)
  private mutating func readAcknowledgment(hasECN: Bool) throws(ParseError) -> Frame {
    let largest = try reader.readVariableLengthInteger("Largest Acknowledged")
    _ = try reader.readVariableLengthInteger("ACK Delay")
    let start = reader.offset
    let count = try reader.readVariableLengthInteger("ACK Range Count")
    guard count <= FrameReader.maximumRangeCount else {
      throw ParseError(.limitReached(Int(FrameReader.maximumRangeCount)), in: "ACK Range Count", at: start)
    }
    _ = try reader.readVariableLengthInteger("First ACK Range")
    var left = count
    while left > 0 {
      _ = try reader.readVariableLengthInteger("Gap")
      _ = try reader.readVariableLengthInteger("ACK Range Length")
      left -= 1
    }
    if hasECN {
      _ = try reader.readVariableLengthInteger("ECT0 Count")
      _ = try reader.readVariableLengthInteger("ECT1 Count")
      _ = try reader.readVariableLengthInteger("ECN-CE Count")
    }
    return .acknowledgment(largest: largest)
  }

  @_lifetime(self: copy self)
  private mutating func readCrypto() throws(ParseError) -> Frame {
    let offset = try reader.readVariableLengthInteger("Offset")
    let length = try reader.readLength("Length")
    let start = reader.offset
    try reader.skip(byteCount: length, "Crypto Data")
    return .crypto(offset: offset, data: start..<(start + length))
  }

  @_lifetime(self: copy self)
  private mutating func readClose(isApplication: Bool) throws(ParseError) -> Frame {
    let code = try reader.readVariableLengthInteger("Error Code")
    if !isApplication { _ = try reader.readVariableLengthInteger("Frame Type") }
    let length = try reader.readLength("Reason Phrase Length")
    let start = reader.offset
    try reader.skip(byteCount: length, "Reason Phrase")
    return .connectionClose(code: code, isApplication: isApplication, reason: start..<(start + length))
  }
}
