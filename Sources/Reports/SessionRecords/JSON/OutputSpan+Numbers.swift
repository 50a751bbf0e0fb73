import ByteParsing

extension OutputSpan<UInt8> {
  /// Appends the `digits` most significant of the 16 hexadecimal digits of a word.
  mutating func appendHexadecimal(_ word: UInt64, digits: Int) {
    var rest = word
    for _ in 0..<digits {
      append(hexadecimalDigit(UInt8(truncatingIfNeeded: rest >> 60)))
      rest <<= 4
    }
  }

  /// Appends a number in decimal, at most 20 digits.
  mutating func appendDecimal(_ value: UInt64) {
    var power: UInt64 = 1
    while value / power >= 10 { power *= 10 }
    var rest = value
    while power > 0 {
      append(0x30 + UInt8(truncatingIfNeeded: rest / power))
      rest %= power
      power /= 10
    }
  }
}
