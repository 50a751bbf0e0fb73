package import ByteParsing

/// A JSON array that is being written; it closes as a ``JSONObject`` does.
package struct JSONArray: ~Copyable {
  private var output = Bytes()
  private var scope = JSONScope()

  private init() {}

  /// Appends an array. The bytes move into the scope and back, so that only the innermost scope can write.
  static func append(to output: inout Bytes, _ write: (inout JSONArray) -> Void) {
    output.append(UInt8(ascii: "["))
    var array = JSONArray()
    swap(&array.output, &output)
    write(&array)
    array.scope.close("]", in: &array.output)
    swap(&array.output, &output)
  }

  /// Starts a line before the next element or the closing bracket.
  package mutating func newLine(indent: Int = 0) { scope.breakLine(indent: indent) }

  /// Writes an element that `write` appends.
  mutating func element(_ write: (inout Bytes) -> Void) {
    scope.separate(in: &output)
    write(&output)
  }

  /// Writes an object whose members `write` adds.
  package mutating func object(_ write: (inout JSONObject) -> Void) {
    element { JSONObject.append(to: &$0, write) }
  }

  /// Writes an array whose elements `write` adds.
  package mutating func array(_ write: (inout JSONArray) -> Void) {
    element { JSONArray.append(to: &$0, write) }
  }

  /// Writes an object for each item; with `onLines`, each element and the closing bracket start a line.
  package mutating func objects<Item>(_ items: some Sequence<Item>, onLines: Bool = false, _ write: (inout JSONObject, Item) -> Void) {
    for item in items {
      if onLines { newLine() }
      object { write(&$0, item) }
    }
    if onLines { newLine() }
  }

  /// Calls `flush` with the output written so far, including that of the enclosing scopes; `flush` may remove it.
  package mutating func flush(_ flush: (inout Bytes) -> Void) { flush(&output) }
}
