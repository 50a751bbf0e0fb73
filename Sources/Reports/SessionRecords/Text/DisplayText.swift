package import ByteParsing
import Values

/// Text from inputs, escaped for display in JSON, on a terminal or in a report.
///
/// Control, bidirectional and invisible formatting characters become `\xNN` (below U+0080) or `\u{…}`, and a backslash is
/// doubled; other characters do not change. ``unescaped(_:)`` is the exact reverse.
///
/// Bytes that are not UTF-8 arrive as the characters that `InputText` reserves for them, and are written `\xNN`.
package enum DisplayText {
  /// Returns the text with escapes for characters that could disturb its display.
  package static func escaped(_ text: String) -> String {
    var bytes = Bytes()
    if bytes.appendUnescaped(text) { return text }
    for scalar in text.unicodeScalars { appendEscaped(scalar, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the name of a file for display: escaped, and in quotes if it is empty or blank.
  package static func name(_ name: String) -> String {
    name.utf8.allSatisfy { $0 == 0x20 } ? "'\(name)'" : escaped(name)
  }

  /// Appends the escaped text as UTF-8.
  package static func append(_ text: String, to output: inout Bytes) {
    if output.appendUnescaped(text) { return }
    for scalar in text.unicodeScalars { appendEscaped(scalar, to: &output) }
  }

  /// Returns the original of escaped text; nil if `text` contains a backslash that does not begin one of these escapes.
  package static func unescaped(_ text: String) -> String? {
    guard text.utf8.contains(0x5C) else { return text }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\" else {
        result.append(scalar)
        continue
      }
      guard let unescaped = readEscape(&rest) else { return nil }
      result.append(unescaped)
    }
    return String(result)
  }

  /// Appends one character, escaped if necessary.
  static func appendEscaped(_ scalar: Unicode.Scalar, to output: inout Bytes) {
    let value = scalar.value
    if scalar == "\\" {
      output.append(contentsOf: "\\\\".utf8)
    } else if value < 0x20 || value == 0x7F || (0x10FF80...0x10FFFF).contains(value) {
      let byte = UInt8(truncatingIfNeeded: value)
      output.append(contentsOf: "\\x".utf8)
      output.append(hexadecimalDigit(byte >> 4))
      output.append(hexadecimalDigit(byte))
    } else if InputText.isHidden(value) {
      output.append(contentsOf: "\\u{".utf8)
      output.append(contentsOf: String(value, radix: 16).utf8)
      output.append(0x7D)
    } else {
      output.append(contentsOf: Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter)
    }
  }

  private static func readEscape(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
    switch rest.popFirst() {
    case "\\": return "\\"
    case "x":
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      let byte = UInt8(truncatingIfNeeded: high << 4 | low)
      if byte >= 0x80 { return InputText.carrier(of: byte) }
      return byte < 0x20 || byte == 0x7F ? Unicode.Scalar(byte) : nil
    case "u":
      guard rest.popFirst() == "{" else { return nil }
      var value: UInt32 = 0
      var count = 0
      while let scalar = rest.popFirst() {
        if scalar == "}" { return count > 0 && InputText.isHidden(value) ? Unicode.Scalar(value) : nil }
        // The escapes have no leading zeros.
        guard count < 6, count == 0 || value > 0, let digit = digit(scalar) else { return nil }
        value = value << 4 | digit
        count += 1
      }
      return nil
    default: return nil
    }
  }

  private static func digit(_ scalar: Unicode.Scalar) -> UInt32? {
    switch scalar {
    case "0"..."9": scalar.value - 0x30
    case "a"..."f": scalar.value - 0x61 + 10
    default: nil
    }
  }
}

extension Bytes {
  /// Appends text that is ASCII and contains nothing to escape, neither a backslash nor `further`, as nearly all text is.
  /// Returns false, with nothing appended, for other text.
  ///
  /// The check follows the append: the bytes of an array are read several times as fast as those of a String.
  mutating func appendUnescaped(_ text: String, without further: UInt8 = 0x5C) -> Bool {
    let start = count
    append(contentsOf: text.utf8)
    for index in start..<count {
      let byte = self[index]
      if byte < 0x20 || byte >= 0x7F || byte == 0x5C || byte == further {
        removeLast(count - start)
        return false
      }
    }
    return true
  }
}
