import ByteParsing
import InfoPlistReading
import PolicyResolution
import PropertyLists
import Testing

/// An Info.plist in XML with the given lines in its dictionary; the first is line 2.
func infoPlist(_ lines: String) throws -> InfoPropertyList {
  try InfoPropertyList(reading: Bytes("<plist><dict>\n\(lines)\n</dict></plist>".utf8))
}

/// An Info.plist with the given content of NSAppTransportSecurity, which begins on line 3.
func atsPlist(_ content: String, root: String = "") throws -> InfoPropertyList {
  try infoPlist("<key>NSAppTransportSecurity</key><dict>\n\(content)\n</dict>\n\(root)")
}

/// An Info.plist with the given entry of NSExceptionDomains, which begins on line 4.
func entryPlist(_ host: String, _ content: String, global: String = "", root: String = "") throws
  -> InfoPropertyList
{
  try atsPlist(
    "<key>NSExceptionDomains</key><dict>\n<key>\(host)</key><dict>\(content)</dict></dict>\(global)",
    root: root)
}

/// An Info.plist with the given entry of NSPinnedDomains.
func pinPlist(_ host: String, _ content: String, rest: String = "", root: String = "") throws
  -> InfoPropertyList
{
  try atsPlist(
    "<key>NSPinnedDomains</key><dict>\n<key>\(host)</key><dict>\(content)</dict></dict>\(rest)", root: root)
}

@Suite struct LinterTests {
  static let insecure = "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"
  static let subdomains = "<key>NSIncludesSubdomains</key><true/>"
  static let noSecrecy = "<key>NSExceptionRequiresForwardSecrecy</key><false/>"
  static let arbitrary = "<key>NSAllowsArbitraryLoads</key><true/>"
  static let target12 = "<key>MinimumOSVersion</key><string>12.0</string>"
  static let target9 = "<key>MinimumOSVersion</key><string>9.0</string>"
  static let digest = "82EDAJR40zUMOc8XhQRdivbaWlI4u4a3c9mbOlKwmf0="

  static func minimum(_ text: String) -> String {
    "<key>NSExceptionMinimumTLSVersion</key><string>\(text)</string>"
  }

  static func pins(_ kind: String, _ digests: String...) -> String {
    let items = digests.map { "<dict><key>SPKI-SHA256-BASE64</key><string>\($0)</string></dict>" }.joined()
    return "<key>NSPinned\(kind)Identities</key><array>\(items)</array>"
  }

