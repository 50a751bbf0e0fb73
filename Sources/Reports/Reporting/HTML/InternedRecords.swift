import ByteParsing
import SessionRecords

/// Writes records of which large parts repeat (offers, policies, rules, certificates) with each such part once.
///
/// A record becomes a line: a summary, then pieces of the record's text, in turn as they stand and by the number of a part
/// that a line before has defined. Put together they are the record, byte for byte, wherever it was truncated. Lines hold no
/// tab but between their fields: JSON has none.
struct InternedRecords {
  private var parts: [Bytes: Int] = [:]
  private var heldBytes = 0

  /// What may be held to find repetitions; beyond, parts are written as they stand.
  private static let maximumByteCount = 8 << 20

  /// What a part takes besides its bytes: the array's header and its place in the table.
  private static let partCost = 80

  /// A part shorter than this is cheaper as it stands.
  private static let minimumPartByteCount = 48

  /// Texts before which a record is truncated. Quotes in texts of inputs are escaped, so that only structure matches.
  private static let cuts: [Bytes] = [
    ",\"offeredVersions\":", ",\"clientAlerts\":", "{\"sha256\":", ",\"ocspResponse\":", ",\"sctList\":",
    ",\"der\":",
    ",\"certificatesSource\":", ",\"evidence\":", ",\"ats\":", ",\"frames\":[", ",\"certificate\":",
    ",\"relaxedBy\":", ",\"missing\":", ",\"notes\":", ",\"fix\":", ",\"passed\":",
    ",\"predictedError\":",
  ].map { Bytes($0.utf8) }

  mutating func append(_ record: Bytes, summary: Bytes, to output: inout Bytes) {
    var line = Bytes()
    var isPart = false
    func appendField(_ piece: Bytes.SubSequence) {
      if isPart { line.append(0x09) }
      isPart = false
      line.appendScript(piece)
    }
    for piece in InternedRecords.pieces(of: record) {
      guard piece.count >= InternedRecords.minimumPartByteCount,
        let number = number(of: Bytes(piece), to: &output)
      else {
        appendField(piece)
        continue
      }
      line.append(0x09)
      // Two parts in a row have an empty text between them.
      if isPart { line.append(0x09) }
      line.appendRaw("\(number)")
      isPart = true
    }
    output.appendRaw("S\t")
    output.appendScript(summary[...])
    output.append(0x09)
    output.append(contentsOf: line)
    output.append(0x0A)
  }

  /// The number of a part, defined now if it is new; nil where no more are held.
  private mutating func number(of part: Bytes, to output: inout Bytes) -> Int? {
    if let number = parts[part] { return number }
    let cost = part.count + InternedRecords.partCost
    guard heldBytes + cost <= InternedRecords.maximumByteCount else { return nil }
    heldBytes += cost
    let number = parts.count
    parts[part] = number
    output.appendRaw("P\t")
    output.appendScript(part[...])
    output.append(0x0A)
    return number
  }

  private static func pieces(of record: Bytes) -> [Bytes.SubSequence] {
    var pieces: [Bytes.SubSequence] = []
    var start = 0
    var index = 1
    while index < record.count {
      // Every cut begins with a comma or a brace, and continues with a quote.
      let byte = record[index]
      guard byte == 0x2C || byte == 0x7B,
        cuts.contains(where: { record[index...].starts(with: $0) })
      else {
        index += 1
        continue
      }
      pieces.append(record[start..<index])
      start = index
      index += 1
    }
    pieces.append(record[start...])
    return pieces
  }
}

extension ContiguousArray where Element == UInt8 {
  /// Appends JSON for a script element: there `<` could end the element or open a comment, so it is escaped. In JSON it
  /// is in texts alone.
  mutating func appendScript(_ json: SubSequence) {
    for byte in json {
      if byte == 0x3C { appendRaw("\\u003c") } else { append(byte) }
    }
  }
}
