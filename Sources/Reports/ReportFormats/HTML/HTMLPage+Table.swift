import ByteParsing
import SessionRecords

extension HTMLPage {
  /// A cell of a table, with the title of its column for narrow screens.
  struct Cell {
    let title: String
    let text: String
    let style: String

    /// Creates a cell; the text is escaped for display already.
    init(_ title: String, _ text: String, style: String) {
      self.title = title
      self.text = text
      self.style = style
    }
  }

  /// Begins a table in a region that scrolls by keyboard; its name is escaped for display already.
  static func beginTable(_ name: String, _ columns: [String], to output: inout Bytes) {
    output.appendRaw("<div class=\"scroll\" role=\"region\" tabindex=\"0\"")
    output.appendAttribute("aria-label", "Table: \(name)")
    output.appendRaw("><table class=\"cards\" role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">")
    for column in columns { output.appendRaw("<th scope=\"col\" role=\"columnheader\">\(column)</th>") }
    output.appendRaw("</tr></thead>\n<tbody role=\"rowgroup\">\n")
  }

  static func writeRow(_ cells: [Cell], to output: inout Bytes) {
    output.appendRaw("<tr role=\"row\">")
    for cell in cells {
      output.appendRaw("<td role=\"cell\" class=\"\(cell.style)\" data-label=\"\(cell.title)\">")
      if !cell.text.isEmpty {
        output.appendRaw("<span>")
        output.appendMarkup(cell.text)
        output.appendRaw("</span>")
      }
      output.appendRaw("</td>")
    }
    output.appendRaw("</tr>\n")
  }

  static let endOfTable = "</tbody>\n</table></div>\n"
}