  /// Examples of every finding: the rule, a property list, and words of the message or suggestion.
  static let shows: [(rule: LintRule, list: @Sendable () throws -> InfoPropertyList, words: String)] = [
    (.rootType, { try infoPlist("<key>NSAppTransportSecurity</key><true/>") }, "a boolean, not a dictionary"),
    (
      .misplaced, { try infoPlist("<key>NSAllowsArbitraryLoads</key><true/>") }, "move it to the dictionary NSAppTransportSecurity"
    ),
    (.misplaced, { try entryPlist("a.example", arbitrary) }, "the dictionary NSAppTransportSecurity"),
    (.misplaced, { try atsPlist(insecure) }, "an entry of NSExceptionDomains"),
    (.misplaced, { try entryPlist("a.example", pins("Leaf")) }, "an entry of NSPinnedDomains"),
    (.domainsType, { try atsPlist("<key>NSExceptionDomains</key><array/>") }, "an array, not a dictionary"),
    (.domainsType, { try atsPlist("<key>NSPinnedDomains</key><string/>") }, "a string, not a dictionary"),
    (
      .entryType, { try atsPlist("<key>NSExceptionDomains</key><dict><key>a.example</key><true/></dict>") },
      "counts as unlisted"
    ),
    (
      .entryType, { try atsPlist("<key>NSPinnedDomains</key><dict><key>a.example</key><array/></dict>") },
      "no key is pinned"
    ),
    (.boolType, { try atsPlist("<key>NSAllowsArbitraryLoads</key><string>YES</string>") }, "ATS stays on"),
    (
      .boolType,
      {
        try atsPlist(
          "<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsArbitraryLoadsForMedia</key><string>NO</string>")
      }, "so it does not cancel NSAllowsArbitraryLoads, and ATS is off"
    ),
    (
      .boolType,
      {
        try atsPlist(
          "<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsLocalNetworking</key><true/>"
            + "<key>NSAllowsArbitraryLoadsForMedia</key><string>NO</string>")
      }, "not a boolean; ATS stays on"
    ),
    (
      .boolType,
      { try entryPlist("a.example", "<key>NSExceptionRequiresForwardSecrecy</key><string>NO</string>") },
      "forward secrecy is required"
    ),
    (.boolNumber, { try atsPlist("<key>NSAllowsArbitraryLoads</key><integer>1</integer>") }, "read as true for every release"),
    (
      .boolNumber,
      { try entryPlist("a.example", "<key>NSExceptionAllowsInsecureHTTPLoads</key><real>2</real>") },
      "read as false"
    ),
    (
      .unknownKey, { try entryPlist("a.example", "<key>NSIncludeSubdomains</key><true/>") },
      "NSIncludesSubdomains?"
    ),
    (
      .unknownKey, { try entryPlist("a.example", "<key>NSMinimumTLSVersion</key><string/>") },
      "NSExceptionMinimumTLSVersion?"
    ),
    (.unknownKey, { try atsPlist("<key>Color</key><true/>") }, "remove it"),
    (.unknownKey, { try infoPlist("<key>NSAppTransportSecurty</key><dict/>") }, "NSAppTransportSecurity?"),
    (.unknownKey, { try infoPlist("<key>App Transport Security Settings</key><dict/>") }, "NSAppTransportSecurity?"),
    (.unknownKey, { try infoPlist("<key>nsapptransportsecurity</key><dict/>") }, "NSAppTransportSecurity?"),
    (.unknownKey, { try infoPlist("<key>NSAppTransportSecurity </key><dict/>") }, "with a blank or an invisible character"),
    (.unknownKey, { try atsPlist("<key>NSAllowsArbitraryLoads\u{A0}</key><true/>") }, "the key is NSAllowsArbitraryLoads with a blank"),
    (.keyDuplicate, { try infoPlist("<key>NSAppTransportSecurity~ipad</key><dict/>") }, "replaces NSAppTransportSecurity on iPads"),
    (.keyDuplicate, { try infoPlist("<key>NSAppTransportSecurity-macos</key><dict/>") }, "replaces NSAppTransportSecurity on macOS"),
    (
      .alias,
      { try entryPlist("a.example", "<key>NSThirdPartyExceptionAllowsInsecureHTTPLoads</key><true/>") },
      "the host a.example is strict"
    ),
    (
      .alias,
      { try entryPlist("a.example", subdomains + "<key>NSThirdPartyExceptionRequiresForwardSecrecy</key><false/>") },
      "contains nothing else but NSIncludesSubdomains, so the host a.example and its subdomains are strict from those"
    ),
    (
      .alias,
      {
        try entryPlist(
          "a.example",
          "<key>NSExceptionRequiresForwardSecrecy</key><true/><key>NSThirdPartyExceptionRequiresForwardSecrecy</key><false/>")
      }, "the entry has NSExceptionRequiresForwardSecrecy, which counts in its place"
    ),
    (
      .alias,
      {
        try entryPlist(
          "a.example",
          "<key>NSIncludesSubdomains</key><false/><key>NSThirdPartyExceptionRequiresForwardSecrecy</key><false/>")
      }, "so the host a.example is strict from those releases"
    ),
    (
      .alias,
      {
        try entryPlist("a.example", insecure + "<key>NSTemporaryExceptionMinimumTLSVersion</key><string/>")
      }, "use NSExceptionMinimumTLSVersion"
    ),
    (.alias, { try atsPlist("<key>NSAllowsArbitraryLoadsInMedia</key><true/>") }, "NSAllowsArbitraryLoadsInMedia is ignored;"),
    (
      .alias, { try entryPlist("a.example", "<key>NSExceptionAllowsInsecureHTTPSLoads</key><true/>") },
      "use NSExceptionAllowsInsecureHTTPLoads"
    ),
    (
      .transparencyObsolete,
      { try entryPlist("a.example", "<key>NSRequiresCertificateTransparency</key><true/>") }, "remove it"
    ),
    (.tlsValue, { try entryPlist("a.example", minimum("1.2")) }, "'1.2' is not understood"),
    (
      .tlsValue, { try entryPlist("a.example", "<key>NSExceptionMinimumTLSVersion</key><real>1.2</real>") },
      "a real number, not a string"
    ),
    (.tlsDTLS, { try entryPlist("a.example", minimum("DTLSv1.2")) }, "no meaning"),
    (.tlsLow, { try entryPlist("a.example", minimum("TLSv1.1")) }, "TLSv1.1"),
    (.tls13Old, { try entryPlist("a.example", minimum("TLSv1.3"), root: target12) }, "iOS 12"),
    (.tlsRedundant, { try entryPlist("a.example", minimum("TLSv1.2")) }, "remove it"),
    (
      .tlsRedundant,
      { try entryPlist("a.example", "<key>NSExceptionRequiresForwardSecrecy</key><true/>") }, "remove it"
    ),
    (.keyCase, { try entryPlist("A.example", "") }, "write a.example"),
    (
      .buildVariable, { try entryPlist("$(API_HOST)", "") },
      "check the Info.plist of the built app, in which Xcode has replaced the build variable"
    ),
    (.keyCase, { try entryPlist("2001:DB8::1", "") }, "write 2001:db8::1"),
    (.keyCase, { try entryPlist("*.A.example", "") }, "never matches"),
    (.keyWildcard, { try entryPlist("*.A.example", "") }, "write a.example with NSIncludesSubdomains"),
    (.keyWildcard, { try entryPlist("*.a.example", "") }, "write a.example with NSIncludesSubdomains"),
    (.keyURL, { try entryPlist("https://a.example/path", "") }, "write a.example"),
    (.keyURL, { try entryPlist("a.example:8080", "") }, "write a.example"),
    (.keyURL, { try entryPlist("a.example:8080/x", "") }, "write a.example"),
    (.keyURL, { try entryPlist("[2001:db8::1]", "") }, "write 2001:db8::1"),
    (.keyURL, { try entryPlist(" a.example", "") }, "write a.example"),
    (.keyURL, { try entryPlist(" a.example", "") }, "contains a blank at its start"),
    (.keyURL, { try entryPlist("a.example:8080", "") }, "contains a port, but must be a bare host name"),
    (.keyURL, { try entryPlist("a\nb.example", "") }, "write the host alone"),
    (.keyURL, { try entryPlist("a.example\u{200B}", "") }, "contains an invisible character, but must be a bare host name"),
    (.keyURL, { try entryPlist("a.example\u{200B}", "") }, "write a.example"),
    (.keyURL, { try entryPlist("\u{FEFF}b\u{FC}cher.ex\u{AD}ample\u{A0}", "") }, "write xn--bcher-kva.example"),
    (.keyURL, { try pinPlist("a.example\u{2060}", "") }, "write a.example"),
    (.keyURL, { try entryPlist("https://e\u{301}.example", "") }, "write the host alone"),
    (.keyURL, { try entryPlist("a.example,b.example", "") }, "contains a comma, but must be a bare host name"),
    (.keyURL, { try entryPlist("a.example, b.example", "") }, "write an entry for each host"),
    (.keyURL, { try entryPlist("a.example;", "") }, "write the host alone"),
    (.keyURL, { try entryPlist("192.0.2.1-192.0.2.9", "") }, "write a range with a prefix length, such as 192.168.1.0/24"),
    (.misplaced, { try infoPlist("<key>NSIncludesSubdomains</key><true/>") }, "move it to an entry of NSExceptionDomains"),
    (.misplaced, { try infoPlist("<key>NSAllowsArbitraryLoadsInMedia</key><true/>") }, "write NSAllowsArbitraryLoadsForMedia in"),
    (.misplaced, { try atsPlist("<key>NSRequiresCertificateTransparency</key><true/>") }, "remove it: current systems require"),
    (.builtIn, { try entryPlist("apple.com", "") }, "and the names below it, except those with a built-in entry"),
    (.keyDot, { try entryPlist("", "") }, "write a host, or remove the entry"),
    (.keyURL, { try pinPlist("https://a.example", "") }, "write a.example"),
    (.keyDot, { try entryPlist("a.example.", "") }, "write a.example"),
    (.keyDot, { try entryPlist(".a.example", "") }, "empty label"),
    (.keyDot, { try entryPlist("a..example", "") }, "empty label"),
    (.keyDot, { try pinPlist("a.example.", "") }, "never matches"),
    (.keyIDN, { try entryPlist("bücher.example", "") }, "write xn--bcher-kva.example"),
    (.keyTLD, { try entryPlist("com", subdomains) }, "under com"),
    (.keyTLD, { try entryPlist("co.uk", subdomains) }, "under co.uk"),
    (.keyTLD, { try entryPlist("com.ve", subdomains) }, "under com.ve"),
    (
      .keyDuplicate,
      {
        try atsPlist(
          "<key>NSExceptionDomains</key><dict><key>a.example</key><dict/><key>A.example.</key><dict/></dict>")
      }, "differs from a.example"
    ),
    (.keyDuplicate, { try atsPlist(arbitrary + arbitrary) }, "only the last one counts"),
    (.addressOld, { try entryPlist("192.0.2.1", "", root: target12) }, "iOS 17"),
    (.addressOld, { try entryPlist("192.0.2.0/24", "", root: target12) }, "iOS 12"),
    (.addressForm, { try entryPlist("2001:db8:0:0:0:0:0:1", "") }, "write 2001:db8::1"),
    (.addressForm, { try entryPlist("010.0.0.1", "") }, "without leading zeros"),
    (
      .keyWildcard,
      { try atsPlist("<key>NSExceptionDomains</key><dict><key>*.a.example</key><true/></dict>") }, "asterisk"
    ),
    (
      .rangeInvalid,
      { try atsPlist("<key>NSExceptionDomains</key><dict><key>10.0.0.0/33</key><true/></dict>") }, "too large"
    ),
    (.rangeInvalid, { try entryPlist("192.168.100.12/32", "") }, "write the address alone: 192.168.100.12"),
    (.rangeInvalid, { try entryPlist("192.168.100.128/25", "") }, "the wider 192.168.100.0/24"),
    (.rangeInvalid, { try entryPlist("10.0.0.0/33", "") }, "too large"),
    (
      .rangeInvalid, { try entryPlist("2001:0db8:1111:2222:3333:4444:0000:0000/96", "") },
      "write 2001:db8:1111:2222:3333:4444::/96"
    ),
    (.rangeInvalid, { try entryPlist("fe80::%en0/10", "") }, "invalid character"),
    (.rangeOctal, { try entryPlist("10.0.0.0/010", "") }, "write 10.0.0.0/8, or "),
    (.rangeWide, { try entryPlist("0.0.0.0/0", insecure) }, "0.0.0.0/0"),
    (.rangeWide, { try entryPlist("2000::/3", insecure) }, "2000::/3"),
    (.rangeHostBits, { try entryPlist("10.1.0.0/8", "") }, "write 10.0.0.0/8"),
    (
      .rangeTie,
      {
        try atsPlist(
          "<key>NSExceptionDomains</key><dict><key>10.0.0.0/8</key><dict/><key>10.1/8</key><dict>\(insecure)</dict></dict>"
        )
      }, "same network as 10.0.0.0/8"
    ),
    (.subdomainsAddress, { try entryPlist("192.0.2.1", subdomains) }, "no subdomains"),
    (.subdomainsAddress, { try entryPlist("192.0.2.0/24", subdomains) }, "no subdomains"),
    (
      .subdomainsDepth,
      {
        try entryPlist(
          "a.example", subdomains,
          global: "<key>NSPinnedDomains</key><dict><key>x.y.a.example</key><dict/></dict>")
      }, "x.y.a.example"
    ),
    (.arbitrary, { try atsPlist(arbitrary) }, "every host without an entry"),
    (
      .arbitraryIgnored,
      { try atsPlist(arbitrary + "<key>NSAllowsLocalNetworking</key><true/>", root: target9) },
      "NSAllowsLocalNetworking"
    ),
    (
      .arbitraryDead,
      { try atsPlist(arbitrary + "<key>NSAllowsLocalNetworking</key><true/>", root: target12) },
      "remove NSAllowsArbitraryLoads"
    ),
    (
      .globalFalse,
      { try atsPlist(arbitrary + "<key>NSAllowsArbitraryLoadsForMedia</key><false/>") }, "cancels"
    ),
    (.localOff, { try atsPlist("<key>NSAllowsLocalNetworking</key><false/>") }, "need HTTPS"),
    (.localEntry, { try entryPlist("printer.local", "") }, "allowed without it"),
    (.localEntry, { try entryPlist("10.0.0.0/8", "") }, "allowed without it"),
    (.localEntry, { try entryPlist("192.168.1.1", "") }, "allowed without it"),
    (.localEntry, { try entryPlist("128.0.0.0/1", "") }, "the local addresses in this range"),
    (.entryShadow, { try entryPlist("a.example", "", global: arbitrary) }, "stays strict"),
    (.secrecyInsecure, { try entryPlist("a.example", insecure + noSecrecy) }, "every cipher suite"),
    (.insecureOnly, { try entryPlist("a.example", insecure) }, "still needs TLS 1.2"),
    (.insecureOnly, { try entryPlist("a.example", insecure + minimum("TLSv1.3")) }, "still needs TLS 1.3"),
    (
      .insecureOnly,
      {
        try entryPlist("a.example", insecure + "<key>NSExceptionRequiresForwardSecrecy</key><true/>")
      }, "forward secrecy"
    ),
    (.builtIn, { try entryPlist("setup.icloud.com", "") }, "replaces the system's built-in one"),
    (.builtIn, { try entryPlist("icloud.com", subdomains) }, "setup.icloud.com"),
    (.pinEmpty, { try pinPlist("a.example", pins("Leaf")) }, "every connection fails"),
    (
      .pinEmpty, { try pinPlist("a.example", "<key>NSPinnedCAIdentities</key><string/>") },
      "every connection fails"
    ),
    (
      .pinDigest, { try pinPlist("a.example", pins("Leaf", "!!!!", digest)) },
      "no SPKI-SHA256-BASE64 that is base64"
    ),
    (.pinDigest, { try pinPlist("a.example", pins("Leaf", "AAAA", digest)) }, "has 3 bytes,"),
    (.pinDigest, { try pinPlist("a.example", pins("Leaf", "AA==", digest)) }, "has 1 byte,"),
    (.pinSingle, { try pinPlist("a.example", pins("CA", digest, digest)) }, "no backup"),
    (.pinBoth, { try pinPlist("a.example", pins("CA", digest) + pins("Leaf", digest)) }, "the other"),
    (
      .pinSubdomain, { try pinPlist("a.example", "<key>NSIncludesSubdomains</key><integer>1</integer>") },
      "<true/>"
    ),
    (
      .pinSubdomain,
      {
        try pinPlist(
          "A.example", subdomains,
          rest: "<key>NSExceptionDomains</key><dict><key>x.y.a.example</key><dict/></dict>")
      }, "x.y.a.example"
    ),
    (.pinOld, { try pinPlist("a.example", "", root: target12) }, "iOS 14"),
    (
      .pinWeb,
      { try pinPlist("a.example", "", rest: "<key>NSAllowsArbitraryLoadsInWebContent</key><true/>") },
      "web views"
    ),
    (.pinRequired, { try infoPlist("<key>SecTrustPinningRequired</key><true/>") }, "NSPinnedDomains"),
    (
      .niapValue, { try atsPlist("<key>NSRequiresNIAPTLSPackageVersion</key><string>FCP_v3</string>") },
      "'FCP_v3'"
    ),
    (
      .niapValue,
      { try entryPlist("a.example", "<key>NSExceptionRequiresNIAPTLSPackageVersion</key><true/>") },
      "not a string"
    ),
    (
      .niapOld,
      {
        try atsPlist("<key>NSRequiresNIAPTLSPackageVersion</key><string>recommended</string>", root: target12)
      }, "26.4"
    ),
    (.review, { try atsPlist(arbitrary) }, "NSAllowsArbitraryLoads"),
    (.review, { try entryPlist("a.example", minimum("TLSv1.0")) }, "NSExceptionMinimumTLSVersion"),
    (.review, { try entryPlist("a.example", insecure) }, "NSExceptionAllowsInsecureHTTPLoads"),
  ]

