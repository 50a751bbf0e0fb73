import ByteParsing
package import Values

/// A JSON object that is being written.
///
/// ``Swift/ContiguousArray/appendObject(_:)`` opens an object and closes it when its closure returns, so that no object can stay open:
///
///     output.appendObject { json in
///       json.text("file", input.file)
///       json.objects("interfaces", input.interfaces) { json, interface in json.number("linkType", interface.linkType) }
///     }
///
/// A value of nil is written as `null`. Text has two kinds: `text` escapes text from an input for display; `string` writes the
/// program's own text and text that is escaped already.
package struct JSONObject: ~Copyable {
  private var output = Bytes()
  private var scope = JSONScope()

  private init() {}

  /// Appends an object.
  static func append(to output: inout Bytes, _ write: (inout JSONObject) -> Void) {
    var scope = JSONScope()
    output.append(UInt8(ascii: "{"))
    append(in: &scope, to: &output, write)
    scope.close("}", in: &output)
  }

  /// Appends members. The bytes move into the object and back, so that only the innermost scope can write.
  static func append(in scope: inout JSONScope, to output: inout Bytes, _ write: (inout JSONObject) -> Void) {
    var object = JSONObject()
    swap(&object.scope, &scope)
    swap(&object.output, &output)
    write(&object)
    swap(&object.output, &output)
    swap(&object.scope, &scope)
  }

  /// Returns the members that `write` adds, without braces, for ``members(_:)``.
  static func members(_ write: (inout JSONObject) -> Void) -> Bytes {
    var object = JSONObject()
    write(&object)
    return object.output
  }

  /// Writes rendered members.
  mutating func members(_ text: Bytes) {
    guard !text.isEmpty else { return }
    scope.separate(in: &output)
    output.append(copying: text.span)
  }

  /// Starts a line before the next member or the closing brace.
  package mutating func newLine() { scope.breakLine(indent: 0) }

  /// Writes a member whose value `write` appends.
  mutating func member(_ key: String, _ write: (inout Bytes) -> Void) {
    scope.separate(in: &output)
    output.appendJSONString(key)
    output.append(UInt8(ascii: ":"))
    write(&output)
  }
}

// MARK: Values

extension JSONObject {
  /// Writes text from an input.
  package mutating func text(_ key: String, _ value: String?) { member(key) { $0.appendJSONText(value) } }

  /// Writes texts from an input.
  package mutating func texts(_ key: String, _ values: [String]?) { list(key, values) { $0.appendJSONText($1) } }

  /// Writes the program's own text.
  package mutating func string(_ key: String, _ value: String?) { member(key) { $0.appendJSONString(value) } }

  /// Writes the program's own texts.
  package mutating func strings(_ key: String, _ values: [String]) { list(key, values) { $0.appendJSONString($1) } }

  package mutating func number<Number: BinaryInteger>(_ key: String, _ value: Number?) {
    member(key) { output in
      if let value { output.appendJSON(value) } else { output.appendRaw("null") }
    }
  }

  package mutating func numbers(_ key: String, _ values: [some BinaryInteger]?) { list(key, values) { $0.appendJSON($1) } }

  /// Writes `true` or `false`.
  package mutating func boolean(_ key: String, _ value: Bool?) { member(key) { $0.appendJSON(value) } }

  /// Writes `null`.
  package mutating func null(_ key: String) { member(key) { $0.appendRaw("null") } }

  /// Writes a code point in the format `"0x0303"`.
  package mutating func codePoint(_ key: String, _ value: UInt16?) {
    guard let value else { return null(key) }
    code(key, UInt64(value), digits: 4)
  }

  /// Writes code points in the format `["0x0303"]`.
  mutating func codePoints(_ key: String, _ values: [some RawRepresentable<UInt16>]?) {
    list(key, values) { $0.appendJSONCode(UInt64($1.rawValue), digits: 4) }
  }

  private mutating func list<Value>(_ key: String, _ values: [Value]?, _ append: (inout Bytes, Value) -> Void) {
    guard let values else { return null(key) }
    array(key) { json in
      for value in values { json.element { append(&$0, value) } }
    }
  }

  /// Writes the `digits` lowest hexadecimal digits of a number in the format `"0x0303"`.
  mutating func code(_ key: String, _ value: UInt64, digits: Int) {
    member(key) { $0.appendJSONCode(value, digits: digits) }
  }

  /// Writes bytes as hexadecimal digits.
  mutating func hexadecimal(_ key: String, _ bytes: ShortBytes?) {
    guard let bytes else { return null(key) }
    member(key) { $0.appendJSONHexadecimal(bytes) }
  }

  /// Writes bytes in base64.
  mutating func base64(_ key: String, _ bytes: Bytes) {
    member(key) { output in
      output.append(0x22)
      Base64.append(bytes, to: &output)
      output.append(0x22)
    }
  }

  /// Writes a time in ISO 8601 with `Z`.
  package mutating func time(_ key: String, _ value: Timestamp?) { member(key) { $0.appendJSON(value) } }
}

// MARK: Objects and arrays

extension JSONObject {
  /// Writes an object whose members `write` adds.
  package mutating func object(_ key: String, _ write: (inout JSONObject) -> Void) {
    member(key) { JSONObject.append(to: &$0, write) }
  }

  /// Writes an object whose members `write` adds; nothing if it adds none.
  package mutating func objectUnlessEmpty(_ key: String, _ write: (inout JSONObject) -> Void) {
    var object = Bytes()
    JSONObject.append(to: &object, write)
    if object.count > "{}".utf8.count { member(key) { $0 += object } }
  }

  package mutating func object(_ key: String, _ record: (some JSONRecord)?) {
    member(key) { output in
      if let record { output.appendJSON(record) } else { output.appendRaw("null") }
    }
  }

  /// Writes an array whose elements `write` adds.
  package mutating func array(_ key: String, _ write: (inout JSONArray) -> Void) {
    member(key) { JSONArray.append(to: &$0, write) }
  }

  /// Writes an array with an object for each item; with `onLines`, each element and the closing bracket start a line.
  package mutating func objects<Item>(
    _ key: String, _ items: some Sequence<Item>, onLines: Bool = false, _ write: (inout JSONObject, Item) -> Void
  ) {
    array(key) { $0.objects(items, onLines: onLines, write) }
  }

  /// Writes an array of records.
  package mutating func objects<Record: JSONRecord>(_ key: String, _ records: some Sequence<Record>, onLines: Bool = false) {
    objects(key, records, onLines: onLines) { $1.writeMembers(to: &$0) }
  }
}
