import ByteParsing
import PropertyLists
import Testing

/// Writes valid and invalid binary property lists.
struct BinaryFixture {
  var objects: [[UInt8]] = []
  var root = 0
  var referenceSize = 1

  /// The property list of the objects, which include their markers, in order.
  var bytes: Bytes {
    var bytes = Bytes("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    let offsetSize = table < 0x100 ? 1 : table < 0x10000 ? 2 : 4
    for offset in offsets { bytes += BinaryFixture.bigEndian(offset, offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    bytes += BinaryFixture.bigEndian(objects.count, 8)
    bytes += BinaryFixture.bigEndian(root, 8)
    bytes += BinaryFixture.bigEndian(table, 8)
    return bytes
  }

  static func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func one(_ object: [UInt8]) -> Bytes { BinaryFixture(objects: [object]).bytes }
}

@Suite struct BinaryPropertyListReaderTests {
  @Test(arguments: [
    ([0x00], PropertyListValue.null),
    ([0x08], .boolean(false)),
    ([0x09], .boolean(true)),
    ([0x10, 0xFF], .integer(255)),
    ([0x11, 0xFF, 0xFE], .integer(65534)),
    ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(4_294_967_295)),
    ([0x13] + [UInt8](repeating: 0xFF, count: 8), .integer(-1)),
    (
      [0x14] + [UInt8](repeating: 0, count: 7) + [1] + [UInt8](repeating: 0, count: 8),
      .integer(PropertyListInteger(high: 1, low: 0))
    ),
    ([0x22, 0x3F, 0x80, 0, 0], .real(1)),
    ([0x23, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0], .real(1)),
    ([0x33, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0], .date(1)),
    ([0x42, 0xAB, 0xCD], .data([0xAB, 0xCD])),
    ([0x53, 0x61, 0x62, 0x63], .string("abc")),
    ([0x62, 0x00, 0xE4, 0x20, 0xAC], .string("ä€")),
    ([0x81, 0x01, 0x02], .uid(258)),
    ([0xA0], .array([])),
    ([0xC0], .set([])),
    ([0xD0], .dictionary(PropertyListDictionary())),
  ])
  func `each type of object is read exactly`(object: [UInt8], expected: PropertyListValue) throws {
    let list = try PropertyList(reading: BinaryFixture.one(object))
    #expect(list.root == expected)
  }

  @Test func `a size above 14 follows as an integer`() throws {
    let object: [UInt8] = [0x5F, 0x10, 20] + [UInt8](repeating: 0x78, count: 20)
    #expect(try PropertyList(reading: BinaryFixture.one(object)).root.string?.count == 20)
  }

  @Test func `containers contain the objects that their references name`() throws {
    let fixture = BinaryFixture(objects: [
      [0xD2, 1, 2, 3, 4], [0x51, 0x61], [0x51, 0x62], [0xA2, 4, 4], [0x09],
    ])
    let root = try PropertyList(reading: fixture.bytes).root
    #expect(root.dictionary?["a"] == .array([.boolean(true), .boolean(true)]))
    #expect(root.dictionary?["b"] == .boolean(true))
  }

  @Test func `the first entry of a repeated key counts, the others are kept separately`() throws {
    let fixture = BinaryFixture(objects: [[0xD2, 1, 1, 2, 3], [0x51, 0x61], [0x09], [0x08]])
    let dictionary = try #require(try PropertyList(reading: fixture.bytes).root.dictionary)
    #expect(dictionary["a"] == .boolean(true))
    #expect(dictionary.repeated.map(\.value) == [.boolean(false)])
  }

  @Test func `a key that is not a string is omitted and counted`() throws {
    let fixture = BinaryFixture(objects: [[0xD1, 1, 2], [0x10, 5], [0x09]])
    let dictionary = try #require(try PropertyList(reading: fixture.bytes).root.dictionary)
    #expect(dictionary.entries.isEmpty)
    #expect(dictionary.nonTextKeyCount == 1)
  }

  @Test(
    arguments: [
      [0x01], [0x0F], [0x15] + [UInt8](repeating: 0, count: 32), [0x21, 0, 0], [0x32, 0, 0, 0, 0], [0x70],
      [0x88],
      [0x90], [0xB0], [0xE0], [0xF0], [0x51, 0xFF], [0x5F, 0x09], [0x5F, 0x14], [0x12, 0], [0x52, 0x61],
      [0xA1, 1], [0xA1], [0xD1, 0], [0x6F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x4F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    ] as [[UInt8]])
  func `an invalid object throws its byte offset`(object: [UInt8]) {
    let error = #expect(throws: PropertyListError.self) {
      try PropertyList(reading: BinaryFixture.one(object))
    }
    if case .byte(let offset)? = error?.position { #expect(offset >= 8) } else { Issue.record("no position") }
  }

  @Test func `integers of up to 128 bits are described in decimal`() {
    #expect(PropertyListInteger(high: -1, low: .max).description == "-1")
    #expect(PropertyListInteger(high: 1, low: 0).description == "18446744073709551616")
    #expect(PropertyListInteger(high: .min, low: 0).description == "-170141183460469231731687303715884105728")
    #expect(PropertyListInteger(0 as Int64).description == "0")
  }
}
