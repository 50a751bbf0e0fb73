import ByteParsing
import Testing

@testable import CertificateParsing

@Suite struct DERReaderTests {
  @Test(arguments: [
    ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B], "1.2.840.113549.1.1.11"),
    ([0x55, 0x04, 0x03], "2.5.4.3"), ([0x00], "0.0"), ([0x27], "0.39"), ([0x28], "1.0"), ([0x4F], "1.39"),
    ([0x50], "2.0"), ([0x88, 0x37], "2.999"),
    // A UUID below 2.25, all bits set: 2¹²⁸ − 1.
    (
      [0x69, 0x83] + [UInt8](repeating: 0xFF, count: 17) + [0x7F],
      "2.25.340282366920938463463374607431768211455"
    ),
  ])
  func `object identifiers are written with dots, whatever the size of their numbers`(
    contents: [UInt8], expected: String
  ) throws {
    let bytes = Bytes(contents)
    #expect(try dottedObjectIdentifier(bytes.span, "oid", at: 0) == expected)
  }
}
