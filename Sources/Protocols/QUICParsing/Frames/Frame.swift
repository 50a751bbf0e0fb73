package import ByteParsing

/// A frame in an Initial or Handshake packet (RFC 9000 §12.4, table 3).
package enum Frame: Hashable, Sendable {
  /// Consecutive PADDING frames.
  case padding(count: Int)
  case ping
  /// ACK, with the largest packet number acknowledged.
  case acknowledgment(largest: UInt64)
  /// CRYPTO: handshake data at `offset`; `data` is its range in the payload.
  case crypto(offset: UInt64, data: Range<Int>)
  /// CONNECTION_CLOSE: the error code, whether it is an application error code, and the range of the reason in the payload.
  case connectionClose(code: UInt64, isApplication: Bool, reason: Range<Int>)
}

/// Reads the frames of a decrypted Initial or Handshake packet.
package struct FrameReader: ~Escapable {
  private var reader: ByteReader

  /// The maximum number of ranges in an ACK.
  static let maximumRangeCount: UInt64 = 4096

  /// Creates a reader of a packet's payload.
  @_lifetime(copy payload)
  package init(_ payload: Span<UInt8>) { reader = ByteReader(payload) }

  /// The next frame; nil at the end. Throws at a frame that is truncated or not allowed.
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

  /// Skips zeros: an Initial packet is mostly padding.
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
