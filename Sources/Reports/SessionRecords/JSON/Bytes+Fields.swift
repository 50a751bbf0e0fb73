import ByteParsing
import Values

// Frequent values of a line, written without allocating a String.
extension ContiguousArray where Element == UInt8 {
  /// Appends a time in the format of `time.description`.
  mutating func appendISO8601(_ time: Timestamp) {
    let components = time.components
    append(addingCapacity: 30) { text in
      text.appendDecimal(components.year, width: 4)
      text.append(0x2D)
      text.appendDecimal(components.month, width: 2)
      text.append(0x2D)
      text.appendDecimal(components.day, width: 2)
      text.append(0x54)
      text.appendDecimal(components.hour, width: 2)
      text.append(0x3A)
      text.appendDecimal(components.minute, width: 2)
      text.append(0x3A)
      text.appendDecimal(components.second, width: 2)
      let nanoseconds = Int(time.nanoseconds)
      if nanoseconds != 0 {
        text.append(0x2E)
        let isMicro = nanoseconds % 1000 == 0
        text.appendDecimal(isMicro ? nanoseconds / 1000 : nanoseconds, width: isMicro ? 6 : 9)
      }
      text.append(0x5A)
    }
  }
}

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

  /// Appends the lowest `width` decimal digits of a number that is not negative.
  mutating func appendDecimal(_ value: Int, width: Int) {
    var power = 1
    for _ in 1..<width { power *= 10 }
    var rest = value
    while power > 0 {
      append(0x30 + UInt8(truncatingIfNeeded: rest / power % 10))
      rest %= power
      power /= 10
    }
  }
}
