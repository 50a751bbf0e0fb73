import InfoPlistReading
import PolicyResolution
import Testing

@Suite struct HostKeyFaultTests {
  @Test(
    arguments: [
      ("*.example.com", LintRule.keyWildcard), ("*", .keyWildcard), ("API.example.com", .keyCase),
      ("https://api.example.com", .keyURL), ("https://api.example.com/v1", .keyURL),
      ("http://10.0.0.1", .keyURL), ("api.example.com:8443", .keyURL), ("api.example.com/v1", .keyURL),
      ("[2001:db8::1]", .keyURL), ("[2001:db8::1]:443", .keyURL), (" api.example.com", .keyURL),
      ("user@api.example.com", .keyURL), ("b\u{FC}cher.example", .keyIDN), ("10.0.0.0/99", .rangeInvalid),
      ("192.168.100.12/32", .rangeInvalid), (".example.com", .keyDot), ("api..example.com", .keyDot),
      ("api.example.com\u{200B}", .keyURL), ("\u{A0}api.example.com", .keyURL), ("$(host:lower)", .buildVariable),
      ("${host}", .buildVariable),
    ])
  func `lint and audit agree on keys that never match`(key: String, rule: LintRule) throws {
    let list = try entryPlist(key, LinterTests.insecure)
    #expect(list.lint().contains { $0.rule == rule })
    // The warning of audit and policy.
    let warned = list.ignored.filter { if case .unusableHost = $0.reason { true } else { false } }
    #expect(warned.count == 1)
    #expect(warned.first?.description.hasSuffix("the entry never matches") == true)
    // Their policy: the entry does not match even a host with the same text, which SNI may contain.
    let resolver = PolicyResolver(dictionary: list.ats)
    for host in [HostIdentity.name(key), HostIdentity(key), .name("api.example.com")] {
      let policy = resolver.policy(for: PolicyRequest(host: host, release: .newest))
      #expect(policy.matchedEntry == nil)
    }
  }

  @Test func `an entry that never matches has no finding about its settings`() throws {
    let list = try entryPlist("Api.example.com", "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string>")
    #expect(list.lint().map(\.rule) == [.keyCase])
  }

  @Test(
    arguments: [
      "api.example.com", "localhost", "10.0.0.1", "2001:db8::1", "10.0.0.0/8", "2001:db8::/32", "a.example.",
    ])
  func `keys that can match have no warning`(key: String) throws {
    let list = try entryPlist(key, LinterTests.insecure)
    #expect(list.ignored.isEmpty)
    #expect(HostKeyFault(key) == nil)
  }

  @Test(arguments: ["*.example.com", "https://api.example.com", "api.example.com:443", "10.0.0.0/8"])
  func `pinned hosts that never match have a warning`(key: String) throws {
    let list = try pinPlist(key, "<key>NSPinnedLeafIdentities</key><array/>")
    #expect(list.ignored.map(\.path.keys.last).contains(key))
    #expect(list.lint().contains { $0.rule == .keyWildcard || $0.rule == .keyURL })
    let demands = PolicyResolver(dictionary: list.ats).pins(for: .name(key), in: .newest)
    #expect(demands.leaf == nil)
  }

  @Test func `pinned hosts are matched without regard to case`() throws {
    let list = try pinPlist("API.example.com", "<key>NSPinnedLeafIdentities</key><array/>")
    #expect(list.ignored.isEmpty)
    let resolver = PolicyResolver(dictionary: list.ats)
    #expect(resolver.pins(for: .name("api.example.com"), in: .newest).leaf == [])
  }

  @Test(arguments: ["ios9", "ios10", "ios11", "ios12", "ios12.1", "ios26", "macos10.12", "macos10.14.2"])
  func `lint and audit agree on the releases that read NSRequiresCertificateTransparency`(os: String) throws {
    let release = try SystemRelease(named: os)
    let list = try entryPlist("a.example", "<key>NSRequiresCertificateTransparency</key><true/>")
    let finding = try #require(list.lint(release: release).first { $0.rule == .transparencyObsolete })
    let policy = PolicyResolver(dictionary: list.ats).policy(
      for: PolicyRequest(host: .name("a.example"), release: release))
    #expect(finding.message.contains("reads the key;") == policy.transparencyKeyInForce)
    #expect(finding.message.contains("does not read") == !policy.transparencyKeyInForce)
    #expect((finding.suggestion == nil) == policy.transparencyKeyInForce)
  }
}