  @Test(arguments: shows.indices) func `each finding is reported for its example`(index: Int) throws {
    let (rule, list, words) = LinterTests.shows[index]
    let findings = try list().lint()
    let found = findings.filter { $0.rule == rule }
    #expect(found.count == 1, "\(rule.rawValue) in \(findings.map(\.rule.rawValue))")
    let text = found.map { $0.message + "; " + ($0.suggestion ?? "") }.joined()
    #expect(text.contains(words), "\(text)")
    #expect((found.first?.line ?? 0) >= 2)
  }

  @Test func `every lint rule has an example`() {
    let evidence: [LintRule] = [.insecureHTTPS, .unused, .appExtension]
    #expect(Set(LinterTests.shows.map(\.rule)).union(evidence) == Set(LintRule.allCases))
  }

  @Test(arguments: LintRule.allCases) func `every lint rule has an ID and a meaning`(rule: LintRule) {
    #expect(rule.rawValue.hasPrefix("LINT-"))
    #expect(!rule.meaning.isEmpty)
  }

  @Test func `a clean file has no findings`() throws {
    let entry = try entryPlist("a.example", LinterTests.noSecrecy + LinterTests.subdomains)
    #expect(entry.lint() == [])
    #expect(try infoPlist("<key>CFBundleName</key><string>x</string>").lint() == [])
    let pin = try pinPlist(
      "a.example", LinterTests.pins("Leaf", LinterTests.digest, "UST6nvsL0sv5Hrr/Vr8srrCk5V6OnkRjXT53/um0FTw="))
    #expect(pin.lint() == [])
    #expect(try entryPlist("192.0.2.0/24", LinterTests.noSecrecy).lint() == [])
  }

