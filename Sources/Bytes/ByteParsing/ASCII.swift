// Classes of characters, named after the rules of RFC 5234 §B.1 where it has one.

/// The byte with A to Z converted to lower case.
@inlinable
package func asciiLowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

extension Sequence<UInt8> {
  /// The bytes with A to Z converted to lower case.
  @inlinable
  package var asciiLowercase: Bytes { Bytes(map(asciiLowercased)) }
}

/// Whether a byte is a decimal digit.
@inlinable
package func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

/// Whether a byte is a hexadecimal digit, in either case.
@inlinable
package func isHexadecimalDigit(_ byte: UInt8) -> Bool { hexadecimalValue(byte) != nil }

/// Whether a byte is a lowercase letter or a decimal digit.
@inlinable
package func isLowercaseAlphanumeric(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || isDigit(byte) }

/// Whether a byte is a letter, in either case, or a decimal digit.
@inlinable
package func isAlphanumeric(_ byte: UInt8) -> Bool { isLowercaseAlphanumeric(asciiLowercased(byte)) }

/// Whether a byte is a space or a tab: `WSP`, and `OWS` of HTTP.
@inlinable
package func isWSP(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

/// Whether a byte is part of a line end.
@inlinable
package func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A }

/// Whether a byte is in `WSP` or part of a line end: `S` of XML and `ws` of JSON.
@inlinable
package func isWSPOrLineEnd(_ byte: UInt8) -> Bool { isWSP(byte) || isLineEnd(byte) }

extension ArraySlice<UInt8> {
  /// The slice without surrounding blanks and line ends.
  @inlinable
  package var trimmed: ArraySlice<UInt8> {
    let start = firstIndex { !isWSPOrLineEnd($0) } ?? endIndex
    let end = lastIndex { !isWSPOrLineEnd($0) }.map { $0 + 1 } ?? start
    return self[start..<end]
  }
}

/// The hexadecimal digit of the lowest four bits, in ASCII.
@inlinable
package func hexadecimalDigit(_ value: UInt8) -> UInt8 {
  let nibble = value & 0x0F
  return nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10
}

/// The value of a hexadecimal digit, in either case; nil for other bytes.
@inlinable
package func hexadecimalValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case 0x30...0x39: digit - 0x30
  case 0x41...0x46: digit - 0x41 + 10
  case 0x61...0x66: digit - 0x61 + 10
  default: nil
  }
}

/// The lower-case hexadecimal digits of the bytes, two for each.
@inlinable
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  var text = Bytes()
  text.reserveCapacity(2 * bytes.underestimatedCount)
  for byte in bytes {
    text.append(hexadecimalDigit(byte >> 4))
    text.append(hexadecimalDigit(byte & 0x0F))
  }
  return String(decoding: text, as: UTF8.self)
}

/// A code point as `0x` and all its digits, such as `0x0303`.
package func hexadecimalCode<Code: FixedWidthInteger & UnsignedInteger>(_ code: Code) -> String {
  let digits = String(code, radix: 16)
  return "0x" + String(repeating: "0", count: Code.bitWidth / 4 - digits.utf8.count) + digits
}

/// Decodes hexadecimal digits; nil if there are other characters, or an odd number of digits.
@inlinable
package func bytes(ofHexadecimal text: some Sequence<UInt8>) -> Bytes? {
  var bytes = Bytes()
  var high: UInt8?
  for digit in text {
    guard let value = hexadecimalValue(digit) else { return nil }
    if let first = high {
      bytes.append(first << 4 | value)
      high = nil
    } else {
      high = value
    }
  }
  return high == nil ? bytes : nil
}
