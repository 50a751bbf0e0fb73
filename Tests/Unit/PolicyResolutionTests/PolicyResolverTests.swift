import PolicyResolution
import TLSParsing
import Testing
import Values

@Suite struct PolicyResolverTests {
  static func policy(
    _ host: String, _ dictionary: ATSDictionary? = nil, os: String = "ios26.5", context: LoadContext = .app,
    direct: Bool? = nil, apple: Bool = false, sdk: String? = nil
  ) throws -> EffectivePolicy {
    PolicyResolver(dictionary: dictionary).policy(
      for: PolicyRequest(
        host: HostIdentity(host), context: context, release: try SystemRelease(named: os), isDirect: direct,
        isAppleBundle: apple, sdk: sdk.flatMap { SystemRelease(sdkName: $0) }))
  }

  static func entry(
    _ key: String, insecure: Bool? = nil, minimum: String? = nil, secrecy: Bool? = nil,
    subdomains: Bool? = nil
  ) -> ExceptionEntry {
    ExceptionEntry(
      key: key, includesSubdomains: subdomains,
      settings: ExceptionSettings(
        allowsInsecureHTTPLoads: insecure, minimumTLSVersion: minimum, requiresForwardSecrecy: secrecy))
  }

  @Test func `without a dictionary ATS is strict, and each setting has a reason`() throws {
    let policy = try PolicyResolverTests.policy("api.example.com")
    #expect(policy.requiresHTTPS)
    #expect(policy.trust == .strict)
    #expect(policy.minimumTLSVersion == .tls12)
    #expect(policy.cipherPolicy == .ats)
    #expect(policy.certificateMinimums == .ats)
    #expect(!policy.isATSOff)
    #expect(policy.reasons.allSatisfy { $0.key == nil && $0.entry == nil })
    for setting in [
      EffectivePolicy.Setting.requiresHTTPS, .trust, .minimumTLSVersion, .cipherPolicy,
      .requiresForwardSecrecy,
    ] {
      #expect(policy.reason(for: setting) != nil)
    }
  }

  @Test func `each setting has at most one reason, in the order of the settings`() throws {
    let order = EffectivePolicy.Setting.allCases
    let dictionary = ATSDictionary(
      exceptionDomains: [
        PolicyResolverTests.entry("example.com", insecure: true, secrecy: false, subdomains: true)
      ],
      pinnedDomains: [PinnedDomain(key: "a.example.com", leafDigests: ["AAAA"], caDigests: [])],
      requiredNIAPPackage: .recommended)
    for (host, direct) in [("a.example.com", nil), ("other.example", true), ("192.0.2.1", nil)]
      as [(String, Bool?)]
    {
      for os in SystemRelease.allNames {
        let policy = try PolicyResolverTests.policy(host, dictionary, os: os, direct: direct)
        let settings = policy.reasons.map(\.setting)
        #expect(settings == order.filter { settings.contains($0) })
      }
    }
  }

  @Test func `the resolver decides whether a host is local, unless the caller does`() throws {
    #expect(try PolicyResolverTests.policy("nas").isATSOff)
    #expect(try PolicyResolverTests.policy("192.168.1.4").isATSOff)
    #expect(try !PolicyResolverTests.policy("203.0.113.9").isATSOff)
    #expect(try !PolicyResolverTests.policy("nas", direct: false).isATSOff)
    #expect(try PolicyResolverTests.policy("203.0.113.9", direct: true).isATSOff)
  }

  @Test func `an unknown host follows the global keys`() throws {
    #expect(try PolicyResolverTests.policy("").requiresHTTPS)
    let policy = try PolicyResolverTests.policy("", ATSDictionary(allowsArbitraryLoads: true))
    #expect(policy.isATSOff)
    #expect(policy.host == nil)
    #expect(policy.reason(for: .requiresHTTPS)?.key == "NSAllowsArbitraryLoads")
  }

