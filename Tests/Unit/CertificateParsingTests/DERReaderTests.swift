import ByteParsing
import Testing

@testable import CertificateParsing

/// Calls `isDistinguished` outside `#expect`, which does not accept spans.
private func isDER(_ bytes: Bytes) -> Bool { isDistinguished(bytes.span) }

@Suite struct DERReaderTests {
  @Test(arguments: [
    ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B], "1.2.840.113549.1.1.11"),
    ([0x55, 0x04, 0x03], "2.5.4.3"), ([0x00], "0.0"), ([0x27], "0.39"), ([0x28], "1.0"), ([0x4F], "1.39"),
    ([0x50], "2.0"), ([0x88, 0x37], "2.999"),
    // A UUID under the arc 2.25 with all bits set: 2¹²⁸ − 1.
    (
      [0x69, 0x83] + [UInt8](repeating: 0xFF, count: 17) + [0x7F],
      "2.25.340282366920938463463374607431768211455"
    ),
  ])
  func `object identifiers are written in dotted form, with arcs of any size`(
    contents: [UInt8], expected: String
  ) throws {
    let bytes = Bytes(contents)
    #expect(try dottedObjectIdentifier(bytes.span, "oid", at: 0) == expected)
  }

  @Test(arguments: [
    [], [0x80], [0x2A, 0x80], [0x80, 0x01], [0x2A, 0x80, 0x01], Bytes(repeating: 0x01, count: 129),
  ])
  func `truncated, padded and very long object identifiers throw`(contents: Bytes) {
    #expect(throws: ParseError.self) { try dottedObjectIdentifier(contents.span, "oid", at: 0) }
  }

  @Test func `an element with a high tag number is skipped`() throws {
    let bytes: Bytes = [0xBF, 0x81, 0x01, 0x01, 0xAA, 0x05, 0x00]
    var reader = DERReader(bytes.span)
    let first = try reader.next("first")
    #expect(first.tag == 0xBF)
    #expect(first.contentsRange == 4..<5)
    #expect(try reader.next("second").tag == Tag.null)
    let isAtEnd = reader.isAtEnd
    #expect(isAtEnd)
    #expect(isDER(bytes))
  }

  @Test(
    arguments: [
      [0x30], [0xBF], [0xBF, 0x81], [0xBF, 0x81, 0x81, 0x81, 0x81, 0x01, 0x00], [0x30, 0x80], [0x30, 0x81],
      [0x30, 0x82, 0x01], [0x30, 0x01], [0x30, 0xFF],
      [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x30, 0x86, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    ] as [Bytes])
  func `truncated headers and lengths beyond the end throw`(bytes: Bytes) {
    #expect(throws: ParseError.self) {
      var reader = DERReader(bytes.span)
      _ = try reader.next("element").tag
    }
  }

  @Test func `a truncated element has its available contents and the number of missing bytes`() throws {
    let bytes: Bytes = [0x30, 0x05, 0x02, 0x01, 0x07]
    var reader = DERReader(bytes.span, base: 100)
    let element = try reader.nextAvailable("element", Tag.sequence)
    #expect(element.missing == 2)
    #expect(element.range == 100..<105)
    #expect(element.contentsRange == 102..<105)
    var inner = DERReader(element.contents)
    #expect(try inner.next("inner", Tag.integer).smallNumber("inner") == 7)
  }

  @Test func `a length with leading zeros is read but is not DER`() throws {
    let bytes: Bytes = [0x04, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xAA]
    var reader = DERReader(bytes.span)
    #expect(try reader.next("element").contentsRange == 11..<12)
    #expect(!isDER(bytes))
  }

  @Test(
    arguments: [
      ([0x30, 0x03, 0x02, 0x01, 0x05], true), ([0x30, 0x81, 0x03, 0x02, 0x01, 0x05], false),
      ([0x30, 0x04, 0x02, 0x81, 0x01, 0x05], false), ([0x30, 0x05, 0x02, 0x82, 0x00, 0x01, 0x05], false),
      ([0x30, 0x05, 0x04, 0x03, 0x02, 0x81, 0x00], true), ([0x30, 0x03, 0x01, 0x01, 0xFF], true),
      ([0x30, 0x03, 0x01, 0x01, 0x00], true), ([0x30, 0x03, 0x01, 0x01, 0x01], false),
      ([0x30, 0x02, 0x01, 0x00], false), ([0x30, 0x04, 0x01, 0x02, 0xFF, 0xFF], false),
      // Only the first element is checked, and only if it is complete and has a definite length.
      ([0x05, 0x00, 0x05, 0x81, 0x00], true), ([0x30, 0x80, 0x05, 0x81, 0x00, 0x00, 0x00], true),
      ([0x30, 0x81], true), ([0x30], true), ([], true), ([0x30, 0x02, 0x05, 0x81], true),
      ([0x3F, 0x81], true), ([0x04, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], true),
    ] as [(Bytes, Bool)])
  func `DER requires lengths in the shortest form and BOOLEANs of 00 or FF`(bytes: Bytes, isRight: Bool) {
    #expect(isDER(bytes) == isRight)
  }

  @Test func `the DER check never traps on truncated or changed certificates`() {
    let whole = CertificateParts().der
    #expect(isDER(whole))
    for index in whole.indices {
      _ = isDER(Bytes(whole[..<index]))
      for bit in 0..<8 {
        var changed = whole
        changed[index] ^= 1 << bit
        _ = isDER(changed)
      }
    }
  }
}
