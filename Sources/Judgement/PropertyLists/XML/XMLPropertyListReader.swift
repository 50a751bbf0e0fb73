import ByteParsing

/// Builds the value of a property list from the events of the XML parser. An error ends the parsing.
final class XMLPropertyListReader {
  private enum Kind: Hashable {
    /// The outermost level, which contains the root element.
    case document
    case plist
    case dictionary
    case array
    case key
    case scalar(XMLScalar)
  }

  /// An element that has begun but not ended, with its content so far.
  ///
  /// It is changed in place, because copying it for each item would take quadratic time.
  private struct Element {
    var kind: Kind
    var line: Int
    /// The items of an array; in the document and in `plist`, the single value.
    var items: [PropertyListValue] = []
    var dictionary = PropertyListDictionary(lastCounts: true)
    /// The key whose value is still to come, and its line.
    var key: (text: String, line: Int)?
  }

  private var stack = [Element(kind: .document, line: 1)]

  /// The characters of the current scalar or key.
  private var text = Bytes()
  private var objectCount = 0

  /// The number of line breaks in the white space removed before the document, which errors add to their line numbers.
  private let skippedLines: Int

  static func read(_ bytes: Bytes, _ encoding: String?) throws(PropertyListError) -> PropertyListValue {
    var bytes = bytes
    var skippedLines = 0
    if encoding == nil || encoding == "UTF-8" {
      if encoding != nil { bytes.removeFirst(3) }
      // Foundation accepts white space before the XML declaration, which XML does not allow.
      let end = bytes.firstIndex { !isWSPOrLineEnd($0) } ?? 0
      skippedLines = lineEnds(in: bytes[..<end])
      bytes.removeFirst(end)
    }
    let reader = XMLPropertyListReader(skippedLines: skippedLines)
    do throws(PropertyListError) {
      try XMLParser.parse(bytes, encoding: encoding, handler: reader)
    } catch {
      guard case .line(let line) = error.position else { throw error }
      throw PropertyListError(error.reason, at: .line(line + skippedLines))
    }
    guard let value = reader.stack.first?.items.first else {
      throw PropertyListError(.malformed("the property list has no value"), at: .whole)
    }
    return value
  }

  private init(skippedLines: Int) {
    self.skippedLines = skippedLines
  }

  /// Called at the start of an element.
  func start(_ element: String, line: Int) throws(PropertyListError) {
    objectCount += 1
    guard objectCount <= PropertyListLimits.objectCount else {
      throw PropertyListError(.limit(.objects, PropertyListLimits.objectCount), at: .line(line))
    }
    // The document and <plist> do not count as levels of the value.
    guard stack.count < PropertyListLimits.depth + 2 else {
      throw PropertyListError(.limit(.depth, PropertyListLimits.depth), at: .line(line))
    }
    try checkNesting(of: element, line: line)
    stack.append(Element(kind: try kind(of: element, line: line), line: line))
    text.removeAll(keepingCapacity: true)
  }

  /// Called with characters of an element in UTF-8; one text may arrive in several parts.
  func characters(_ characters: Span<UInt8>, line: Int) throws(PropertyListError) {
    switch stack.last?.kind {
    case .key?, .scalar?: text.append(copying: characters)
    default:
      for index in characters.indices where !isWSPOrLineEnd(characters[index]) {
        throw PropertyListError(.malformed("text outside of a value"), at: .line(line))
      }
    }
  }

  /// Called at the end of the innermost element.
  func end(line: Int) throws(PropertyListError) {
    guard let element = stack.popLast() else { return }
    switch element.kind {
    case .document: break
    case .plist:
      guard let value = element.items.first else { throw PropertyListError(.malformed("the element plist has no value"), at: .line(line)) }
      finish(value)
    case .key:
      stack[stack.count - 1].key = (String(decoding: text, as: UTF8.self), element.line)
    case .array: finish(.array(element.items))
    case .dictionary:
      if let key = element.key {
        throw PropertyListError(.malformed("the key \(XMLPropertyListReader.quoted(key.text)) has no value"), at: .line(line))
      }
      finish(.dictionary(element.dictionary))
    case .scalar(let scalar): finish(try scalar.value(of: text, line: line))
    }
  }

  /// Adds a complete value to its container; `checkNesting` has checked that it is allowed there.
  private func finish(_ value: PropertyListValue) {
    let holder = stack.count - 1
    if let key = stack[holder].key {
      stack[holder].dictionary.append(key.text, value, keyLine: key.line + skippedLines)
      stack[holder].key = nil
    } else {
      stack[holder].items.append(value)
    }
  }
}

extension XMLPropertyListReader {
  private func kind(of element: String, line: Int) throws(PropertyListError) -> Kind {
    switch element {
    case "plist": return .plist
    case "dict": return .dictionary
    case "array": return .array
    case "key": return .key
    default:
      if let scalar = XMLScalar(rawValue: element) { return .scalar(scalar) }
      throw PropertyListError(.malformed("the element \(XMLPropertyListReader.quoted(element)) is unknown"), at: .line(line))
    }
  }

  private func checkNesting(of element: String, line: Int) throws(PropertyListError) {
    let isValue = element != "key" && element != "plist"
    let holder = stack[stack.count - 1]
    let problem: String? =
      switch holder.kind {
      case .document: element == "key" ? "a key outside of a dictionary" : nil
      case .plist where !holder.items.isEmpty: "the element plist has more than one value"
      case .plist: isValue ? nil : "the element plist must contain a value"
      case .array: isValue ? nil : "an array may only contain values"
      case .dictionary:
        if let key = holder.key {
          isValue ? nil : "the key \(XMLPropertyListReader.quoted(key.text)) has no value"
        } else {
          element == "key" ? nil : "a value in a dictionary without its key"
        }
      case .key, .scalar: "an element within the text of another"
      }
    if let problem { throw PropertyListError(.malformed(problem), at: .line(line)) }
  }

  /// A text from the file, quoted and short enough for a message.
  static func quoted(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(60)
    return "'" + String(start) + (start.count < text.unicodeScalars.count ? "…" : "") + "'"
  }

  /// The number of line breaks as XML counts them.
  private static func lineEnds(in bytes: Bytes.SubSequence) -> Int {
    var count = 0
    var previous: UInt8 = 0
    for byte in bytes {
      if byte == 0x0D || byte == 0x0A && previous != 0x0D { count += 1 }
      previous = byte
    }
    return count
  }
}
