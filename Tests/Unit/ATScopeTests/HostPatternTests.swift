import Testing

@testable import ATScope

@Suite struct HostPatternTests {
  @Test(arguments: [
    ("ap?.example.com", "api.example.com", true), ("ap?.example.com", "ap.example.com", false),
    ("ap?.example.com", "apis.example.com", false), ("???.example.com", "api.example.com", true), ("?", "", false),
    ("?*", "a", true), ("?*", "", false),
  ])
  func `a question mark matches exactly one character`(text: String, host: String, matches: Bool) {
    #expect(HostPattern(text).matches(host) == matches)
  }

  @Test(arguments: [
    ("*", "", true), ("**", "api.example.com", true), ("*.example.*", "api.example.org", true), ("*.example.*", "example.org", false),
    ("a*.b*.com", "api.v2.beta.com", true), ("a*.b*.com", "api.v2.com", false), ("*a*a", "banana", true), ("*a*a", "banan", false),
    ("api.*.com*", "api.example.com", true),
  ])
  func `each star matches any characters`(text: String, host: String, matches: Bool) {
    #expect(HostPattern(text).matches(host) == matches)
  }

  @Test(arguments: ["api.example.com", "API.Example.COM", "*.EXAMPLE.com"])
  func `case does not matter`(text: String) {
    #expect(HostPattern(text).matches("api.example.com"))
    #expect(HostPattern(text).matches("Api.eXample.com", port: 443))
  }

  @Test(arguments: [
    ("api.example.com", true), ("api.example.com:8443", true), ("api.example.com:443", false), ("api.example.com:*", true),
    ("*:8443", true), ("*:443", false), ("api.example.com:844?", true),
  ])
  func `a pattern may contain the port`(text: String, matches: Bool) {
    #expect(HostPattern(text).matches("api.example.com", port: 8443) == matches)
  }

  @Test(arguments: [
    ("2001:DB8::1", true), ("[2001:db8:0:0:0:0:0:1]", true), ("[2001:db8:0::1]:443", true), ("2001:db8:*", true),
    ("[2001:db8::1]:80", false), ("2001:db8::2", false), ("[2001:db8::1", false),
  ])
  func `an IPv6 address matches in each of its spellings`(text: String, matches: Bool) {
    #expect(HostPattern(text).matches("2001:db8::1", port: 443) == matches)
    #expect(HostPattern(text).matches("2001:DB8:0:0::1", port: 443) == matches)
  }
}