  @Test func `a reason names the key that relaxes a setting`() throws {
    let entry = PolicyResolverTests.entry("example.com", insecure: true, minimum: "TLSv1.0", secrecy: false)
    let policy = try PolicyResolverTests.policy("example.com", ATSDictionary(exceptionDomains: [entry]))
    #expect(policy.reason(for: .requiresHTTPS)?.key == "NSExceptionAllowsInsecureHTTPLoads")
    #expect(policy.reason(for: .minimumTLSVersion)?.key == "NSExceptionMinimumTLSVersion")
    #expect(policy.reason(for: .requiresForwardSecrecy)?.key == "NSExceptionRequiresForwardSecrecy")
    #expect(policy.reason(for: .cipherPolicy)?.key == "NSExceptionAllowsInsecureHTTPLoads")
    #expect(policy.reason(for: .requiresHTTPS)?.entry == "example.com")
    #expect(policy.minimumTLSVersion == .tls10)
    #expect(policy.trust == .default)
    #expect(!policy.isATSOff)
    #expect(policy.certificateMinimums == .ats)
  }

  @Test func `a reason names the global key that cancels another`() throws {
    let dictionary = ATSDictionary(allowsArbitraryLoads: true, allowsLocalNetworking: false)
    let strict = try PolicyResolverTests.policy("example.com", dictionary)
    #expect(strict.requiresHTTPS)
    #expect(strict.reason(for: .requiresHTTPS)?.key == "NSAllowsLocalNetworking")
    #expect(try PolicyResolverTests.policy("example.com", dictionary, os: "ios9").isATSOff)
  }

  @Test func `a match with an entry more than one label up has a note`() throws {
    let dictionary = ATSDictionary(exceptionDomains: [
      PolicyResolverTests.entry("example.com", subdomains: true)
    ])
    let near = try PolicyResolverTests.policy("a.example.com", dictionary).reason(for: .matchedEntry)
    let far = try PolicyResolverTests.policy("a.b.example.com", dictionary).reason(for: .matchedEntry)
    #expect(near?.text.contains("documentation") == false)
    #expect(far?.text.contains("documentation promises only one label") == true)
  }

  @Test func `a parent entry without NSIncludesSubdomains is skipped`() throws {
    let dictionary = ATSDictionary(exceptionDomains: [
      PolicyResolverTests.entry("b.example.com", insecure: true),
      PolicyResolverTests.entry("com", insecure: true, subdomains: true),
    ])
    #expect(try PolicyResolverTests.policy("a.b.example.com", dictionary).matchedEntry == "com")
    #expect(try PolicyResolverTests.policy("b.example.com", dictionary).matchedEntry == "b.example.com")
  }

  @Test func `a key with upper case, a wildcard, port, scheme or U-label matches no host`() throws {
    let keys = [
      "Example.com", "*.example.com", "example.com:443", "https://example.com", "example.com.",
      "bücher.example",
    ]
    let dictionary = ATSDictionary(
      exceptionDomains: keys.map { PolicyResolverTests.entry($0, insecure: true) })
    for host in ["example.com", "www.example.com", "Example.com", "bücher.example"] {
      #expect(try PolicyResolverTests.policy(host, dictionary).matchedEntry == nil)
    }
    #expect(try PolicyResolverTests.policy("example.com.", dictionary).matchedEntry == "example.com.")
  }

  @Test func `the narrowest range wins, and the reason reports a tie`() throws {
    let dictionary = ATSDictionary(exceptionDomains: [
      PolicyResolverTests.entry("10.0.0.0/8", insecure: true), PolicyResolverTests.entry("10.1.0.0/8"),
      PolicyResolverTests.entry("10.2.0.0/16"), PolicyResolverTests.entry("10.2.3.4", minimum: "TLSv1.3"),
    ])
    #expect(try PolicyResolverTests.policy("10.2.3.4", dictionary).matchedEntry == "10.2.3.4")
    #expect(try PolicyResolverTests.policy("10.2.3.5", dictionary).matchedEntry == "10.2.0.0/16")
    let tie = try PolicyResolverTests.policy("10.9.9.9", dictionary)
    #expect(tie.matchedEntry == "10.0.0.0/8")
    #expect(tie.reason(for: .matchedEntry)?.text.contains("undefined") == true)
    #expect(try PolicyResolverTests.policy("10.2.3.4", dictionary, os: "ios16").matchedEntry == nil)
  }

