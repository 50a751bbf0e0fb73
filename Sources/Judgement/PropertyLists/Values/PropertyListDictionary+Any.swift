import ByteParsing

extension PropertyListDictionary {
  /// Converts a dictionary in the types of the system frameworks, sorted by key.
  package init(_ values: [String: Any]) throws(PropertyListError) {
    self = try PropertyListConverter().dictionary(values, depth: 1)
  }
}

/// Converts values whose types are known only at run time.
private struct PropertyListConverter {
  func dictionary(_ values: [String: Any], depth: Int) throws(PropertyListError) -> PropertyListDictionary {
    var dictionary = PropertyListDictionary()
    for (key, value) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      dictionary.append(key, try self.value(value, of: key, depth: depth))
    }
    return dictionary
  }

  private func value(_ value: Any, of key: String, depth: Int) throws(PropertyListError) -> PropertyListValue {
    guard depth < PropertyListLimits.depth else { throw PropertyListError(.limit(.depth, PropertyListLimits.depth), at: .whole) }
    // On systems where numbers are objects, each can be cast to Bool; only the name of its class shows whether it is one.
    if let boolean = value as? Bool, "\(type(of: value))".contains("Bool") { return .boolean(boolean) }
    if let number = value as? any BinaryInteger { return .integer(try integer(number, of: key)) }
    if let number = value as? Double {
      return Int64(exactly: number).map { .integer(PropertyListInteger($0)) } ?? .real(number)
    }
    if let number = value as? any BinaryFloatingPoint { return .real(Double(number)) }
    if let text = value as? String { return .string(text) }
    if let values = value as? [String: Any] { return .dictionary(try dictionary(values, depth: depth + 1)) }
    if let bytes = value as? any Sequence<UInt8> { return .data(Bytes(bytes)) }
    if let items = value as? [Any] {
      var array: [PropertyListValue] = []
      for item in items { array.append(try self.value(item, of: key, depth: depth + 1)) }
      return .array(array)
    }
    throw PropertyListError(.malformed("the value of \(key) is a \(type(of: value)), which property lists do not contain"), at: .whole)
  }

  private func integer(_ number: any BinaryInteger, of key: String) throws(PropertyListError) -> PropertyListInteger {
    if let value = Int64(exactly: number) { return PropertyListInteger(value) }
    if let value = UInt64(exactly: number) { return PropertyListInteger(value) }
    throw PropertyListError(.malformed("the number of \(key) has more than 64 bits"), at: .whole)
  }
}
