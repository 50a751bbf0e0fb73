import Foundation
import InfoPlistReading
import PolicyResolution
import PropertyLists
import TestFiles

/// A property list decoded from JSON; `null` becomes a null value.
struct JSONPropertyList: Decodable {
  var value: PropertyListValue

  struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: Key.self) {
      var dictionary = PropertyListDictionary()
      for key in object.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
        dictionary.append(key.stringValue, try object.decode(JSONPropertyList.self, forKey: key).value)
      }
      value = .dictionary(dictionary)
      return
    }
    if var list = try? decoder.unkeyedContainer() {
      var items: [PropertyListValue] = []
      while !list.isAtEnd { items.append(try list.decode(JSONPropertyList.self).value) }
      value = .array(items)
      return
    }
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      value = .null
    } else if let boolean = try? single.decode(Bool.self) {
      value = .boolean(boolean)
    } else if let integer = try? single.decode(Int64.self) {
      value = .integer(PropertyListInteger(integer))
    } else if let real = try? single.decode(Double.self) {
      value = .real(real)
    } else {
      value = .string(try single.decode(String.self))
    }
  }
}

/// Reads the ATS dictionary of an Info.plist with this value of NSAppTransportSecurity; nil for null.
func readATS(_ value: PropertyListValue) throws -> ATSDictionary? {
  if value == .null { return nil }
  let root = PropertyListDictionary([("NSAppTransportSecurity", value)])
  return try InfoPropertyList(root: .dictionary(root)).ats
}

/// The folder of these tests.
let testFolder = Repository.root.appending(path: "Tests/Unit/PolicyResolutionTests")

/// A TLS code point in the notation of the cases, such as `0x0303`.
func hexadecimal(_ codePoint: (some RawRepresentable<UInt16>)?) -> String? {
  codePoint.map { "0x" + String(Int($0.rawValue) + 0x10000, radix: 16).dropFirst() }
}
