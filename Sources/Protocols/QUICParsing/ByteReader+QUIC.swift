package import ByteParsing

extension ByteReader {
  /// Reads a variable-length integer, 0 to 2⁶² − 1 (RFC 9000 §16).
  package mutating func readVariableLengthInteger(_ field: StaticString) throws(ParseError) -> UInt64 {
    guard remaining > 0 else { throw ParseError(.truncated(needed: 1, available: 0), in: field, at: offset) }
    let byteCount = 1 << Int(rest[0] >> 6)
    let value = try readInteger(byteCount: byteCount, field)
    return value & (UInt64.max >> UInt64(66 - 8 * byteCount))
  }

  /// Reads a variable-length integer that is the length of following bytes, which must be present.
  mutating func readLength(_ field: StaticString) throws(ParseError) -> Int {
    let start = offset
    let value = try readVariableLengthInteger(field)
    guard let length = Int(exactly: value), length <= remaining else {
      throw ParseError(.truncated(needed: Int(clamping: value), available: remaining), in: field, at: start)
    }
    return length
  }
}
