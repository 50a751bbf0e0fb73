import ByteParsing

extension ByteReader {
  /// Reads code points to the end; throws if a single byte is left.
  mutating func readCodePoints<Value: CodePoint16>(_ field: StaticString) throws(ParseError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(remaining / 2)
    while remaining > 0 {
      values.append(Value(rawValue: try readUInt16(field)))
    }
    return values
  }

  /// Reads a vector of code points with its length, after which nothing may follow.
  mutating func readOnlyCodePoints<Value: CodePoint16>(_ field: StaticString, _ bounds: ClosedRange<Int>) throws(ParseError) -> [Value] {
    var list = try readVector(field, bounds)
    let values: [Value] = try list.readCodePoints(field)
    try requireEnd(of: field)
    return values
  }

  /// Reads a vector like `readVector`. If it extends beyond the end, returns the available bytes and sets `isTruncated`.
  @_lifetime(copy self)
  mutating func readVector(_ field: StaticString, _ bounds: ClosedRange<Int>, isTruncated: inout Bool) throws(ParseError) -> ByteReader {
    let prefixBits = Int.bitWidth - bounds.upperBound.leadingZeroBitCount
    var ahead = self
    let length = Int(try ahead.readInteger(byteCount: (prefixBits + 7) / 8, field))
    if bounds.contains(length), length > ahead.remaining {
      isTruncated = true
      self = ahead
      return try readBody(byteCount: remaining, field)
    }
    return try readVector(field, bounds)
  }
}
