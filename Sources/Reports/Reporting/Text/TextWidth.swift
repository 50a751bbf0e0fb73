/// The columns that text occupies in a terminal.
package enum TextWidth {
  /// Returns the columns of text that is escaped for display already: one for an ASCII character, two for most East Asian characters,
  /// none for combining marks.
  package static func of(_ text: some StringProtocol) -> Int {
    // Only ASCII text has equal counts of UTF-8 and UTF-16 code units, and a String stores whether it is ASCII.
    let bytes = text.utf8.count
    if bytes == text.utf16.count { return bytes }
    var columns = 0
    for scalar in text.unicodeScalars {
      columns += scalar.value < 0x300 ? 1 : width(of: scalar.value)
    }
    return columns
  }

  private static func width(of value: UInt32) -> Int {
    switch value {
    case 0x0300...0x036F, 0x0483...0x0489, 0x0591...0x05BD, 0x0610...0x061A, 0x064B...0x065F, 0x1AB0...0x1AFF,
      0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F:
      0
    case 0x1100...0x115E, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
