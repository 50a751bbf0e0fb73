import PolicyResolution
import Testing
import Values

@Suite struct HostIdentityTests {
  @Test(arguments: [
    ("Example.COM", "example.com"), ("example.com:8080", "example.com"),
    ("user:pw@example.com:443", "example.com"),
    ("example.com.", "example.com."), ("nas", "nas"), ("bücher.example", "xn--bcher-kva.example"),
    ("BÜCHER.example", "xn--bcher-kva.example"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
    ("例え。テスト", "xn--r8jz45g.xn--zckzah"), ("faß.example", "xn--fa-hia.example"),
    ("نامه\u{200C}ای.example", "xn--mgba3gch31f060k.example"),
    ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
    ("Pročprostěnemluvíčesky", "xn--proprostnemluvesky-uyb24dma41a"), ("xn--bcher-kva", "xn--bcher-kva"),
    ("nas:8080", "nas"), ("nas:", "nas"), ("nas:x.example", "nas:x.example"),
    ("text](http://x.example)", "text](http://x.example)"), ("a..b", "a..b"),
    ("_dmarc.example", "_dmarc.example"), ("1.2.3", "1.2.3"), ("256.1.1.1", "256.1.1.1"),
  ])
  func `a name loses its port and is converted to lower case and A-labels`(text: String, name: String) {
    #expect(HostIdentity(text) == .name(name))
    #expect(HostIdentity.name(text).normalized == .name(name))
  }

  @Test(arguments: [".example.com", "a..example.com", "*.example.com", "10.0.0.0/8", "a,b.example"])
  func `a host that no entry can name has no key`(name: String) {
    #expect(HostIdentity.name(name).exceptionKey(in: .newest) == nil)
    #expect(HostIdentity.name("api.example.com.").exceptionKey(in: .newest) == "api.example.com.")
  }

  @Test(
    arguments: [
      ("192.0.2.1", "192.0.2.1", nil), ("192.0.2.1:80", "192.0.2.1", nil),
      ("[2001:DB8::1]:443", "2001:db8::1", nil), ("[fe80::1%en0]", "fe80::1", nil),
      ("2001:0DB8:0:0:0:0:0:1", "2001:db8::1", "2001:0db8:0:0:0:0:0:1"), ("u@[::1]", "::1", nil),
      ("::ffff:192.0.2.1", "::ffff:192.0.2.1", nil),
      ("::ffff:c000:201", "::ffff:192.0.2.1", "::ffff:c000:201"),
    ] as [(String, String, String?)])
  func `an address keeps its lower-case spelling if that is not canonical`(
    text: String, address: String, written: String?
  ) throws {
    let expected = HostIdentity.address(try #require(IPAddress(address)), written: written)
    #expect(HostIdentity(text) == expected)
    #expect(HostIdentity.name(text).normalized == expected)
  }

  @Test(arguments: ["", ":80", "user@", "[]"]) func `an empty host is unknown`(text: String) {
    #expect(HostIdentity(text) == .unknown)
    #expect(HostIdentity(text).text == nil)
  }

  @Test(arguments: [
    ("localhost", true), ("nas", true), ("printer.local", true), ("Printer.LOCAL", true),
    ("printer.local.", true),
    ("a.b.local", true), (".local", true), ("local", true), ("", false), ("nas.", false),
    ("example.com", false),
    ("local.example", false), ("notlocal", true), ("x.notlocal", false), ("printer.local..", false),
  ])
  func `a name without a dot or in the domain local is a local destination`(name: String, isDirect: Bool) {
    #expect(LocalDestination.isDirect(name: name) == isDirect)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.255.255.255", true), ("128.0.0.0", false), ("126.255.255.255", false),
    ("10.0.0.0", true), ("10.255.255.255", true), ("11.0.0.0", false), ("172.15.255.255", false),
    ("172.16.0.0", true), ("172.31.255.255", true), ("172.32.0.0", false), ("192.168.0.0", true),
    ("192.168.255.255", true), ("192.169.0.0", false), ("192.167.255.255", false), ("169.254.1.1", true),
    ("169.253.1.1", false), ("100.64.0.1", false), ("0.0.0.0", false), ("255.255.255.255", false),
    ("224.0.0.251", false), ("203.0.113.1", false), ("::1", true), ("::", false), ("::2", false),
    ("fe80::1", true),
    ("febf:ffff::1", true), ("fec0::1", false), ("fe7f::1", false), ("fe00::1", false), ("fc00::1", false),
    ("fd12::1", false), ("ff02::fb", false), ("2001:db8::1", false), ("::ffff:10.0.0.1", false),
    ("::127.0.0.1", false),
  ])
  func `loopback, link-local and private IPv4 addresses are local destinations`(text: String, isDirect: Bool) throws {
    #expect(LocalDestination.isDirect(address: try #require(IPAddress(text))) == isDirect)
  }

  @Test(arguments: [
    ("169.254.0.0", true), ("169.254.255.255", true), ("fc00::", true), ("fdff::1", true), ("fe00::1", false),
    ("fbff::1", false), ("10.0.0.1", false), ("fe80::1", false),
  ])
  func `a policy has a reason where the locality of an address is assumed`(text: String, isAssumed: Bool) throws {
    let address = try #require(IPAddress(text))
    #expect((LocalDestination.assumption(address: address) != nil) == isAssumed)
    let policy = PolicyResolver().policy(for: PolicyRequest(host: .address(address)))
    #expect((policy.reason(for: .isDirect) != nil) == isAssumed)
  }

  @Test(arguments: [
    ("2001:0DB8:0:0::1", "2001:0db8:0:0::1"), ("[::FFFF:0a00:0001]:80", "::ffff:0a00:0001"),
    ("10.0.0.1", "10.0.0.1"),
  ])
  func `a policy reports and matches an address as it is written`(text: String, shown: String) {
    let resolver = PolicyResolver(dictionary: ATSDictionary(exceptionDomains: [ExceptionEntry(key: shown)]))
    let policy = resolver.policy(for: PolicyRequest(host: HostIdentity(text)))
    #expect(policy.host == shown)
    #expect(policy.matchedEntry == shown)
  }

  @Test(arguments: [
    "bu\u{0308}cher.example", "\u{FF45}xample.com", "İ.example", "a.example\u{200B}", "\u{FEFF}a.example", "a.ex\u{AD}ample",
    "a.example\u{2028}", "❤\u{FE0F}.example", "exam\u{202E}ple.com",
  ])
  func `a name that is not normalized gets no A-label`(text: String) {
    #expect(HostIdentity(text).text?.contains("xn--") == false)
  }

  @Test func `very long names are accepted`() {
    let long = String(repeating: "ü", count: 10_000)
    #expect(HostIdentity(long) == .name(long))
    let many = String(repeating: "ü.", count: 2_000) + "x"
    #expect(HostIdentity(many).text?.hasSuffix("xn--tda.x") == true)
    let labels = String(repeating: "a.", count: 100_000)
    let resolver = PolicyResolver(
      dictionary: ATSDictionary(exceptionDomains: [ExceptionEntry(key: "b", includesSubdomains: true)]))
    #expect(resolver.policy(for: PolicyRequest(host: .name(labels + "b"))).matchedEntry == "b")
  }
}
