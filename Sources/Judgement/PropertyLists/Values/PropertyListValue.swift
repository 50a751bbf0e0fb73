package import ByteParsing

/// A value of a property list with its exact type.
package enum PropertyListValue: Hashable, Sendable {
  /// A Boolean, as opposed to a number.
  case boolean(Bool)
  case integer(PropertyListInteger)
  case real(Double)
  case string(String)
  case data(Bytes)
  /// A date, in seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  /// A reference in a keyed archive (binary format only).
  case uid(UInt64)
  /// Null (binary format only).
  case null
  case array([PropertyListValue])
  case dictionary(PropertyListDictionary)
  /// A set, in the order of the file (binary format only).
  case set([PropertyListValue])

  /// The string; nil if the value has another type.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The items of the array; nil if the value has another type.
  package var array: [PropertyListValue]? {
    if case .array(let items) = self { items } else { nil }
  }

  /// The dictionary; nil if the value has another type.
  package var dictionary: PropertyListDictionary? {
    if case .dictionary(let dictionary) = self { dictionary } else { nil }
  }

  package var typeName: String {
    switch self {
    case .boolean: "a boolean"
    case .integer: "an integer"
    case .real: "a real number"
    case .string: "a string"
    case .data: "data"
    case .date: "a date"
    case .uid: "a UID"
    case .null: "null"
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .set: "a set"
    }
  }
}
