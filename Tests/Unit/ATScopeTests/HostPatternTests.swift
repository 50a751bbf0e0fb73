import Testing

@testable import ATScope

@Suite struct HostPatternTests {
  @Test(arguments: [
    ("2001:DB8::1", true), ("[2001:db8:0:0:0:0:0:1]", true), ("[2001:db8:0::1]:443", true), ("2001:db8:*", true),
    ("[2001:db8::1]:80", false), ("2001:db8::2", false), ("[2001:db8::1", false),
  ])
  func `an IPv6 address matches in each of its spellings`(text: String, matches: Bool) {
    #expect(HostPattern(text).matches("2001:db8::1", port: 443) == matches)
    #expect(HostPattern(text).matches("2001:DB8:0:0::1", port: 443) == matches)
  }
}
