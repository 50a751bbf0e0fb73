/// A violation of JSON or of the expected fields: the reason, the field, and the position.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// The text ends within a value.
    case truncated
    /// A byte that JSON does not allow at its position.
    case unexpectedByte(UInt8)
    case wrongType
    /// A number that is not an integer within the field's range.
    case numberOutOfRange
    /// A value that the field does not allow.
    case unknownValue
    /// A string that is not UTF-8, or an invalid escape.
    case invalidText
    case duplicateKey
    /// A required field is missing.
    case missingField
    /// Objects and arrays are nested too deeply.
    case tooDeep
    case tooLarge
    /// The text is not an object of the expected kind.
    case notARecord
  }

  package var reason: Reason
  package var field: String
  /// The line, counted from 1.
  package var line: Int
  /// The offset in bytes from the start of the line.
  package var offset: Int

  package init(_ reason: Reason, in field: String, line: Int, offset: Int) {
    self.reason = reason
    self.field = field
    self.line = line
    self.offset = offset
  }

  /// One line of text, such as `line 3, byte 120, in "port": number out of range`.
  package var description: String {
    let what =
      switch reason {
      case .truncated: "the line ends within a value"
      case .unexpectedByte(let byte): "unexpected byte \(byte)"
      case .wrongType: "a value of the wrong type"
      case .numberOutOfRange: "number out of range"
      case .unknownValue: "unknown value"
      case .invalidText: "text that is not UTF-8 or has an unknown escape"
      case .duplicateKey: "a duplicate key"
      case .missingField: "not there"
      case .tooDeep: "nested too deeply"
      case .tooLarge: "too large"
      case .notARecord: "not a record of atscope"
      }
    // Keys come from the input; one with characters that could disturb the output is omitted.
    let isUnescaped = field.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x5C }
    let location = field.isEmpty || !isUnescaped ? "" : ", in \"\(field)\""
    return "line \(line), byte \(offset)\(location): \(what)"
  }
}
