import ByteParsing
import SessionRecords

/// Writes records with repeated parts (offers, policies, rules, certificates), each part once.
///
/// A record becomes a line: a summary, then the pieces of the record, alternately as text and as the number of a part that an
/// earlier line defines. Concatenated, the pieces are the record, byte for byte, independent of where it was split. Tabs occur
/// only between the fields of a line: JSON contains none.
struct InternedRecords {
  private var parts: [Bytes: Int] = [:]
  private var heldBytes = 0

  /// The maximum size of the table of parts; beyond it, parts are written as text.
  private static let maximumByteCount = 8 << 20

  /// The memory of a part besides its bytes: the array's header and its slot in the table.
  private static let partCost = 80

  /// The minimum length of a part; a shorter one takes less space as text.
  private static let minimumPartByteCount = 48

  /// The texts before which a record is split. Quotes in text from inputs are escaped, so that only structure matches.
  private static let cuts: [Bytes] = [
    ",\"offeredVersions\":", ",\"clientAlerts\":", "{\"sha256\":", ",\"ocspResponse\":", ",\"sctList\":", ",\"der\":",
    ",\"certificatesSource\":", ",\"evidence\":", ",\"ats\":", ",\"frames\":[", ",\"certificate\":", ",\"relaxedBy\":", ",\"missing\":",
    ",\"notes\":", ",\"fix\":", ",\"passed\":", ",\"predictedError\":",
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
      guard piece.count >= InternedRecords.minimumPartByteCount, let number = number(of: Bytes(piece), to: &output) else {
        appendField(piece)
        continue
      }
      line.append(0x09)
      // An empty text field separates two consecutive parts.
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

  /// Returns the number of a part, defining it if it is new; nil if the table is full.
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
      // Every cut begins with a comma or a brace.
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
  /// Appends JSON for a script element, in which `<` could end the element or open a comment: it is escaped. In JSON it
  /// occurs only in strings.
  mutating func appendScript(_ json: SubSequence) {
    for byte in json {
      if byte == 0x3C { appendRaw("\\u003c") } else { append(byte) }
    }
  }
}
