import ByteParsing
import Values

// What a line holds many of, written without making a String of it.
extension ContiguousArray where Element == UInt8 {
  /// Appends what `time.description` says.
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

  /// Appends what `address.description` says.
  mutating func appendAddress(_ address: IPAddress) {
    if !address.isIPv6 {
      appendDotted(address.low)
    } else if address.high == 0, address.low >> 32 == 0xFFFF {
      appendRaw("::ffff:")
      appendDotted(address.low)
    } else {
      appendGroups(address)
    }
  }

  private mutating func appendDotted(_ bits: UInt64) {
    append(addingCapacity: 15) { text in
      text.appendDecimal(bits >> 24 & 0xFF)
      text.append(0x2E)
      text.appendDecimal(bits >> 16 & 0xFF)
      text.append(0x2E)
      text.appendDecimal(bits >> 8 & 0xFF)
      text.append(0x2E)
      text.appendDecimal(bits & 0xFF)
    }
  }

  /// The eight groups of RFC 5952: the longest run of zeros (two at least, the first of equals) as `::`.
  private mutating func appendGroups(_ address: IPAddress) {
    func group(_ index: Int) -> UInt64 {
      (index < 4 ? address.high : address.low) >> UInt64(48 - 16 * (index & 3)) & 0xFFFF
    }
    var gap = 0..<0
    var index = 0
    while index < 8 {
      let start = index
      while index < 8, group(index) == 0 { index += 1 }
      if index - start >= 2, index - start > gap.count { gap = start..<index }
      if index == start { index += 1 }
    }
    index = 0
    while index < 8 {
      if !gap.isEmpty, index == gap.lowerBound {
        appendRaw("::")
        index = gap.upperBound
        continue
      }
      if index > 0, gap.isEmpty || index != gap.upperBound { append(0x3A) }
      appendGroup(group(index))
      index += 1
    }
  }

  /// Appends a group in hexadecimal without leading zeros.
  private mutating func appendGroup(_ value: UInt64) {
    var shift: UInt64 = 12
    while shift > 0, value >> shift == 0 { shift -= 4 }
    while true {
      append(hexadecimalDigit(UInt8(truncatingIfNeeded: value >> shift & 0xF)))
      if shift == 0 { break }
      shift -= 4
    }
  }

  /// Appends `{"address":"192.0.2.1","port":443}`.
  mutating func appendJSON(_ endpoint: Endpoint) {
    appendRaw("{\"address\":\"")
    appendAddress(endpoint.address)
    appendRaw("\",\"port\":")
    appendJSON(UInt64(endpoint.port))
    append(0x7D)
  }
}

extension OutputSpan<UInt8> {
  /// Appends the first of the 16 hexadecimal digits of a word.
  mutating func appendHexadecimal(_ word: UInt64, digits: Int) {
    var rest = word
    for _ in 0..<digits {
      append(hexadecimalDigit(UInt8(truncatingIfNeeded: rest >> 60)))
      rest <<= 4
    }
  }

  /// Appends a number in decimal: up to 20 digits.
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

  /// Appends the lowest `width` digits of a number that is not negative.
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
