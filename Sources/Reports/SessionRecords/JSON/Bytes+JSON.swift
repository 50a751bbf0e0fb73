import ByteParsing
import Values

// The values that JSONObject writes.
extension ContiguousArray where Element == UInt8 {
  /// Appends text unchanged, without quotes or escapes.
  package mutating func appendRaw(_ text: String) {
    append(contentsOf: text.utf8)
  }

  /// Appends the program's own text as a JSON string: only quotes, backslashes and controls are escaped.
  mutating func appendJSONString(_ text: String) {
    append(0x22)
    if !appendUnescaped(text, without: 0x22) {
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

  /// Appends text from an input as a JSON string: escaped for display, then for JSON.
  mutating func appendJSONText(_ text: String) {
    append(0x22)
    if !appendUnescaped(text, without: 0x22) {
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

  /// Appends `true`, `false` or `null`.
  mutating func appendJSON(_ value: Bool?) {
    appendRaw(value.map { $0 ? "true" : "false" } ?? "null")
  }

  mutating func appendJSON(_ value: UInt64) {
    if value < 10 {
      append(0x30 + UInt8(truncatingIfNeeded: value))
      return
    }
    append(addingCapacity: 20) { text in text.appendDecimal(value) }
  }

  /// Appends a number in decimal.
  mutating func appendJSON(_ value: some BinaryInteger) {
    if value < 0 { append(0x2D) }
    appendJSON(UInt64(value.magnitude))
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

  /// Appends the `digits` lowest hexadecimal digits of a number in the format `"0x0303"`.
  mutating func appendJSONCode(_ value: UInt64, digits: Int) {
    append(addingCapacity: digits + 4) { text in
      text.append(0x22)
      text.append(0x30)
      text.append(0x78)
      text.appendHexadecimal(value << UInt64(64 - 4 * digits), digits: digits)
      text.append(0x22)
    }
  }

  /// Appends a time in ISO 8601 with `Z`, or `null`.
  mutating func appendJSON(_ time: Timestamp?) {
    guard let time else {
      appendRaw("null")
      return
    }
    append(0x22)
    time.append(to: &self)
    append(0x22)
  }
}
