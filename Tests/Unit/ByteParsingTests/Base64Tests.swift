import ByteParsing
import Testing

@Suite struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar"),
  ])
  func `the test vectors are encoded and decoded (RFC 4648 §10)`(text: String, plain: String) {
    #expect(Base64.text(of: Bytes(plain.utf8)) == text)
    #expect(Base64.decode(Bytes(text.utf8).span) == Bytes(plain.utf8))
  }

  @Test(arguments: ["Zh==", "Zm9=", "/x=="])
  func `non-zero trailing bits are accepted only if stray bits are allowed`(text: String) {
    let characters = Bytes(text.utf8)
    #expect(Base64.decode(characters.span) == nil)
    #expect(Base64.decode(characters.span, allowingStrayBits: true) != nil)
  }

  @Test(arguments: ["Z", "Zg", "Zg=", "Zg===", "====", "Zm=v", "=m9v", "Zm9v\n", "Zm9-", "Zg==Zg=="])
  func `malformed Base64 is rejected, whether stray bits are allowed or not`(text: String) {
    let characters = Bytes(text.utf8)
    #expect(Base64.decode(characters.span) == nil)
    #expect(Base64.decode(characters.span, allowingStrayBits: true) == nil)
  }

  @Test func `64 characters have a value, and no two have the same`() {
    let values = (UInt8.min ... .max).compactMap { Base64.value(of: $0) }
    #expect(values.count == 64)
    #expect(values.sorted().elementsEqual(0..<64))
    #expect(Base64.value(of: UInt8(ascii: "=")) == nil)
  }
}
