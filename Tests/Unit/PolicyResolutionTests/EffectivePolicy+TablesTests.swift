import Foundation
import PolicyResolution
import Testing
import Values

/// The policy tables as text, one file per release, so that a changed table gives a readable difference.
///
/// `ATSCOPE_UPDATE_GOLDEN=1` writes the files again.
@Suite struct EffectivePolicyTablesTests {
  static let releases = Set(Epoch.all.map(\.release.name)).union(["ios18.3", "ios16.7", "ios26.3"]).sorted()

  @Test(arguments: releases) func `the policy tables of a release equal the recorded ones`(name: String) throws {
    let file = testFolder.appendingPathComponent("Golden/\(name).txt")
    let text = EffectivePolicyTablesTests.text(of: try SystemRelease(named: name))
    if ProcessInfo.processInfo.environment["ATSCOPE_UPDATE_GOLDEN"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let recorded = (try? String(contentsOf: file, encoding: .utf8)) ?? "nothing is recorded"
    let difference = text.split(separator: "\n").difference(from: recorded.split(separator: "\n"))
    #expect(difference.isEmpty, "\(difference.map { "\($0)" }.joined(separator: "\n"))")
  }

  @Test func `macOS has the tables of the equivalent iOS release`() throws {
    for epoch in Epoch.all {
      let body = { (release: SystemRelease) in
        EffectivePolicyTablesTests.text(of: release).split(separator: "\n").dropFirst()
      }
      #expect(body(epoch.release).elementsEqual(body(SystemRelease(platform: .macos, version: epoch.macOS))))
    }
  }

  static func text(of release: SystemRelease) -> String {
    var lines = ["# \(release.displayName)", "", "changed here:"]
    for epoch in Epoch.all where epoch.iOS == release.equivalentIOSVersion {
      lines.append("  \(epoch.change)")
    }
    lines += ["", "settings:"]
    let settings: [(String, Bool)] = [
      ("keys for web content, media and local networking", release.readsNarrowGlobalKeys),
      ("local names exempt", release.exemptsDirectNames),
      ("local addresses exempt", release.exemptsDirectAddresses || release.exemptsAllAddresses),
      ("public addresses exempt", release.exemptsAllAddresses),
      ("addresses and ranges as keys", release.readsAddressKeys),
      ("early names of keys", release.readsAliases),
      ("TLSv1.3 as minimum", release.knowsTLS13Minimum), ("NSPinnedDomains", release.readsPins),
      ("NSRequiresCertificateTransparency", release.readsTransparencyKey),
      ("NIAP keys", release.readsNIAPKeys),
    ]
    for (what, isSo) in settings { lines.append("  \(isSo ? "yes" : "no ")  \(what)") }
    let minimum = hexadecimal(release.systemMinimumTLSVersion(sdk: release)) ?? ""
    lines.append("  TLS of the system: \(minimum) to \(hexadecimal(release.maximumTLSVersion) ?? "")")
    for group in CipherSuiteGroups.Group.allCases {
      lines += ["", "group \(group.rawValue):"]
      for row in CipherSuiteGroups.table where row.group == group && row.isMember(in: release) {
        lines.append("  \(hexadecimal(row.suite) ?? "") \(row.name)")
      }
    }
    lines += ["", "policies:"] + policies(release) + ["", "built-in entries:"]
    for entry in BuiltInEntries.all {
      lines.append("  \(entry.key) \(entry.settings.minimumTLSVersion ?? "")")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The policies of loads, most of which differ between releases.
  static func policies(_ release: SystemRelease) -> [String] {
    let insecure = ExceptionEntry(
      key: "a.example",
      settings: ExceptionSettings(allowsInsecureHTTPLoads: true, requiresForwardSecrecy: false))
    var early = ExceptionEntry(key: "a.example")
    early.aliases[.thirdParty] = ExceptionSettings(
      allowsInsecureHTTPLoads: true, minimumTLSVersion: "TLSv1.0")
    let high = ExceptionEntry(key: "a.example", settings: ExceptionSettings(minimumTLSVersion: "TLSv1.3"))
    let loads: [(String, String, ATSDictionary?)] = [
      ("no dictionary", "a.example", nil), ("no dictionary", "nas", nil), ("no dictionary", "10.0.0.1", nil),
      ("no dictionary", "203.0.113.1", nil), ("no dictionary", "www.apple.com", nil),
      ("any", "a.example", ATSDictionary(allowsArbitraryLoads: true)),
      ("any, local NO", "a.example", ATSDictionary(allowsArbitraryLoads: true, allowsLocalNetworking: false)),
      ("any, local NO", "nas", ATSDictionary(allowsArbitraryLoads: true, allowsLocalNetworking: false)),
      ("entry insecure, no secrecy", "a.example", ATSDictionary(exceptionDomains: [insecure])),
      ("entry with early names", "a.example", ATSDictionary(exceptionDomains: [early])),
      ("entry TLSv1.3", "a.example", ATSDictionary(exceptionDomains: [high])),
      (
        "range 203.0.113.0/24", "203.0.113.1",
        ATSDictionary(exceptionDomains: [ExceptionEntry(key: "203.0.113.0/24")])
      ),
    ]
    return loads.map { about, host, dictionary in
      let policy = PolicyResolver(dictionary: dictionary).policy(
        for: PolicyRequest(host: HostIdentity(host), release: release))
      return "  \(about), \(host): \(PolicyResolverCasesTests.summary(policy))"
    }
  }
}
