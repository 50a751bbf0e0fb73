import ByteParsing
import SessionRecords

extension HTMLPage {
  /// A cell of a table: its text, escaped for display already, and the classes of its style.
  typealias Cell = (text: String, style: String)

  /// Writes a table with a row for each item, in a region that scrolls by keyboard; its name is escaped for display already.
  static func writeTable<Item>(
    _ name: String, _ columns: [String], _ items: some Sequence<Item>, to output: inout Bytes, _ cells: (Item) -> [Cell]
  ) {
    output.appendRaw("<div class=\"scroll\" role=\"region\" tabindex=\"0\"")
    output.appendAttribute("aria-label", "Table: \(name)")
    output.appendRaw("><table class=\"cards\" role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">")
    for column in columns { output.appendRaw("<th scope=\"col\" role=\"columnheader\">\(column)</th>") }
    output.appendRaw("</tr></thead>\n<tbody role=\"rowgroup\">\n")
    for item in items { writeRow(columns, cells(item), to: &output) }
    output.appendRaw("</tbody>\n</table></div>\n")
  }

  /// Writes a row with the titles of the columns, which narrow screens show.
  private static func writeRow(_ columns: [String], _ cells: [Cell], to output: inout Bytes) {
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
}