  @Test(arguments: ["ios9", "ios10", "ios13", "ios16.7", "ios17", "ios18.3", "ios26.5"])
  func `the exemption of IP addresses and local names depends on the release`(os: String) throws {
    let isExempt = !["ios9", "ios17", "ios18.3", "ios26.5"].contains(os)
    #expect(try PolicyResolverTests.policy("203.0.113.1", os: os).isATSOff == isExempt)
    #expect(try PolicyResolverTests.policy("10.0.0.1", os: os).isATSOff == (os != "ios9"))
    let off = ATSDictionary(allowsLocalNetworking: false)
    #expect(try PolicyResolverTests.policy("10.0.0.1", off, os: os).isATSOff == isExempt)
    // iOS 9 does not read the key, and requires HTTPS for local names in any case.
    #expect(try !PolicyResolverTests.policy("nas", off, os: os).isATSOff)
    #expect(try PolicyResolverTests.policy("nas", os: os).isATSOff == (os != "ios9"))
  }

  @Test func `early names of keys count before iOS 18_4, in their order`() throws {
    var entry = ExceptionEntry(key: "a.example")
    entry.aliases[.temporary] = ExceptionSettings(
      allowsInsecureHTTPLoads: true, minimumTLSVersion: "TLSv1.0", requiresForwardSecrecy: false)
    entry.aliases[.thirdParty] = ExceptionSettings(minimumTLSVersion: "TLSv1.1")
    entry.settings.requiresForwardSecrecy = true
    let dictionary = ATSDictionary(exceptionDomains: [entry])
    let old = try PolicyResolverTests.policy("a.example", dictionary, os: "ios18.3")
    #expect(!old.requiresHTTPS)
    #expect(old.reason(for: .requiresHTTPS)?.key == "NSTemporaryExceptionAllowsInsecureHTTPLoads")
    #expect(old.minimumTLSVersion == .tls11)
    #expect(old.requiresForwardSecrecy)
    let new = try PolicyResolverTests.policy("a.example", dictionary, os: "ios18.4")
    #expect(new.requiresHTTPS)
    #expect(new.minimumTLSVersion == .tls12)
  }

  @Test func `an unknown TLS version text leaves the minimum at TLS 1_2`() throws {
    for text in ["TLSv1.4", "tlsv1.0", "TLSv1.0 ", "", "1.0"] {
      let entry = PolicyResolverTests.entry("a.example", minimum: text)
      let policy = try PolicyResolverTests.policy("a.example", ATSDictionary(exceptionDomains: [entry]))
      #expect(policy.minimumTLSVersion == .tls12)
    }
    let dtls = PolicyResolverTests.entry("a.example", minimum: "DTLSv1.2")
    let policy = try PolicyResolverTests.policy("a.example", ATSDictionary(exceptionDomains: [dtls]))
    #expect(policy.minimumTLSVersion == .dtls12)
    #expect(policy.admits(.tls12) == nil)
  }

