import ByteParsing
import Foundation
import PropertyLists
import SeededRandom
import Testing

/// Property lists that Foundation writes.
@Suite struct PropertyListFoundationTests {
  /// A random value as a Foundation object and as a `PropertyListValue`.
  static func value(depth: Int, _ random: inout SeededGenerator) -> (any Sendable, PropertyListValue) {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
    case 0:
      let value = Bool.random(using: &random)
      return (value, .boolean(value))
    case 1:
      let value = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<60, using: &random)
      return (value, .integer(PropertyListInteger(value)))
    case 2:
      // Halves are exact in decimal; whole reals are avoided because Foundation sometimes writes them as integers.
      let value = Double(Int.random(in: -1_000_000...1_000_000, using: &random)) + 0.5
      return (value, .real(value))
    case 3:
      let letters = ["a", "é", "€", "𝄞", " ", "<", "&", "\"", "]]>", "\n"]
      let value = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
        letters.randomElement(using: &random) ?? ""
      }
      .joined()
      return (value, .string(value))
    case 4:
      let value = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      return (Data(value), .data(Bytes(value)))
    case 5:
      let value = Double(Int.random(in: -1_000_000_000...1_000_000_000, using: &random))
      return (Date(timeIntervalSinceReferenceDate: value), .date(value))
    case 6:
      let items = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
        PropertyListFoundationTests.value(depth: depth - 1, &random)
      }
      return (items.map(\.0), .array(items.map(\.1)))
    default:
      var foundation: [String: any Sendable] = [:]
      var entries: [(key: String, value: PropertyListValue)] = []
      for index in 0..<Int.random(in: 0..<20, using: &random) {
        let (a, b) = PropertyListFoundationTests.value(depth: depth - 1, &random)
        foundation["key \(index) ü"] = a
        entries.append(("key \(index) ü", b))
      }
      return (foundation, .dictionary(PropertyListDictionary(entries)))
    }
  }

  /// The value with dictionaries sorted by key, because Foundation does not keep an order.
  static func sorted(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .array(let items): .array(items.map(sorted))
    case .dictionary(let dictionary):
      .dictionary(
        PropertyListDictionary(
          dictionary.entries.sorted { $0.key < $1.key }.map { ($0.key, sorted($0.value)) }))
    default: value
    }
  }

  @Test(arguments: 0..<60) func `property lists that Foundation writes are read as the same values`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) + 1)
    let (foundation, ours) = PropertyListFoundationTests.value(depth: 4, &random)
    let root: [String: any Sendable] = ["root": foundation]
    let expected = PropertyListValue.dictionary(PropertyListDictionary([("root", ours)]))
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let data = try PropertyListSerialization.data(fromPropertyList: root, format: format, options: 0)
      let list = try PropertyList(reading: Bytes(data))
      #expect(
        PropertyListFoundationTests.sorted(list.root) == PropertyListFoundationTests.sorted(expected), "\(format)")
    }
  }
}
