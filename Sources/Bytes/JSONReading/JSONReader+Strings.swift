extension JSONReader {
  /// Reads a string with its quotes; returns the range of its content, and whether that is ASCII without escapes.
  mutating func scanString() throws(JSONError) -> (Range<Int>, isUnescaped: Bool) {
    guard try peek() == 0x22 else { throw error(.wrongType) }
    let start = position + 1
    var index = start
    var isUnescaped = true
    while index < bytes.count {
      let byte = bytes[index]
      if byte == 0x22 {
        position = index + 1
        return (start..<index, isUnescaped)
      }
      if byte == 0x5C {
        isUnescaped = false
        index += 1
      } else if byte < 0x20 {
        position = index
        throw error(.unexpectedByte(byte))
      } else if byte >= 0x80 {
        isUnescaped = false
      }
      index += 1
    }
    position = bytes.count
    throw error(.truncated)
  }

  /// Unescapes a string's content into `scratch`.
  mutating func unescape(_ range: Range<Int>) throws(JSONError) {
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      index += 1
      guard byte == 0x5C else {
        scratch.append(byte)
        continue
      }
      // The scan read a byte after each backslash, so there is one.
      let escape = bytes[index]
      index += 1
      switch escape {
      case 0x22, 0x5C, 0x2F: scratch.append(escape)
      case 0x62: scratch.append(0x08)
      case 0x66: scratch.append(0x0C)
      case 0x6E: scratch.append(0x0A)
      case 0x72: scratch.append(0x0D)
      case 0x74: scratch.append(0x09)
      case 0x75:
        let scalar = try readUnicodeEscape(&index, end: range.upperBound)
        scratch.append(contentsOf: Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter)
      default: throw error(.invalidText)
      }
    }
  }

  /// Reads the four digits after `\u`, or a surrogate pair.
  func readUnicodeEscape(_ index: inout Int, end: Int) throws(JSONError) -> Unicode.Scalar {
    let first = try readFourDigits(&index, end: end)
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, index + 2 <= end, bytes[index] == 0x5C, bytes[index + 1] == 0x75 else { throw error(.invalidText) }
    index += 2
    let second = try readFourDigits(&index, end: end)
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw error(.invalidText) }
    return scalar
  }

  func readFourDigits(_ index: inout Int, end: Int) throws(JSONError) -> UInt32 {
    guard index + 4 <= end else { throw error(.invalidText) }
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = JSONReader.digit(bytes[index] | 0x20) else { throw error(.invalidText) }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }

  /// The value of a digit; letters must be in lower case.
  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
