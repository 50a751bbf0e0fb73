import ByteParsing
import SessionRecords

/// One line of comma-separated values (RFC 4180).
///
/// Text is made safe to show first. A cell that a spreadsheet would take for a formula gets an apostrophe before it,
/// which spreadsheets do not show (contract section 3).
struct CSVRow {
  private(set) var bytes = Bytes()
  private var isEmpty = true

  /// Appends a cell with text, from an input or ours; an empty one for nil.
  mutating func add(_ text: String?) { addShown(text.map(DisplayText.escaped)) }

  /// Appends a cell with text that has been made safe to show.
  mutating func addShown(_ text: String?) {
    if isEmpty { isEmpty = false } else { bytes.append(0x2C) }
    guard let text, !text.isEmpty else { return }
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    switch bytes[start] {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"):
      bytes.insert(UInt8(ascii: "'"), at: start)
    default: break
    }
    let needsQuotes = bytes[start...].contains { $0 == 0x2C || $0 == 0x22 || $0 == 0x20 || $0 == 0x27 }
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

  /// Appends a cell with a number; an empty one for nil.
  mutating func add(_ number: (some BinaryInteger)?) { add(number.map { "\($0)" }) }

  /// Appends a cell with `true` or `false`; an empty one for nil.
  mutating func add(_ value: Bool?) { add(value.map { $0 ? "true" : "false" }) }

  /// Appends a cell with several texts, a blank between them.
  mutating func add(_ texts: [String]) { add(texts.joined(separator: " ")) }

  /// Appends the row and its end.
  func end(to output: inout Bytes) {
    output.append(contentsOf: bytes)
    output.append(0x0D)
    output.append(0x0A)
  }
}
