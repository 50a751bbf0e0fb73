import ByteParsing
import SessionRecords

extension HTMLPage {
  /// Begins a table in a region that scrolls by keyboard; its name is escaped for display already.
  static func beginTable(_ name: String, _ columns: [String], to output: inout Bytes) {
    output.appendRaw("<div class=\"scroll\" role=\"region\" tabindex=\"0\"")
    output.appendAttribute("aria-label", "Table: \(name)")
    output.appendRaw("><table class=\"cards\" role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">")
    for column in columns { output.appendRaw("<th scope=\"col\" role=\"columnheader\">\(column)</th>") }
    output.appendRaw("</tr></thead>\n<tbody role=\"rowgroup\">\n")
  }

  /// Writes a row with the titles of the columns, which narrow screens show. Texts are escaped for display already.
  static func writeRow(_ columns: [String], _ cells: [(text: String, style: String)], to output: inout Bytes) {
    output.appendRaw("<tr role=\"row\">")
    for (column, cell) in zip(columns, cells) {
      output.appendRaw("<td role=\"cell\" class=\"\(cell.style)\" data-label=\"\(column)\">")
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
