import ByteParsing
import CertificateParsing
import TestBytes
import Testing

@Suite struct DistinguishedNameTests {
  static func subject(_ name: Bytes) -> Certificate {
    var parts = CertificateParts()
    parts.subject = name
    return parts.certificate
  }

  static func attribute(_ type: String, _ value: Bytes) -> Bytes { DER.sequence(DER.oid(type), value) }

  @Test(
    arguments: [
      (0x0C, Bytes("Grüße".utf8), "Grüße"), (0x13, Bytes("plain".utf8), "plain"),
      (0x13, Bytes("Grüße".utf8), "Grüße"), (0x14, [0x47, 0x72, 0xFC, 0xDF, 0x65], "Grüße"),
      (0x0C, [0x47, 0xFF, 0x65], "Gÿe"), (0x16, Bytes("a@b".utf8), "a@b"),
      (0x1E, [0x00, 0x47, 0x00, 0xFC, 0xD8, 0x3D, 0xDE, 0x00], "Gü😀"),
      (0x1E, [0x00, 0x47, 0xD8, 0x3D], "G\u{FFFD}"),
      (0x1C, [0, 0, 0, 0x47, 0, 1, 0xF6, 0x00], "G😀"), (0x1C, [0, 0x11, 0, 0], "\u{FFFD}"),
      (0x12, Bytes("42".utf8), "42"), (0x1A, Bytes("v".utf8), "v"),
      // Values that are not strings, or not whole characters, are written in hexadecimal.
      (0x03, [0x00, 0x0F], "#0302000f"), (0x1E, [0x00], "#1e0100"), (0x30, [0x05, 0x00], "#30020500"),
      // RFC 4514 §2.4.
      (0x0C, Bytes(#"a,b+c"d\e<f>g;h=i"#.utf8), #"a\,b\+c\"d\\e\<f\>g\;h=i"#),
      (0x0C, Bytes("#a#".utf8), "\\#a#"),
      (0x0C, Bytes("  a  ".utf8), #"\  a \ "#), (0x0C, Bytes(" ".utf8), #"\ "#),
      (0x0C, Bytes("a\0b".utf8), #"a\00b"#),
      (0x0C, Bytes("a\u{1B}\nb".utf8), "a\u{1B}\nb"), (0x0C, [], ""),
    ] as [(UInt8, Bytes, String)])
  func `attribute values of every string type are decoded`(tag: UInt8, contents: Bytes, expected: String) {
    let certificate = DistinguishedNameTests.subject(
      DER.sequence(DER.element(0x31, DistinguishedNameTests.attribute("2.5.4.10", DER.element(tag, contents)))))
    #expect(certificate.decodingError == nil)
    #expect(certificate.subject == "O=" + expected)
    #expect(certificate.commonName == nil)
  }

  @Test func `attributes of one RDN are joined by a plus sign, in order`() {
    let first = DistinguishedNameTests.attribute("2.5.4.11", DER.string(0x0C, "unit"))
    let second = DistinguishedNameTests.attribute("1.2.3.4", DER.string(0x0C, "x"))
    let top = DistinguishedNameTests.attribute("2.5.4.6", DER.string(0x13, "DE"))
    let certificate = DistinguishedNameTests.subject(
      DER.sequence(DER.element(0x31, top), DER.element(0x31, first, second)))
    #expect(certificate.subject == "OU=unit+1.2.3.4=x,C=DE")
  }

  @Test func `the last commonName is used`() {
    let first = DistinguishedNameTests.attribute("2.5.4.3", DER.string(0x0C, "first"))
    let last = DistinguishedNameTests.attribute("2.5.4.3", DER.string(0x0C, "last"))
    let certificate = DistinguishedNameTests.subject(DER.sequence(DER.element(0x31, first), DER.element(0x31, last)))
    #expect(certificate.subject == "CN=last,CN=first")
    #expect(certificate.commonName == "last")
  }

  @Test func `an empty name is written as an empty string`() {
    let certificate = DistinguishedNameTests.subject(DER.sequence())
    #expect(certificate.subject == "")
    #expect(certificate.decodingError == nil)
    #expect(certificate.subjectDER == [0x30, 0x00])
  }

  @Test func `a long value is truncated and reported as a quirk`() {
    let certificate = DistinguishedNameTests.subject(DER.name(String(repeating: "a", count: 5000)))
    #expect(certificate.subject == "CN=" + String(repeating: "a", count: 4096) + "…")
    #expect(certificate.quirks == ["shortened-text"])
    #expect(certificate.decodingError == nil)
  }

  @Test func `a value is not truncated within a character`() {
    let certificate = DistinguishedNameTests.subject(DER.name("a" + String(repeating: "ü", count: 3000)))
    #expect(certificate.subject == "CN=a" + String(repeating: "ü", count: 2047) + "…")
  }

  @Test func `a name longer than the limit is an error`() {
    let part = DER.element(0x31, DistinguishedNameTests.attribute("2.5.4.11", DER.string(0x0C, "unit")))
    let certificate = DistinguishedNameTests.subject(
      DER.sequence((0..<6000).map { _ in part }.reduce(Bytes(), +)))
    #expect(certificate.decodingError?.hasSuffix("more than 65536") == true)
    #expect(certificate.subject == "")
    #expect(certificate.publicKey.bits == 256)
  }

  @Test func `the last common name is the most specific, and the others are kept`() {
    let names = ["a.example", "b.example", "c.example"].map {
      DER.element(0x31, DistinguishedNameTests.attribute("2.5.4.3", DER.string(0x0C, $0)))
    }
    let certificate = DistinguishedNameTests.subject(DER.sequence(names.reduce(Bytes(), +)))
    #expect(certificate.commonName == "c.example")
    #expect(certificate.otherCommonNames == ["a.example", "b.example"])
  }

  @Test func `a NUL byte in a name is reported as a quirk`() {
    #expect(DistinguishedNameTests.subject(DER.name("a.example\0.evil.example")).quirks == ["nul-in-name"])
  }

  @Test(arguments: [
    DER.element(0x31), DER.sequence(DER.sequence()), DER.sequence(DER.element(0x31, DER.oid("2.5.4.3"))),
    DER.sequence(DER.element(0x31, DER.sequence(DER.oid("2.5.4.3")))), DER.sequence(DER.element(0x31, DER.sequence(DER.string(0x0C, "x")))),
    DER.sequence(
      DER.element(0x31, DER.sequence(DER.oid("2.5.4.3"), DER.string(0x0C, "x"), DER.string(0x0C, "y")))),
    [0x30, 0x02, 0x31, 0x05],
  ])
  func `a malformed name is an error, and the rest of the certificate is read`(name: Bytes) {
    let certificate = DistinguishedNameTests.subject(name)
    #expect(certificate.decodingError?.hasPrefix("subject at byte") == true)
    #expect(certificate.subject == "")
    if name.first == 0x30 { #expect(certificate.publicKey.bits == 256) }
  }
}
