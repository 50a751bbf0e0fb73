import InfoPlistReading
import PolicyResolution
import Testing

@Suite struct LinterReplacementsTests {
  /// An invalid key, the key that its finding suggests, a host that matches this key, and one that does not.
  static let replacements: [(key: String, replacement: String, inside: String, outside: String)] = [
    // Ranges with leading or trailing spaces.
    ("203.0.113.0/24 ", "203.0.113.0/24", "203.0.113.9", "203.0.114.9"),
    (" 10.0.0.0/8", "10.0.0.0/8", "10.9.9.9", "11.0.0.1"),
    (" 192.168.100.120/24 ", "192.168.100.0/24", "192.168.100.1", "192.168.101.1"),
    // Ranges of IPv4-mapped addresses.
    ("::ffff:10.0.0.0/104", "::ffff:a00:0/104", "::ffff:10.1.2.3", "::ffff:11.0.0.1"),
    ("::ffff:192.0.2.128/121", "::ffff:c000:280/121", "::ffff:192.0.2.200", "::ffff:192.0.2.1"),
    ("::ffff:192.0.2.1/128", "::ffff:192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.2"),
    // Ranges whose prefix length is not decimal.
    ("192.168.0.0/255.255.0.0", "192.168.0.0/16", "192.168.7.7", "192.169.0.1"),
    ("10/255.0.0.0", "10.0.0.0/8", "10.7.7.7", "11.0.0.1"),
    ("192.0.2.1/255.255.255.255", "192.0.2.1", "192.0.2.1", "192.0.2.2"),
    ("10.0.0.0/0x8", "10.0.0.0/8", "10.7.7.7", "11.0.0.1"), ("10.0.0.0/8/", "10.0.0.0/8", "10.7.7.7", "11.0.0.1"),
    ("2001:db8::%en0/0X20", "2001:db8::/32", "2001:db8::7", "2001:db9::1"),
    ("127.0.0.1/", "127.0.0.1", "127.0.0.1", "127.0.0.2"), ("2001:db8::1/", "2001:db8::1", "2001:db8::1", "2001:db8::2"),
    ("//cdn.a.example", "cdn.a.example", "cdn.a.example", "a.example"),
    ("//cdn.a.example:80/x", "cdn.a.example", "cdn.a.example", "a.example"),
    // Asterisks in addresses and in names.
    ("192.168.*.*", "192.168.0.0/16", "192.168.7.7", "192.169.0.1"),
    ("192.168.*", "192.168.0.0/16", "192.168.7.7", "192.169.0.1"),
    ("10.*", "10.0.0.0/8", "10.7.7.7", "11.0.0.1"),
    ("192.168.100.*", "192.168.100.0/24", "192.168.100.7", "192.168.101.7"),
    ("http://10.*.*.*:8080/x", "10.0.0.0/8", "10.7.7.7", "11.0.0.1"),
    ("*.a.example", "a.example", "x.a.example", "example"),
    ("https://*.a.example:8443", "a.example", "x.a.example", "example"),
    ("api.*.a.example", "a.example", "api.x.a.example", "example"),
    ("**.a.example", "a.example", "x.a.example", "example"),
    ("*-api.a.example", "a.example", "x-api.a.example", "example"),
    ("*a.example", "a.example", "x.a.example", "example"),
    ("*.a.co.uk", "a.co.uk", "x.a.co.uk", "b.co.uk"),
  ]

