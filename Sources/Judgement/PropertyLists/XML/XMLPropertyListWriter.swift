package import ByteParsing
import Values

extension PropertyListValue {
  /// The value as a complete XML property list in Apple's layout, ending with a line feed.
  ///
  /// `comment` precedes the value; it must not contain two hyphens in a row. Nil if a string contains characters that XML forbids, or if a
  /// type does not occur in settings: real numbers, data, dates, and the types that only the binary format has.
  package func xml(comment: String? = nil) -> Bytes? {
    var writer = XMLPropertyListWriter()
    if let comment { writer.output += Bytes("<!-- \(comment) -->\n".utf8) }
    guard writer.append(self, depth: 0) else { return nil }
    return Bytes(XMLPropertyListWriter.head.utf8) + writer.output + Bytes("</plist>\n".utf8)
  }
}

/// Writes XML property lists as Apple's tools do, so that a diff shows only actual changes.
private struct XMLPropertyListWriter {
  var output = Bytes()

  static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """

  /// Appends a value; returns false if XML cannot represent it.
  mutating func append(_ value: PropertyListValue, depth: Int) -> Bool {
    guard depth <= PropertyListLimits.depth else { return false }
    switch value {
    case .boolean(let value): line(value ? "<true/>" : "<false/>", depth)
    case .integer(let value): line("<integer>\(value)</integer>", depth)
    case .string(let text):
      guard let text = XMLPropertyListWriter.escaped(text) else { return false }
      line("<string>\(text)</string>", depth)
    case .array(let items):
      if items.isEmpty {
        line("<array/>", depth)
        return true
      }
      line("<array>", depth)
      for item in items { guard append(item, depth: depth + 1) else { return false } }
      line("</array>", depth)
    case .dictionary(let dictionary): return append(dictionary, depth: depth)
    case .real, .data, .date, .uid, .null, .set: return false
    }
    return true
  }

  private mutating func append(_ dictionary: PropertyListDictionary, depth: Int) -> Bool {
    if dictionary.entries.isEmpty {
      line("<dict/>", depth)
      return true
    }
    line("<dict>", depth)
    for entry in dictionary.entries {
      guard let key = XMLPropertyListWriter.escaped(entry.key) else { return false }
      line("<key>\(key)</key>", depth + 1)
      guard append(entry.value, depth: depth + 1) else { return false }
    }
    line("</dict>", depth)
    return true
  }

  private mutating func line(_ text: String, _ depth: Int) {
    output.append(contentsOf: repeatElement(0x09, count: depth))
    output.append(contentsOf: text.utf8)
    output.append(0x0A)
  }

  /// The text with XML's special characters as references; nil if XML cannot represent it (XML 1.0 §2.2).
  private static func escaped(_ text: String) -> String? {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      // A parser would otherwise convert it to a line feed.
      case "\r": result += "&#13;"
      default:
        let isForbidden = scalar.value < 0x20 && scalar != "\t" && scalar != "\n"
        if isForbidden || scalar.value == 0xFFFE || scalar.value == 0xFFFF { return nil }
        // Characters that a reader of the file would not see, or would see elsewhere, become references.
        if scalar.value == 0x7F || InputText.isHidden(scalar.value) {
          result += "&#x\(String(scalar.value, radix: 16, uppercase: true));"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }
}
