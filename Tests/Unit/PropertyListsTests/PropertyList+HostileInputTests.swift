import ByteParsing
import PropertyLists
import SeededRandom
import Testing

@Suite(.timeLimit(.minutes(10))) struct PropertyListHostileInputTests {
  static func reason(_ bytes: Bytes) -> PropertyListError.Reason? {
    do throws(PropertyListError) {
      _ = try PropertyList(reading: bytes)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `an object that contains itself is a cycle`() {
    #expect(PropertyListHostileInputTests.reason(BinaryFixture.one([0xA1, 0])) == .cycle(object: 0))
    let long = BinaryFixture(objects: [[0xA1, 1], [0xC1, 2], [0xD1, 3, 0], [0x51, 0x61]])
    #expect(PropertyListHostileInputTests.reason(long.bytes) == .cycle(object: 0))
    let key = BinaryFixture(objects: [[0xD1, 0, 1], [0x09]])
    #expect(PropertyListHostileInputTests.reason(key.bytes) == .cycle(object: 0))
  }

  @Test func `arrays that each refer to the next twice exceed the object limit`() {
    var fixture = BinaryFixture()
    for index in 1...28 { fixture.objects.append([0xA2, UInt8(index), UInt8(index)]) }
    fixture.objects.append([0x09])
    #expect(
      PropertyListHostileInputTests.reason(fixture.bytes) == .limit(.objects, PropertyListLimits.objectCount))
  }

  @Test func `a string that is referred to a thousand times exceeds the content limit`() {
    let size = 1 << 20
    let text = [0x5F, 0x12] + BinaryFixture.bigEndian(size, 4) + [UInt8](repeating: 0x61, count: size)
    let list: [UInt8] = [0xAF, 0x11] + BinaryFixture.bigEndian(1000, 2) + [UInt8](repeating: 1, count: 1000)
    let fixture = BinaryFixture(objects: [list, text])
    #expect(
      PropertyListHostileInputTests.reason(fixture.bytes) == .limit(.content, PropertyListLimits.contentByteCount))
  }

  @Test func `a nesting of 100,000 levels exceeds the depth limit in both formats`() {
    let depth = 100_000
    var fixture = BinaryFixture()
    fixture.referenceSize = 4
    for index in 1...depth { fixture.objects.append([0xA1] + BinaryFixture.bigEndian(index, 4)) }
    fixture.objects.append([0x09])
    #expect(PropertyListHostileInputTests.reason(fixture.bytes) == .limit(.depth, PropertyListLimits.depth))
    for (open, close) in [("<array>", "</array>"), ("<dict><key>a</key>", "</dict>")] {
      let text = String(repeating: open, count: depth) + "<true/>" + String(repeating: close, count: depth)
      #expect(
        PropertyListHostileInputTests.reason(XMLPropertyListReaderTests.plist(text))
          == .limit(.depth, PropertyListLimits.depth))
    }
  }

  @Test func `nesting up to the depth limit is read in both formats`() {
    let depth = PropertyListLimits.depth
    var fixture = BinaryFixture()
    for index in 1...depth { fixture.objects.append([0xA1, UInt8(index)]) }
    fixture.objects.append([0x09])
    #expect(PropertyListHostileInputTests.reason(fixture.bytes) == nil)
    let open = String(repeating: "<array>", count: depth - 1)
    let text = open + "<array></array>" + String(repeating: "</array>", count: depth - 1)
    #expect(PropertyListHostileInputTests.reason(XMLPropertyListReaderTests.plist(text)) == nil)
  }

  @Test func `too many elements exceed the object limit`() {
    let text = "<array>" + String(repeating: "<true/>", count: PropertyListLimits.objectCount) + "</array>"
    #expect(
      PropertyListHostileInputTests.reason(XMLPropertyListReaderTests.plist(text))
        == .limit(.objects, PropertyListLimits.objectCount))
  }

  @Test func `an array of 100,000 elements is read`() throws {
    let text = "<array>" + String(repeating: "<string>x</string>", count: 100_000) + "</array>"
    #expect(try PropertyList(reading: XMLPropertyListReaderTests.plist(text)).root.array?.count == 100_000)
  }

  @Test func `a file beyond the byte limit is rejected`() {
    let bytes = Bytes(repeating: 0x20, count: PropertyListLimits.byteCount + 1)
    #expect(PropertyListHostileInputTests.reason(bytes) == .limit(.bytes, PropertyListLimits.byteCount))
  }

  @Test func `an entity expansion bomb is rejected`() {
    var text = "<?xml version=\"1.0\"?>\n<!DOCTYPE plist [\n<!ENTITY l0 \"lol\">\n"
    for index in 1...9 {
      let body = String(repeating: "&l\(index - 1);", count: 10)
      text += "<!ENTITY l\(index) \"\(body)\">\n"
    }
    text += "]>\n<plist><string>&l9;</string></plist>"
    #expect(PropertyListHostileInputTests.reason(Bytes(text.utf8)) == .entity)
  }

  @Test(arguments: [6, 7, 8, 15, 16, 23, 24, 31], [0x00, 0x7F, 0x80, 0xFF] as [UInt8])
  func `a changed trailer never traps, and one that ends in 0xFF throws`(field: Int, value: UInt8) {
    var bytes = BinaryFixture(objects: [[0xD1, 1, 2], [0x51, 0x61], [0xA1, 1]]).bytes
    bytes[bytes.count - 32 + field] = value
    _ = PropertyListHostileInputTests.reason(bytes)
    for index in (bytes.count - 32 + field)..<bytes.count { bytes[index] = 0xFF }
    #expect(PropertyListHostileInputTests.reason(bytes) != nil)
  }

  static let samples: [Bytes] = [
    BinaryFixture(objects: [
      [0xD3, 1, 2, 3, 4, 5, 6], [0x51, 0x61], [0x51, 0x62], [0x62, 0, 0xE4, 0, 0x62], [0xA2, 7, 8],
      [0x5F, 0x10, 16] + [UInt8](repeating: 0x78, count: 16), [0xC1, 9],
      [0x14] + [UInt8](repeating: 7, count: 16), [0x33] + [UInt8](repeating: 1, count: 8), [0x80, 3],
    ]).bytes,
    XMLPropertyListReaderTests.plist(
      "<dict><key>ä&amp;</key><array><true/><integer>-7</integer></array><key>b</key><data>AAEC</data></dict>",
      head: XMLPropertyListReaderTests.appleDoctype),
  ]

  @Test(arguments: samples.indices) func `a property list truncated anywhere throws`(sample: Int) {
    let bytes = PropertyListHostileInputTests.samples[sample]
    #expect(PropertyListHostileInputTests.reason(bytes) == nil)
    // The XML sample is complete without the final line feed.
    for count in 0..<(bytes.count - (sample == 0 ? 0 : 1)) {
      #expect(PropertyListHostileInputTests.reason(Bytes(bytes[..<count])) != nil, "\(count)")
    }
  }

  @Test(arguments: samples.indices) func `changed bytes parse or throw`(sample: Int) {
    var random = SeededGenerator(seed: 7)
    let bytes = PropertyListHostileInputTests.samples[sample]
    for _ in 0..<TestEffort.rounds(20_000) {
      var changed = bytes
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        changed[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = PropertyListHostileInputTests.reason(changed)
    }
  }

  @Test(arguments: ["bplist00", "<plist>", ""]) func `random bytes parse or throw`(start: String) {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<TestEffort.rounds(10_000) {
      var bytes = Bytes(start.utf8)
      for _ in 0..<Int.random(in: 0..<120, using: &random) {
        // Small numbers are more likely to be valid counts and references.
        let isSmall = Bool.random(using: &random)
        bytes.append(UInt8.random(in: 0...(isSmall ? 12 : 255), using: &random))
      }
      _ = PropertyListHostileInputTests.reason(bytes)
    }
  }
}
