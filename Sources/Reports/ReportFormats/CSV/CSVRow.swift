import ByteParsing
import SessionRecords

/// One line of comma-separated values (RFC 4180).
///
/// Text is escaped for display. A cell that a spreadsheet would evaluate as a formula gets an apostrophe before it, which
/// spreadsheets do not display. So does a cell that contains `;=` and similar: where the semicolon separates cells, a
/// formula would begin there.
struct CSVRow {
  private(set) var bytes = Bytes()
  private var isEmpty = true

  /// Appends a cell with text, which is escaped; an empty cell for nil.
  mutating func add(_ text: String?) { addShown(text.map(DisplayText.escaped)) }

  /// Appends a cell with text that is escaped for display already; an empty cell for nil.
  mutating func addShown(_ text: String?) {
    if isEmpty { isEmpty = false } else { bytes.append(0x2C) }
    guard let text, !text.isEmpty else { return }
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    if CSVRow.mayBecomeFormula(bytes[start...]) { bytes.insert(UInt8(ascii: "'"), at: start) }
    let needsQuotes = bytes[start...].contains {
      $0 == 0x2C || $0 == 0x22 || $0 == 0x20 || $0 == 0x27 || $0 == 0x3B
    }
    guard needsQuotes else { return }
    let cell = Bytes(bytes[start...])
    bytes.removeLast(bytes.count - start)
    bytes.append(0x22)
    for byte in cell {
      if byte == 0x22 { bytes.append(0x22) }
      bytes.append(byte)
    }
    bytes.append(0x22)
  }

  /// Whether a formula begins at the start of the cell or after a semicolon, in ASCII or full-width characters (U+FF0B, U+FF0D, U+FF1D,
  /// U+FF20), which some spreadsheets treat alike.
  private static func mayBecomeFormula(_ cell: ArraySlice<UInt8>) -> Bool {
    var rest = cell
    while true {
      switch rest.drop(while: { $0 == 0x20 }).first {
      case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"): return true
      default: break
      }
      let wide = rest.prefix(3)
      if wide.count == 3, wide.first == 0xEF, let last = wide.last {
        let isSign = wide[wide.startIndex + 1] == 0xBC && [0x8B, 0x8D, 0x9D, 0xA0].contains(last)
        if isSign { return true }
      }
      guard let next = rest.firstIndex(of: UInt8(ascii: ";")) else { return false }
      rest = rest[(next + 1)...]
    }
  }

  /// Appends a cell with a number; an empty cell for nil.
  mutating func add(_ number: (some BinaryInteger)?) { add(number.map { "\($0)" }) }

  /// Appends a cell with `true` or `false`; an empty cell for nil.
  mutating func add(_ value: Bool?) { add(value.map { $0 ? "true" : "false" }) }

  /// Appends a cell with several texts, separated by spaces.
  mutating func add(_ texts: [String]) { add(texts.joined(separator: " ")) }

  /// Appends a line whose cells have texts that are escaped for display already.
  static func append(_ texts: [String?], to output: inout Bytes) {
    var row = CSVRow()
    for text in texts { row.addShown(text) }
    row.end(to: &output)
  }

  func end(to output: inout Bytes) {
    output.append(contentsOf: bytes)
    output.append(0x0D)
    output.append(0x0A)
  }
}
