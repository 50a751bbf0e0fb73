import SessionRecords

// What XML and HTML require of text. Controls and all else that XML forbids were made `\xNN` before, so that what is left are
// the characters of markup itself.
extension ContiguousArray where Element == UInt8 {
  /// Appends text from an input as content or as an attribute's value: made safe to show, then escaped for markup.
  mutating func appendMarkupText(_ text: String) {
    appendMarkup(DisplayText.escaped(text))
  }

  /// Appends text that has been made safe to show; line feeds are ours and stay.
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

  /// Appends ` name="value"`, the value made safe to show already.
  mutating func appendAttribute(_ name: String, _ value: String) {
    appendRaw(" \(name)=\"")
    appendMarkup(value)
    append(0x22)
  }
}