  @Test func `NSRequiresCertificateTransparency counts from iOS 10 to iOS 12_0`() throws {
    var entry = ExceptionEntry(key: "a.example")
    entry.requiresCertificateTransparency = true
    let dictionary = ATSDictionary(exceptionDomains: [entry])
    for (os, counts) in [
      ("ios9.3", false), ("ios10", true), ("ios12", true), ("ios12.1", false), ("ios26", false),
    ] {
      #expect(
        try PolicyResolverTests.policy("a.example", dictionary, os: os).transparencyKeyInForce == counts)
    }
  }

  @Test func `from iOS 26_4 an entry's NIAP key overrides the global one`() throws {
    var entry = ExceptionEntry(key: "a.example")
    entry.requiredNIAPPackage = NIAPPackage.none
    let dictionary = ATSDictionary(exceptionDomains: [entry], requiredNIAPPackage: .fcp2d1)
    #expect(try !PolicyResolverTests.policy("a.example", dictionary).requiresNIAPPackage)
    #expect(try PolicyResolverTests.policy("b.example", dictionary).requiresNIAPPackage)
    #expect(try !PolicyResolverTests.policy("b.example", dictionary, os: "ios26.3").requiresNIAPPackage)
    #expect(try PolicyResolverTests.policy("b.example", dictionary, os: "macos26.4").requiresNIAPPackage)
  }

  @Test func `pins ignore case and a trailing dot, and apply one label down`() throws {
    let dictionary = ATSDictionary(pinnedDomains: [
      PinnedDomain(key: "Example.org", includesSubdomains: true, leafDigests: ["b", "a", "b"]),
      PinnedDomain(key: "www.example.org", leafDigests: ["c"], caDigests: []),
    ])
    #expect(try PolicyResolverTests.policy("EXAMPLE.org.", dictionary).leafPins == ["a", "b"])
    #expect(try PolicyResolverTests.policy("www.example.org", dictionary).leafPins == ["a", "b", "c"])
    #expect(try PolicyResolverTests.policy("www.example.org", dictionary).caPins == [])
    #expect(try PolicyResolverTests.policy("a.www.example.org", dictionary).leafPins == nil)
    #expect(try PolicyResolverTests.policy("www.example.org", dictionary, os: "ios13.7").leafPins == nil)
    #expect(try PolicyResolverTests.policy("", dictionary).leafPins == nil)
  }

  @Test func `a program built with an SDK from before ATS is not governed`() throws {
    let dictionary = ATSDictionary(exceptionDomains: [PolicyResolverTests.entry("a.example")])
    let policy = try PolicyResolverTests.policy("a.example", dictionary, sdk: "iphoneos8.4")
    #expect(!policy.isGoverned)
    #expect(policy.isATSOff)
    #expect(policy.reason(for: .requiresHTTPS)?.text.contains("iOS 8.4") == true)
    #expect(try PolicyResolverTests.policy("a.example", dictionary, sdk: "iphoneos9.0").isGoverned)
    #expect(try !PolicyResolverTests.policy("a.example", dictionary, sdk: "macosx10.10").isGoverned)
  }

  @Test func `the minimum TLS version of the system rises on iOS 26 with its SDK`() throws {
    for (os, sdk, minimum) in [
      ("ios26", nil, .tls12), ("ios26", "iphoneos26.0", .tls12), ("ios26", "iphoneos18.5", .tls10),
      ("ios18.5", "iphoneos26.0", .tls10), ("ios18.5", nil, .tls10), ("macos26.1", "macosx26.0", .tls12),
    ] as [(String, String?, TLSVersion)] {
      let policy = try PolicyResolverTests.policy("nas", os: os, sdk: sdk)
      #expect(policy.minimumTLSVersion == nil)
      #expect(policy.effectiveMinimumTLSVersion == minimum)
      #expect(policy.admits(.tls11) == (minimum == .tls10))
      #expect(policy.admits(.ssl3) == false)
    }
  }

  @Test func `Apple's own programs without a dictionary have ATS off`() throws {
    #expect(try PolicyResolverTests.policy("example.com", apple: true).isATSOff)
    #expect(try !PolicyResolverTests.policy("example.com", ATSDictionary(), apple: true).isATSOff)
    #expect(try PolicyResolverTests.policy("www.apple.com", apple: true).matchedEntry == "apple.com")
    #expect(try PolicyResolverTests.policy("www.apple.com", apple: true).matchedBuiltIn)
  }

  @Test func `the policy decides which cipher suites are admitted`() throws {
    let secrecyOff = PolicyResolverTests.entry("a.example", secrecy: false)
    let strict = try PolicyResolverTests.policy("b.example")
    let relaxed = try PolicyResolverTests.policy("a.example", ATSDictionary(exceptionDomains: [secrecyOff]))
    let off = try PolicyResolverTests.policy("nas")
    for (code, inStrict, inRelaxed, inOff) in [
      (0xC02F, true, true, true), (0x1301, true, true, true), (0x009C, false, true, true),
      (0x000A, false, false, true),
      (0xC028, false, false, false), (0x0005, false, false, false), (0x1304, false, false, false),
    ] as [(UInt16, Bool, Bool, Bool)] {
      let suite = CipherSuite(rawValue: code)
      #expect(strict.admits(suite) == inStrict)
      #expect(relaxed.admits(suite) == inRelaxed)
      #expect(off.admits(suite) == inOff)
    }
  }
}
