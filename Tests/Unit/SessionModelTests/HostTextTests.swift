import ByteParsing
import Testing

import SessionModel

@Suite struct HostTextTests {
  @Test(arguments: [1, 64, 253])
  func `a name no longer than DNS allows is kept unchanged`(length: Int) {
    let name = Bytes(repeating: UInt8(ascii: "a"), count: length)
    #expect(HostText.text(name) == String(repeating: "a", count: length))
  }

  @Test func `a trailing dot does not count`() {
    let name = Bytes(repeating: UInt8(ascii: "a"), count: 253) + [UInt8(ascii: ".")]
    #expect(HostText.text(name).utf8.count == 254)
  }

  @Test func `a longer name is shortened to its beginning, length and digest`() {
    let name = Bytes(repeating: UInt8(ascii: "a"), count: 254)
    let text = HostText.text(name)
    #expect(text.hasPrefix(String(repeating: "a", count: 64) + "... (254 bytes, sha256 "))
    #expect(text.utf8.count == 64 + 23 + 64 + 1)
    #expect(HostText.text(Bytes(name.dropLast()) + [0x62]) != text)
  }
}