  @Test(arguments: replacements.indices)
  func `a suggested key has no error and covers the intended hosts`(index: Int) throws {
    let (key, replacement, inside, outside) = LinterReplacementsTests.replacements[index]
    let faults = try entryPlist(key, LinterTests.insecure).lint().filter { $0.rule.severity == .error }
    let fix = try #require(faults.first?.suggestion)
    #expect(faults.count == 1)
    let includesSubdomains = fix == "write \(replacement) with NSIncludesSubdomains YES"
    #expect(includesSubdomains || fix == "write \(replacement)" || fix == "write the address alone: \(replacement)")
    let fixed = try entryPlist(
      replacement, LinterTests.insecure + (includesSubdomains ? LinterTests.subdomains : ""))
    #expect(Set(fixed.lint().map(\.rule)) == [.insecureOnly, .review])
    let resolver = PolicyResolver(dictionary: fixed.ats)
    func entry(for host: String) -> String? {
      resolver.policy(for: PolicyRequest(host: HostIdentity(host), release: .newest)).matchedEntry
    }
    #expect(entry(for: inside) == replacement)
    #expect(entry(for: outside) == nil)
  }

  @Test(arguments: [
    ("10.0.0.0/", "no number follows the slash", "write the address alone: 10.0.0.0"),
    ("10.0.0/", "no number follows the slash", "write a prefix length of at most 32 after the slash"),
    ("10.0.0.0/255.0.0.0", "only digits may follow the slash", "write 10.0.0.0/8"),
    ("10.0.0.0/0.255.0.255", "only digits may", "at most 32 after the slash, or the address alone: 10.0.0.0"),
    ("10.0.0.1/v1", "only digits may", "at most 32 after the slash, or the address alone: 10.0.0.1"),
    ("10.0.0.0/-8", "only digits may", "at most 32 after the slash, or the address alone: 10.0.0.0"),
    ("10.0.0.0/+8", "only digits may", "at most 32 after the slash, or the address alone: 10.0.0.0"),
    ("10.0.0.0/0x21", "only digits may", "at most 32 after the slash, or the address alone: 10.0.0.0"),
    ("10.0.0.0/33", "the number after the slash is too large", "write a prefix length of at most 32 after the slash"),
    ("2001:db8::/129", "too large", "write a prefix length of at most 128 after the slash"),
    ("10.0.0.0/8/8", "more than one slash", "write a prefix length of at most 32 after the slash"),
    ("/8", "no address precedes the slash", "write an address, a slash and a prefix length"),
    ("256.0.0.0/8", "no address precedes the slash", "write an address, a slash and a prefix length"),
    ("//cdn.a.example", "the key contains slashes at its start", "write cdn.a.example"),
    ("/path", "the key contains a path", "write the host alone"),
    ("//", "the key contains slashes at its start", "write the host alone"),
  ])
  func `an invalid range has a reason and a fix`(key: String, reason: String, fix: String) throws {
    let finding = try #require(try entryPlist(key, "").lint().first)
    #expect(finding.message.contains(reason))
    #expect(finding.suggestion?.hasSuffix(fix) == true)
  }

  @Test(arguments: ["*", "*.*.*.*", "*.com", "*.co.uk", "*.github.io", "*.local", "www.example.*", "*.1.1", "fe80::*"])
  func `a wildcard for a public suffix or all hosts has no replacement`(key: String) throws {
    let suggestions = try entryPlist(key, LinterTests.insecure).lint().map(\.suggestion)
    #expect(suggestions == ["list the hosts or registered domains that need it"])
  }

  @Test func `a range is not suggested where the system does not read it`() throws {
    let ios16 = try SystemRelease(named: "ios16")
    let old = try entryPlist("192.168.*.*", "").lint(release: ios16)
    #expect(
      old.map(\.suggestion) == ["load from a host name and list it: iOS 16 does not read entries for addresses"])
    let pin = try pinPlist("192.168.*.*", "").lint()
    #expect(pin.map(\.suggestion) == ["list the hosts or registered domains that need it"])
  }

  @Test func `the network of an IPv4-mapped range with host bits is suggested in a valid form`() throws {
    let findings = try entryPlist("::ffff:a00:5/104", "").lint()
    #expect(findings.map(\.suggestion) == ["write ::ffff:a00:0/104"])
  }

  @Test func `an address range in NSPinnedDomains has no address as replacement`() throws {
    let findings = try pinPlist("10.0.0.0/8 ", "").lint()
    #expect(findings.map(\.suggestion) == ["write the host alone"])
  }
}
