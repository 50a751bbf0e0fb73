import ByteParsing
public import Values

// What a line holds many of, written without making a String of it.
extension ContiguousArray where Element == UInt8 {
  /// Appends what `time.description` says.
  public mutating func appendISO8601(_ time: Timestamp) {
    let moment = time.components
    appendPadded(moment.year, 4)
    append(0x2D)
    appendPadded(moment.month, 2)
    append(0x2D)
    appendPadded(moment.day, 2)
    append(0x54)
    appendPadded(moment.hour, 2)
    append(0x3A)
    appendPadded(moment.minute, 2)
    append(0x3A)
    appendPadded(moment.second, 2)
    let nanoseconds = Int(time.nanoseconds)
    if nanoseconds != 0 {
      append(0x2E)
      if nanoseconds % 1000 == 0 { appendPadded(nanoseconds / 1000, 6) } else { appendPadded(nanoseconds, 9) }
    }
    append(0x5A)
  }

  /// Appends the lowest `width` decimal digits of a number that is not negative.
  private mutating func appendPadded(_ number: Int, _ width: Int) {
    let start = count
    append(contentsOf: repeatElement(0x30, count: width))
    var rest = number
    var index = start + width - 1
    while index >= start, rest > 0 {
      self[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      index -= 1
    }
  }

  /// Appends what `address.description` says.
  public mutating func appendAddress(_ address: IPAddress) {
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
    appendJSON(bits >> 24 & 0xFF)
    append(0x2E)
    appendJSON(bits >> 16 & 0xFF)
    append(0x2E)
    appendJSON(bits >> 8 & 0xFF)
    append(0x2E)
    appendJSON(bits & 0xFF)
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
  public mutating func appendJSON(_ endpoint: Endpoint) {
    appendRaw("{\"address\":\"")
    appendAddress(endpoint.address)
    appendRaw("\",\"port\":")
    appendJSON(UInt64(endpoint.port))
    append(0x7D)
  }
}
