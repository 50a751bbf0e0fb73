import ByteParsing
import PropertyLists
import SessionRecords

extension ContiguousArray where Element == UInt8 {
  /// Appends a dictionary of settings as JSON, its keys in their order.
  mutating func appendJSON(_ dictionary: PropertyListDictionary) {
    append(0x7B)
    for entry in dictionary.entries {
      appendJSONComma()
      appendJSONText(entry.key)
      append(0x3A)
      appendJSON(entry.value)
    }
    append(0x7D)
  }

  /// Appends a value that settings are made of; other types become `null`.
  private mutating func appendJSON(_ value: PropertyListValue) {
    switch value {
    case .boolean(let value): appendJSON(value)
    case .integer(let value): appendRaw(value.description)
    case .string(let text): appendJSONText(text)
    case .dictionary(let dictionary): appendJSON(dictionary)
    case .array(let items):
      append(0x5B)
      for (index, item) in items.enumerated() {
        if index > 0 { append(0x2C) }
        appendJSON(item)
      }
      append(0x5D)
    default: appendRaw("null")
    }
  }
}
