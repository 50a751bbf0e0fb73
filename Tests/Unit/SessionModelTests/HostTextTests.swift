import ByteParsing
import Testing

import SessionModel

@Suite struct HostTextTests {
  @Test(arguments: [1, 64, 253])
  func `a name that DNS allows is kept as it is`(length: Int) {
    let name = Bytes(repeating: UInt8(ascii: "a"), count: length)
    #expect(HostText.text(name) == String(repeating: "a", count: length))
  }

  @Test func `the final dot does not count`() {
    let name = Bytes(repeating: UInt8(ascii: "a"), count: 253) + [UInt8(ascii: ".")]
    #expect(HostText.text(name).utf8.count == 254)
  }

  @Test func `of a longer name the beginning, the length and the digest are kept`() {
    let name = Bytes(repeating: UInt8(ascii: "a"), count: 254)
    let text = HostText.text(name)
    #expect(text.hasPrefix(String(repeating: "a", count: 64) + "... (254 bytes, sha256 "))
    #expect(text.utf8.count == 64 + 23 + 64 + 1)
    #expect(HostText.text(Bytes(name.dropLast()) + [0x62]) != text)
  }
}
