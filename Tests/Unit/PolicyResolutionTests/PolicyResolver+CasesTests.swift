import Foundation
import InfoPlistReading
import PolicyResolution
import PropertyLists
import TLSParsing
import Testing
import Values

/// The policy cases of `Data/policy-cases.json`, which states their sources.
@Suite struct PolicyResolverCasesTests {
  struct Cases: Decodable {
    struct Group: Decodable {
      var dictionary: JSONPropertyList
      var loads: [String]?
      var pinned: [Pinned]?
    }
    struct Pinned: Decodable {
      var load: String
      var leaf: [String]?
      var ca: [String]?
    }
    var dictionaries: [Group]
    var ranges: [String: String?]
    var versions: [String: String?]
  }

  static let cases: Cases? = {
    let file = testFolder.appendingPathComponent("Data/policy-cases.json")
    return (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Cases.self, from: $0) }
  }()

  /// The Info.plist key of each short name in the file.
  static let names = [
    "any": "NSAllowsArbitraryLoads", "media": "NSAllowsArbitraryLoadsForMedia",
    "web": "NSAllowsArbitraryLoadsInWebContent", "nearby": "NSAllowsLocalNetworking",
    "hosts": "NSExceptionDomains", "pins": "NSPinnedDomains", "below": "NSIncludesSubdomains",
    "http": "NSExceptionAllowsInsecureHTTPLoads", "tls": "NSExceptionMinimumTLSVersion",
    "secrecy": "NSExceptionRequiresForwardSecrecy", "leaf": "NSPinnedLeafIdentities",
    "ca": "NSPinnedCAIdentities", "spki": "SPKI-SHA256-BASE64",
  ]

  static func spelledOut(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .array(let items): .array(items.map(spelledOut))
    case .dictionary(let dictionary):
      .dictionary(
        PropertyListDictionary(dictionary.entries.map { (names[$0.key] ?? $0.key, spelledOut($0.value)) }))
    default: value
    }
  }

  static func request(_ words: [Substring]) throws -> PolicyRequest {
    var request = PolicyRequest(host: HostIdentity(String(try #require(words.first))), isDirect: false)
    for word in words.dropFirst() {
      if let context = LoadContext(rawValue: String(word)) {
        request.context = context
      } else if word == "local" {
        request.isDirect = true
      } else if word == "apple" {
        request.isAppleBundle = true
      } else {
        request.release = try SystemRelease(named: String(word))
      }
    }
    return request
  }

  static func summary(_ policy: EffectivePolicy) -> String {
    let versions: [TLSVersion: String] = [.tls10: "1.0", .tls11: "1.1", .tls12: "1.2", .tls13: "1.3"]
    var words = policy.requiresHTTPS ? ["https"] : []
    words.append(policy.minimumTLSVersion.map { versions[$0] ?? "\($0.rawValue)" } ?? "system")
    words.append(policy.cipherPolicy.rawValue)
    if policy.requiresForwardSecrecy { words.append("secrecy") }
    if let entry = policy.matchedEntry { words += ["by", entry] }
    return words.joined(separator: " ")
  }

  @Test func `the file of cases contains more than 120 loads`() throws {
    let cases = try #require(PolicyResolverCasesTests.cases)
    #expect(cases.dictionaries.reduce(0) { $0 + ($1.loads?.count ?? 0) } > 120)
  }

  @Test(arguments: (cases?.dictionaries ?? []).indices)
  func `each load gets the policy of its case`(index: Int) throws {
    let group = try #require(PolicyResolverCasesTests.cases).dictionaries[index]
    let ats = try readATS(PolicyResolverCasesTests.spelledOut(group.dictionary.value))
    let resolver = PolicyResolver(dictionary: ats)
    for load in group.loads ?? [] {
      let sides = load.split(separator: " -> ", maxSplits: 1)
      let policy = resolver.policy(for: try PolicyResolverCasesTests.request(sides[0].split(separator: " ")))
      #expect(PolicyResolverCasesTests.summary(policy) == sides[1], "\(load)")
    }
    for pinned in group.pinned ?? [] {
      let request = try PolicyResolverCasesTests.request(pinned.load.split(separator: " "))
      let policy = resolver.policy(for: request)
      #expect(policy.leafPins == pinned.leaf?.sorted(), "\(pinned.load)")
      #expect(policy.caPins == pinned.ca?.sorted(), "\(pinned.load)")
    }
  }

  @Test func `range keys are parsed as by the system`() throws {
    for (text, expected) in try #require(PolicyResolverCasesTests.cases).ranges {
      let range = try? AddressRange(key: text)
      #expect(range.map { "\($0.network) \($0.prefixLength)" } == expected, "\(text)")
    }
  }

  @Test func `TLS version texts are parsed as by the system`() throws {
    for (text, expected) in try #require(PolicyResolverCasesTests.cases).versions {
      #expect(hexadecimal(TLSVersionText.version(of: text)) == expected, "\(text)")
    }
  }
}
