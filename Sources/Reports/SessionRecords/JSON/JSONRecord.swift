package import ByteParsing

/// A value that is written as a JSON object.
package protocol JSONRecord {
  /// Writes the members of the object.
  func writeMembers(to json: inout JSONObject)
}

extension ContiguousArray where Element == UInt8 {
  /// Appends an object whose members `write` adds.
  package mutating func appendObject(_ write: (inout JSONObject) -> Void) {
    JSONObject.append(to: &self, write)
  }

  /// Appends an array whose elements `write` adds.
  package mutating func appendArray(_ write: (inout JSONArray) -> Void) { JSONArray.append(to: &self, write) }

  package mutating func appendJSON(_ record: some JSONRecord) {
    appendObject { record.writeMembers(to: &$0) }
  }

  /// Appends a record and a line feed.
  package mutating func appendJSONLine(_ record: some JSONRecord) {
    appendJSON(record)
    append(UInt8(ascii: "\n"))
  }

  /// Returns a document of one object and a line feed.
  package static func jsonDocument(_ write: (inout JSONObject) -> Void) -> Bytes {
    var document = Bytes()
    document.appendObject(write)
    document.append(UInt8(ascii: "\n"))
    return document
  }

  /// Returns the document on one line: line feeds within strings are escaped, so the others are between values.
  package func onOneLine() -> Bytes {
    var line = self
    line.removeAll { $0 == UInt8(ascii: "\n") }
    line.append(UInt8(ascii: "\n"))
    return line
  }
}
