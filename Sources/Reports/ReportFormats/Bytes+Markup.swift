import SessionRecords

// Escaping of text for XML and HTML. `DisplayText` escapes controls and other characters that XML forbids, so only the characters of
// markup remain.
extension ContiguousArray where Element == UInt8 {
  /// Appends text from an input as content or as an attribute's value: escaped for display, then for markup.
  mutating func appendMarkupText(_ text: String) {
    appendMarkup(DisplayText.escaped(text))
  }

  /// Appends text that is escaped for display already; its line feeds are the program's own and are kept.
  mutating func appendMarkup(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): appendRaw("&amp;")
      case UInt8(ascii: "<"): appendRaw("&lt;")
      case UInt8(ascii: ">"): appendRaw("&gt;")
      case UInt8(ascii: "\""): appendRaw("&quot;")
      case UInt8(ascii: "'"): appendRaw("&#39;")
      default: append(byte)
      }
    }
  }

  /// Appends ` name="value"`; the value is escaped for display already.
  mutating func appendAttribute(_ name: String, _ value: String) {
    appendRaw(" \(name)=\"")
    appendMarkup(value)
    append(0x22)
  }
}