  @Test func `findings have the path and line of their key`() throws {
    let list = try atsPlist(
      "<key>NSExceptionDomains</key>\n<dict>\n<key>A.example</key>\n<dict>\n<key>NSExceptionMinimumTLSVersion</key>\n"
        + "<string>x</string></dict></dict>\n<key>NSAllowsLocalNetworking</key><false/>")
    let found = list.lint().map { "\($0.rule.rawValue) \($0.line ?? 0) \($0.path)" }
    #expect(
      found == [
        "LINT-KEY-CASE 5 NSAppTransportSecurity > NSExceptionDomains > A.example",
        "LINT-TLS-VALUE 7 NSAppTransportSecurity > NSExceptionDomains > A.example > NSExceptionMinimumTLSVersion",
        "LINT-LOCAL-OFF 9 NSAppTransportSecurity > NSAllowsLocalNetworking",
      ])
  }

  @Test func `hosts observed in captures add findings`() throws {
    let list = try atsPlist(
      "<key>NSExceptionDomains</key><dict>"
        + "<key>a.example</key><dict>\(LinterTests.insecure)\(LinterTests.subdomains)</dict><key>b.example</key><dict/></dict>"
        + "<key>NSPinnedDomains</key><dict><key>c.example</key><dict>\(LinterTests.pins("Leaf"))</dict></dict>")
    let seen = [
      SeenHost(host: .name("x.y.a.example"), usedTLS: true),
      SeenHost(host: .name("c.example"), usedTLS: true, usedInWebView: true),
    ]
    let rules = Set(list.lint(seen: seen).map(\.rule)).subtracting(list.lint().map(\.rule))
    #expect(rules == [.insecureHTTPS, .unused, .subdomainsDepth, .pinWeb])
    let cleartext = [SeenHost(host: .name("a.example"), usedCleartext: true, usedTLS: true)]
    #expect(!list.lint(seen: cleartext).contains { $0.rule == .insecureHTTPS })
  }

  @Test func `a finding is not reported if its condition is not met`() throws {
    // An address that is not in canonical form has no uppercase letter.
    let address = try entryPlist("2001:db8:0:0:0:0:0:1", "")
    #expect(!address.lint().contains { $0.rule == .keyCase })
    #expect(try !entryPlist("2001:db8::1", "").lint().contains { $0.rule == .addressForm })
    // Ranges are read without regard to case.
    #expect(try !entryPlist("FE80::/10", "").lint().contains { $0.rule == .keyCase })
    #expect(try !entryPlist("11.0.0.0/8", "").lint().contains { $0.rule == .localEntry })
    // An ignored entry does not tie with another.
    let unread = "<key>NSExceptionDomains</key><dict><key>11.0.0.0/8</key><dict>\(LinterTests.insecure)</dict>"
    #expect(
      try !atsPlist(unread + "<key>11.1/8</key><true/></dict>").lint().contains { $0.rule == .rangeTie })
    for relaxing in [LinterTests.minimum("TLSv1.0"), LinterTests.noSecrecy] {
      let list = try entryPlist("a.example", LinterTests.insecure + relaxing)
      #expect(!list.lint().contains { $0.rule == .insecureOnly })
    }
  }

  @Test func `keys with early names are linted as the current ones in releases that read them`() throws {
    let list = try entryPlist(
      "a.example",
      "<key>NSTemporaryExceptionAllowsInsecureHTTPLoads</key><true/>"
        + "<key>NSThirdPartyExceptionRequiresForwardSecrecy</key><false/>"
        + "<key>NSThirdPartyExceptionMinimumTLSVersion</key><string>TLSv1.0</string>")
    let findings = list.lint(release: try SystemRelease(named: "ios18.3")).filter { $0.rule != .alias }
    #expect(
      Set(findings.map { "\($0.rule.rawValue) \($0.path.keys.last ?? "")" }) == [
        "LINT-REVIEW NSTemporaryExceptionAllowsInsecureHTTPLoads", "LINT-PFS-INSECURE NSThirdPartyExceptionRequiresForwardSecrecy",
        "LINT-TLS-LOW NSThirdPartyExceptionMinimumTLSVersion", "LINT-REVIEW NSThirdPartyExceptionMinimumTLSVersion",
      ])
    #expect(Set(list.lint(release: try SystemRelease(named: "ios18.4")).map(\.rule)) == [.alias])
    // The current name prevails.
    let both = try entryPlist(
      "a.example", Self.minimum("TLSv1.3") + "<key>NSThirdPartyExceptionMinimumTLSVersion</key><string>TLSv1.0</string>")
    #expect(!both.lint(release: try SystemRelease(named: "ios18.3")).contains { $0.rule == .tlsLow })
  }

  @Test(arguments: [
    (minimum("TLSv1.2"), "<key>NSThirdPartyExceptionMinimumTLSVersion</key><string>TLSv1.0</string>", false),
    (minimum("TLSv1.2"), "<key>NSThirdPartyExceptionMinimumTLSVersion</key><string>TLSv1.2</string>", true),
    (
      "<key>NSExceptionRequiresForwardSecrecy</key><true/>",
      "<key>NSTemporaryExceptionRequiresForwardSecrecy</key><false/>", false
    ),
    (
      "<key>NSExceptionRequiresForwardSecrecy</key><true/>",
      "<key>NSTemporaryExceptionRequiresForwardSecrecy</key><true/>", true
    ),
  ])
  func `a default is not redundant if an early name in the entry states something else`(
    current: String, early: String, isReported: Bool
  ) throws {
    let list = try entryPlist("a.example", current + early)
    for os in ["ios15", "ios26.5"] {
      #expect(list.lint(release: try SystemRelease(named: os)).contains { $0.rule == .tlsRedundant } == isReported)
    }
  }

  @Test(arguments: [
    ("10.1", true), ("010.0.0.1", true), ("0x7f.1", true), ("256.0.0.1", true), ("1.2.3.4.5", true), ("10.0.0.1", false),
    ("10", false), ("10.1.example", false), ("1.x", false), ("0x7g.1", false), ("f.1", false), ("10..1", false),
    ("10.0.0.0/8", false),
  ])
  func `numbers that are not an IPv4 address are an address in an unusual notation`(key: String, isReported: Bool) throws {
    #expect(try entryPlist(key, "").lint().contains { $0.rule == .addressForm } == isReported)
  }

  @Test(arguments: ["Nas", "*.local", "nas:80", "n\u{E4}s", "https://nas", "10.0.0.300/8", "", "FE80::1"])
  func `an entry that never matches is not reported as shadowing or local`(key: String) throws {
    let findings = try entryPlist(key, "", global: Self.arbitrary).lint()
    #expect(!findings.contains { $0.rule == .entryShadow || $0.rule == .localEntry })
    let served = try entryPlist("nas", "", global: Self.arbitrary).lint()
    #expect(served.count { $0.rule == .entryShadow || $0.rule == .localEntry } == 2)
  }

  @Test(arguments: ["$(API_HOST)", "$(API_HOST:lower)", "${host}", "api.$(ENV).example", "10.0.0.0/$(BITS)", "*.$(DOMAIN)"])
  func `a host with a build variable has one remark, and its settings are linted`(key: String) throws {
    let empty = try entryPlist(key, "", global: Self.arbitrary)
    #expect(Set(empty.lint().map(\.rule)) == [.buildVariable, .arbitrary, .review])
    let entry = try entryPlist(key, Self.minimum("TLSv1.0"))
    #expect(Set(entry.lint().map(\.rule)) == [.buildVariable, .tlsLow, .review])
    let pin = try pinPlist(key, "")
    #expect(pin.lint().map(\.rule) == [.buildVariable])
  }

  @Test func `build variables whose names differ in case are not the same key`() throws {
    let list = try atsPlist(
      "<key>NSExceptionDomains</key><dict><key>$(host)</key><dict/><key>$(HOST)</key><dict/></dict>")
    #expect(list.lint().map(\.rule) == [.buildVariable, .buildVariable])
  }

  @Test func `a string with a build variable has one remark`() throws {
    let package = "<key>NSRequiresNIAPTLSPackageVersion</key><string>$(NIAP)</string>"
    for list in [
      try entryPlist("a.example", Self.minimum("$(TLS_MIN)")), try atsPlist(package),
      try atsPlist("<key>$(ARBITRARY)</key><true/>"), try pinPlist("a.example", Self.pins("Leaf", "$(PIN)", Self.digest)),
      try pinPlist("a.example", Self.pins("Leaf", "$(PIN)")),
    ] {
      #expect(list.lint().map(\.rule) == [.buildVariable])
      #expect(list.lint().map(\.rule.severity) == [.remark])
    }
    let broken = try pinPlist("a.example", Self.pins("Leaf", "$(PIN)", "!!!!", Self.digest)).lint()
    #expect(broken.map(\.rule) == [.buildVariable, .pinDigest])
    // Xcode replaces the build variable, but the value remains a string.
    let text = try atsPlist("<key>NSAllowsArbitraryLoads</key><string>$(ALLOW)</string>").lint()
    #expect(text.map(\.rule) == [.boolType])
  }

  @Test(arguments: ["NSExceptionDomains", "NSPinnedDomains"])
  func `hosts nested too deep have one finding, which suggests moving them up`(domains: String) throws {
    let content = domains == "NSPinnedDomains" ? "" : Self.noSecrecy
    let hosts = "<key>\(domains)</key><dict><key>a.example</key><dict>\(content)</dict></dict>"
    let nested = try atsPlist("<key>\(domains)</key><dict>\(hosts)</dict>")
    #expect(nested.lint().map(\.rule) == [.misplaced])
    #expect(nested.lint().map(\.suggestion) == ["move its entries up one level"])
    // The warning of audit and policy.
    #expect(nested.ignored.map(\.reason) == [.unknownKey])
    #expect(try atsPlist(hosts).lint() == [])
    let twice = try infoPlist(
      "<key>NSAppTransportSecurity</key><dict><key>NSAppTransportSecurity</key><dict>\(hosts)</dict></dict>")
    #expect(twice.lint().map(\.suggestion) == ["move its entries up one level"])
    let inEntry = try atsPlist("<key>\(domains)</key><dict><key>b.example</key><dict>\(hosts)</dict></dict>")
    #expect(inEntry.lint().map(\.suggestion) == ["move its entries up 2 levels"])
  }

  @Test func `a setting among the hosts is at the wrong level`() throws {
    let list = try atsPlist(
      "<key>NSExceptionDomains</key><dict>\(Self.subdomains)\(Self.arbitrary)"
        + "<key>NSPinnedDomains</key><dict><key>a.example</key><dict/></dict></dict>")
    #expect(list.lint().map(\.rule) == [.misplaced, .misplaced, .misplaced])
    #expect(
      list.lint().map(\.suggestion) == [
        "move it to an entry of NSExceptionDomains", "move it to the dictionary NSAppTransportSecurity",
        "move it to the dictionary NSAppTransportSecurity",
      ])
    let pins = try atsPlist("<key>NSPinnedDomains</key><dict>\(Self.subdomains)</dict>")
    #expect(pins.lint().map(\.suggestion) == ["move it to an entry of NSPinnedDomains"])
  }

  @Test func `the judged release determines which keys count`() throws {
    let list = try atsPlist(LinterTests.arbitrary + "<key>NSAllowsLocalNetworking</key><true/>")
    let old = list.lint(release: try SystemRelease(named: "ios9")).map(\.rule)
    #expect(old.contains(.arbitrary))
    #expect(!old.contains(.arbitraryIgnored))
    #expect(list.lint().map(\.rule).contains(.arbitraryIgnored))
  }

  @Test func `app extensions that differ from their app are reported`() throws {
    let app = try entryPlist("a.example", LinterTests.insecure)
    let same = try entryPlist("a.example", LinterTests.insecure)
    let none = try infoPlist("<key>CFBundleName</key><string>x</string>")
    let other = try entryPlist("a.example", "", global: LinterTests.arbitrary)
    let findings = app.lint(extensions: [("same", same), ("none", none), ("other", other)])
    #expect(findings.map(\.rule) == [.appExtension, .appExtension])
    #expect(findings.first?.message.contains("none has no NSAppTransportSecurity") == true)
    #expect(findings.last?.message.contains("other global keys and entries of NSExceptionDomains") == true)
  }

  @Test func `a key that the judged release does not read is reported`() throws {
    let old = try SystemRelease(named: "ios13")
    let empty = "<key>NSPinnedLeafIdentities</key><array/>"
    for (list, rule) in [
      (try entryPlist("a.example", LinterTests.minimum("TLSv1.3")), .tls13Old),
      (try atsPlist("<key>NSRequiresNIAPTLSPackageVersion</key><string>FCP_v2.1</string>"), .niapOld),
      (try pinPlist("a.example", empty), .pinOld), (try entryPlist("192.0.2.1", ""), .addressOld),
    ] as [(InfoPropertyList, LintRule)] {
      let finding = list.lint(release: old).first { $0.rule == rule }
      #expect(finding?.message.hasPrefix("iOS 13 does not read ") == true)
      #expect(!list.lint().contains { $0.rule == rule })
    }
    let fails = try pinPlist("a.example", empty).lint(release: old).first { $0.rule == .pinEmpty }
    #expect(fails?.message.hasSuffix("every connection fails from iOS 14 and macOS 11 on") == true)
  }
}
