import ByteParsing

extension DERElement {
  /// A BOOLEAN's value: in BER, anything but 0 is true.
  var booleanValue: Bool { bytes.indices.contains { bytes[$0] != 0 } }

  /// The range of the bytes of a BIT STRING; throws if the number of unused bits exceeds 7.
  ///
  /// Keys and signatures fill whole bytes. Any unused bits are ignored.
  func bitStringRange(_ field: StaticString) throws(ParseError) -> Range<Int> {
    guard bytes.count > 0 else { throw ParseError(.truncated(needed: 1, available: 0), in: field, at: contents.offset) }
    let unused = bytes[0]
    guard unused < 8, unused == 0 || bytes.count > 1 else {
      throw ParseError(.unexpectedValue(UInt64(unused)), in: field, at: contents.offset)
    }
    return (contents.offset + 1)..<(contents.offset + bytes.count)
  }

  /// Decodes an INTEGER that is a count; throws if it is negative, empty or beyond 2³¹ − 1.
  func smallNumber(_ field: StaticString) throws(ParseError) -> Int {
    guard let value = CertificateParsing.smallNumber(bytes) else {
      throw ParseError(.unexpectedValue(UInt64(bytes.count > 0 ? bytes[0] : 0)), in: field, at: contents.offset)
    }
    return value
  }
}

/// Decodes an INTEGER that is a count; nil if it is negative, empty or beyond 2³¹ − 1.
func smallNumber(_ contents: Span<UInt8>) -> Int? {
  guard contents.count > 0, contents[0] & 0x80 == 0 else { return nil }
  var value = 0
  for index in contents.indices {
    value = value << 8 | Int(contents[index])
    guard value <= Int(Int32.max) else { return nil }
  }
  return value
}
