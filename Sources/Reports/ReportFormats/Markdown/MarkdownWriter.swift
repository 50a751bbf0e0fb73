import ByteParsing
import Reporting
import SessionRecords

/// Writes Markdown in which text from inputs never becomes markup.
struct MarkdownWriter {
  private(set) var output = Bytes()

  mutating func heading(_ level: Int, _ text: String) {
    paragraph(String(repeating: "#", count: level) + " " + text)
  }

  mutating func line(_ markdown: String = "") {
    output.append(contentsOf: markdown.utf8)
    output.append(0x0A)
  }

  mutating func paragraph(_ markdown: String) {
    line(markdown)
    line()
  }

  /// Writes the number of things beyond a limit; nothing if there are none.
  mutating func rest(of count: Int, beyond limit: Int, _ words: String) {
    if count > limit { paragraph("and \(Wording.count(count - limit, words))") }
  }

  mutating func item(_ markdown: String) { line("- " + markdown) }

  mutating func tableHead(_ columns: [String]) {
    line("| " + columns.joined(separator: " | ") + " |")
    line("| " + columns.map { _ in "---" }.joined(separator: " | ") + " |")
  }

  mutating func row(_ cells: [String]) { line("| " + cells.joined(separator: " | ") + " |") }

  /// Returns text from an input as a code span, without markup, links or mentions. Within tables a bar is escaped; a code
  /// span allows no other escapes.
  static func code(_ text: String, inTable: Bool = false) -> String {
    span(DisplayText.escaped(text), inTable: inTable)
  }

  /// Returns a code span, as ``code(_:inTable:)``, for text that is escaped for display already.
  static func span(_ shown: String, inTable: Bool = false) -> String {
    if shown.isEmpty { return "(empty)" }
    var longest = 0
    var run = 0
    for byte in shown.utf8 {
      run = byte == 0x60 ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    let pad = shown.hasPrefix("`") || shown.hasSuffix("`") || shown.hasPrefix(" ") ? " " : ""
    let body = inTable ? shown.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|") : shown
    return fence + pad + body + pad + fence
  }

  /// Returns text, which may contain names from inputs, with escapes for all characters that could become markup.
  static func text(_ text: String) -> String { markup(DisplayText.escaped(text)) }

  /// Returns text with escapes for markup, as ``text(_:)``, for text that is escaped for display already.
  ///
  /// Code hosts search for mentions and references (`@name`, `#1`, `!1`, `$1`, `~label`, `%milestone`, `&epic`) after removing markup,
  /// so an escape does not prevent them; a zero-width space after the sign does.
  static func markup(_ text: String) -> String {
    var result = ""
    var follows = false
    for scalar in text.unicodeScalars {
      if follows, isWord(scalar) { result += "&#8203;" }
      follows = "@#!$~%&".unicodeScalars.contains(scalar)
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "@": result += "&#64;"
      case "\\", "`", "*", "_", "{", "}", "[", "]", "#", "|", "~", "!", "$":
        result += "\\"
        result.unicodeScalars.append(scalar)
      case ":" where result.hasSuffix("http") || result.hasSuffix("https") || result.hasSuffix("ftp"):
        // Some dialects turn bare addresses into links.
        result += "&#58;"
      case "." where result.lowercased().hasSuffix("www"): result += "&#46;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether a name or a number may begin with the character.
  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "0"..."9", "A"..."Z", "a"..."z", "_": true
    default: scalar.value >= 0x80
    }
  }
}
