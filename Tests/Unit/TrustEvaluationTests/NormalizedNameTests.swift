import ByteParsing
import TestBytes
import Testing
@testable import TrustEvaluation

/// An attribute of the type 2.5.4.`type` with a value of this string type.
private func attribute(_ type: UInt8, _ value: String, _ tag: UInt8 = 0x0C) -> Bytes {
  DER.sequence(DER.oid("2.5.4.\(type)"), DER.string(tag, value))
}

/// A Name whose relative distinguished names contain these attributes.
private func name(_ sets: Bytes...) -> NormalizedName {
  NormalizedName(DER.sequence(Bytes(sets.flatMap { DER.element(0x31, $0) })))
}

@Suite struct NormalizedNameTests {
  @Test func `only PrintableStrings are compared without case and extra spaces`() {
    let plain = name(attribute(6, "XX", 0x13), attribute(3, "example ca", 0x13))
    #expect(name(attribute(6, "xx", 0x13), attribute(3, " \tExample   CA ", 0x13)) == plain)
    #expect(name(attribute(6, "XX", 0x13), attribute(3, "exampleca", 0x13)) != plain)
    #expect(name(attribute(6, "XX", 0x13), attribute(10, "example ca", 0x13)) != plain)
    for tag in [0x0C, 0x14, 0x16, 0x1A, 0x04] as [UInt8] {
      #expect(name(attribute(6, "XX", 0x13), attribute(3, "example ca", tag)) != plain)
      #expect(name(attribute(3, "Example", tag)) != name(attribute(3, "example", tag)))
      #expect(name(attribute(3, "a  b", tag)) != name(attribute(3, "a b", tag)))
    }
  }

  @Test func `non-ASCII letters are compared case-sensitively`() {
    #expect(name(attribute(3, "É")) == name(attribute(3, "É")))
    #expect(name(attribute(3, "É")) != name(attribute(3, "é")))
  }

  @Test func `the order of attributes and of relative distinguished names matters`() {
    let (country, common) = (attribute(6, "XX"), attribute(3, "a"))
    #expect(name(country + common) != name(common + country))
    #expect(name(country + common) != name(country, common))
    #expect(name(country, common) != name(common, country))
  }

  @Test func `a value that imitates two attributes does not equal them`() {
    let two = name(attribute(3, "a"), attribute(3, "b"))
    #expect(name(attribute(3, "a\0\u{1}\u{3}\0\0\0U\u{4}\u{3}\u{C}\u{1}\0\0\0b")) != two)
    #expect(name(attribute(3, "a\0b")) != name(attribute(3, "a"), attribute(3, "b")))
  }

  @Test func `only a name without attributes is empty`() {
    #expect(name().isEmpty && !name(attribute(6, "XX")).isEmpty)
  }

  @Test func `a malformed name equals only itself`() {
    let broken = NormalizedName([0x30, 0x05, 0x31])
    #expect(broken == NormalizedName([0x30, 0x05, 0x31]))
    #expect(!broken.isEmpty && broken != NormalizedName([0x30, 0x05]))
    #expect(!NormalizedName([]).isEmpty)
  }
}
