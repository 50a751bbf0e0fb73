import ByteParsing
import Values

// The line of a session is written by hand: it costs a tenth of what a Codable encoder takes. All else goes through JSONObject.
//
// A key or element is preceded by a comma unless it is the first after `{`, `[` or `:`.
extension ContiguousArray where Element == UInt8 {
  /// Appends text as it stands, without quotes or escapes.
  package mutating func appendRaw(_ text: String) {
    append(contentsOf: text.utf8)
  }

  /// Appends a comma unless the next value is the first of its object or array.
  mutating func appendJSONComma() {
    switch last {
    case nil, 0x7B, 0x5B, 0x3A, 0x2C, 0x0A: break
    default: append(0x2C)
    }
  }

  /// Appends a key of the program's own, which needs no escapes.
  mutating func appendJSONKey(_ key: String) {
    appendJSONComma()
    append(0x22)
    append(contentsOf: key.utf8)
    append(0x22)
    append(0x3A)
  }

  /// Appends text of the program's own as a JSON string: quotes, backslashes and controls are escaped for JSON alone.
  mutating func appendJSONString(_ text: String) {
    append(0x22)
    if !appendPlain(text, without: 0x22) {
      for byte in text.utf8 {
        switch byte {
        case 0x22: appendRaw("\\\"")
        case 0x5C: appendRaw("\\\\")
        case 0..<0x20:
          appendRaw("\\u00")
          append(hexadecimalDigit(byte >> 4))
          append(hexadecimalDigit(byte))
        default: append(byte)
        }
      }
    }
    append(0x22)
  }

  /// Appends text that comes from an input as a JSON string: made safe to show, then escaped for JSON.
  mutating func appendJSONText(_ text: String) {
    append(0x22)
    if !appendPlain(text, without: 0x22) {
      var shown = Bytes()
      DisplayText.append(text, to: &shown)
      for byte in shown {
        if byte == 0x22 || byte == 0x5C { append(0x5C) }
        append(byte)
      }
    }
    append(0x22)
  }

  /// Appends text from an input, or `null`.
  mutating func appendJSONText(_ text: String?) {
    if let text { appendJSONText(text) } else { appendRaw("null") }
  }

  /// Appends the program's own text, or `null`.
  mutating func appendJSONString(_ text: String?) {
    if let text { appendJSONString(text) } else { appendRaw("null") }
  }

  /// Appends `true` or `false`.
  mutating func appendJSON(_ value: Bool) {
    appendRaw(value ? "true" : "false")
  }

  /// Appends `true`, `false` or `null`.
  mutating func appendJSON(_ value: Bool?) {
    if let value { appendJSON(value) } else { appendRaw("null") }
  }

  mutating func appendJSON(_ value: UInt64) {
    if value < 10 {
      append(0x30 + UInt8(truncatingIfNeeded: value))
      return
    }
    append(addingCapacity: 20) { text in text.appendDecimal(value) }
  }

  /// Appends a number in decimal.
  mutating func appendJSON(_ value: Int) {
    if value < 0 { append(0x2D) }
    appendJSON(UInt64(value.magnitude))
  }

  /// Appends a number, or `null`.
  mutating func appendJSON(_ value: Int?) {
    if let value { appendJSON(value) } else { appendRaw("null") }
  }

  /// Appends a number, or `null`.
  mutating func appendJSON(_ value: UInt64?) {
    if let value { appendJSON(value) } else { appendRaw("null") }
  }

  /// Appends bytes as lower-case hexadecimal digits in quotes.
  mutating func appendJSONHexadecimal(_ bytes: ShortBytes) {
    append(addingCapacity: bytes.count * 2 + 2) { text in
      text.append(0x22)
      var left = bytes.count * 2
      var index = 0
      while left > 0 {
        text.appendHexadecimal(bytes.word(index), digits: left < 16 ? left : 16)
        left -= 16
        index += 1
      }
      text.append(0x22)
    }
  }

  /// Appends a code point as `"0x0303"`.
  mutating func appendJSONCodePoint(_ value: UInt16) {
    append(addingCapacity: 8) { text in
      text.append(0x22)
      text.append(0x30)
      text.append(0x78)
      text.append(hexadecimalDigit(UInt8(truncatingIfNeeded: value >> 12)))
      text.append(hexadecimalDigit(UInt8(truncatingIfNeeded: value >> 8)))
      text.append(hexadecimalDigit(UInt8(truncatingIfNeeded: value >> 4)))
      text.append(hexadecimalDigit(UInt8(truncatingIfNeeded: value)))
      text.append(0x22)
    }
  }

  /// Appends a code point, or `null`.
  mutating func appendJSONCodePoint(_ value: UInt16?) {
    if let value { appendJSONCodePoint(value) } else { appendRaw("null") }
  }

  mutating func appendJSONCodePoints<CodePoint: RawRepresentable<UInt16>>(_ values: [CodePoint]) {
    append(0x5B)
    for (index, value) in values.enumerated() {
      if index > 0 { append(0x2C) }
      appendJSONCodePoint(value.rawValue)
    }
    append(0x5D)
  }

  mutating func appendJSONNumbers(_ values: some Sequence<UInt64>) {
    append(0x5B)
    var isFirst = true
    for value in values {
      if isFirst { isFirst = false } else { append(0x2C) }
      appendJSON(value)
    }
    append(0x5D)
  }

  mutating func appendJSONTexts(_ values: [String]) {
    append(0x5B)
    for (index, value) in values.enumerated() {
      if index > 0 { append(0x2C) }
      appendJSONText(value)
    }
    append(0x5D)
  }

  /// Appends a time in ISO 8601 with `Z`, or `null`.
  mutating func appendJSON(_ time: Timestamp?) {
    guard let time else {
      appendRaw("null")
      return
    }
    append(0x22)
    appendISO8601(time)
    append(0x22)
  }
}
