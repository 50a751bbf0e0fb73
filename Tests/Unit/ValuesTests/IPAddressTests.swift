import Testing
import Values

@Suite struct IPAddressTests {
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::", "::"), ("::1", "::1"), ("2001:DB8::1", "2001:db8::1"),
    ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
    ("fe80::", "fe80::"), ("::ffff:192.0.2.1", "::ffff:192.0.2.1"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
  ])
  func `addresses are parsed and written in the form of RFC 5952`(text: String, canonical: String) {
    let address = IPAddress(text)
    #expect(address?.description == canonical)
    #expect(address.flatMap { IPAddress(bytes: $0.bytes) } == address)
  }

  @Test func `an IPv6 address with any zero groups survives a round trip`() {
    for gap in 0..<256 {
      var halves: (UInt64, UInt64) = (0, 0)
      for index in 0..<8 where gap >> index & 1 == 1 {
        if index < 4 {
          halves.0 |= 0xAB << UInt64(48 - 16 * index)
        } else {
          halves.1 |= 0xC << UInt64(112 - 16 * index)
        }
      }
      let address = IPAddress(v6: halves.0, halves.1)
      #expect(IPAddress(address.description) == address)
    }
  }

  @Test(arguments: [
    "", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.5", ":", ":::", "1::2::3", "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "12345::", "g::", "::1.2.3", "1.2.3.4::", "1.2.3.4::1", "fe80::1%en0", "[::1]", "1:2:3:4:5:6:7:8::", "+1::",
  ])
  func `text that is not an IP address is rejected`(text: String) {
    #expect(IPAddress(text) == nil)
  }
}
