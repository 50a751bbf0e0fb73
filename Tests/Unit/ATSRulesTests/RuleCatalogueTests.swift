import ATSEvaluation
import ATSRules
import FoundationEssentials
import PolicyResolution
import TestFiles
import TLSParsing
import Testing

@Suite struct RuleCatalogueTests {
  @Test
  func `every rule has a complete catalogue entry`() {
    #expect(RuleCatalogue.all.map(\.id) == RuleTable.all.map { type(of: $0).id })
    for rule in RuleCatalogue.all {
      for text in [rule.title, rule.demand, rule.reason, rule.fix.text, rule.since] { #expect(!text.isEmpty) }
      #expect(!rule.sources.isEmpty)
      #expect(rule.demand.hasSuffix("."))
      #expect(rule.isAdvisory == rule.id.hasPrefix("ADV-"))
      #expect(rule.isAdvisory || !rule.errors.isEmpty && !rule.weaknesses.isEmpty)
      #expect(Double(rule.severity).map { (0...10).contains($0) } == true)
    }
  }

  @Test func `every rule has a constant with its id in its own file`() throws {
    let folder = Repository.root.appending(path: "Sources/Judgement/ATSRules").path
    let sources = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
      .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
    for rule in RuleTable.all.map({ "\(type(of: $0))" }) {
      let source = try #require(sources.first { $0.contains("struct \(rule): ") })
      #expect(source.contains("RuleID(rawValue: \(rule).id)"))
    }
    #expect(RuleID.allCases.map(\.rawValue) == RuleTable.all.map { type(of: $0).id })
    #expect(RuleID.tlsVersion.title == "TLS version")
    #expect(!RuleID.tlsVersion.isAdvisory)
    #expect(RuleID.clientCertificate.isAdvisory)
    #expect(RuleID(rawValue: "ATS-NOTHING").title == nil)
  }

  @Test(arguments: ["Rules", "Advisories"])
  func `every rule that has a file is in the table`(folder: String) throws {
    let sources = Repository.root.appending(path: "Sources/Judgement/ATSRules")
    let files = try FileManager.default.contentsOfDirectory(atPath: sources.appending(path: folder).path())
    let listed = Set(RuleTable.all.map { "\(type(of: $0)).swift" })
    for file in files where file.hasSuffix("Rule.swift") || file.hasSuffix("Advisory.swift") {
      #expect(listed.contains(file) || ["Rule.swift", "Advisory.swift"].contains(file), "\(file)")
    }
  }

  @Test
  func `rules are found by name in any case, errors by code with any sign`() {
    #expect(RuleCatalogue.rule(named: "ats-pfs")?.section == "D.5")
    #expect(RuleCatalogue.rule(named: "ATS-NOTHING") == nil)
    #expect(Set(ReportedError.named(-1022).flatMap(\.rules)) == ["ATS-HTTPS"])
    #expect(ReportedError.named(9802) == ReportedError.named(-9802))
    #expect(ReportedError.named(1).isEmpty)
    let ids = Set(RuleCatalogue.all.map(\.id))
    for error in ReportedError.all { #expect(ids.isSuperset(of: error.rules)) }
    #expect(Set(ReportedError.all.map { "\($0.domain) \($0.code)" }).count == ReportedError.all.count)
  }

  @Test
  func `the scoring page lists the grades of the code`() throws {
    let text = try String(contentsOf: Repository.root.appending(path: "docs/scoring.md"), encoding: .utf8)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
      line.split(separator: "|").map { $0.filter { $0 != " " } }
    }
    let grades = rows.filter { $0.count == 2 && !$0[0].contains("-") && Int($0[1]) != nil }
    #expect(grades.map { $0[0] } == ScoreTable.grades.map(\.grade))
    #expect(grades.compactMap { Int($0[1]) } == ScoreTable.grades.map(\.minimumScore))
    #expect(text.contains("Policy version \(RuleCatalogue.policyVersion)."))
    #expect(
      text.contains(
        "at most \(ScoreTable.greatestFailingScore) minus the weights of the required rules that fail"))
  }

  @Test func `the keys listed as relaxing a rule are exactly those that relax its setting`() {
    func entry(_ settings: ExceptionSettings) -> ATSDictionary {
      ATSDictionary(exceptionDomains: [ExceptionEntry(key: "a.example", settings: settings)])
    }
    let insecure = ExceptionSettings(allowsInsecureHTTPLoads: true, requiresForwardSecrecy: false)
    let cases: [(key: String, dictionary: ATSDictionary, context: LoadContext)] = [
      (ATSKeys.insecureLoads, entry(ExceptionSettings(allowsInsecureHTTPLoads: true)), .app),
      (ATSKeys.insecureLoads + " with " + ATSKeys.forwardSecrecy + " = NO", entry(insecure), .app),
      (ATSKeys.minimumTLSVersion, entry(ExceptionSettings(minimumTLSVersion: "TLSv1.0")), .app),
      (ATSKeys.forwardSecrecy, entry(ExceptionSettings(requiresForwardSecrecy: false)), .app),
      (ATSKeys.arbitraryLoads, ATSDictionary(allowsArbitraryLoads: true), .app),
      (ATSKeys.arbitraryLoadsForMedia, ATSDictionary(allowsArbitraryLoadsForMedia: true), .media),
      (ATSKeys.arbitraryLoadsInWebContent, ATSDictionary(allowsArbitraryLoadsInWebContent: true), .web),
      (ATSKeys.localNetworking, ATSDictionary(allowsLocalNetworking: true), .app),
    ]
    for (key, dictionary, context) in cases {
      var relaxed: [String: Bool] = [:]
      for release in [SystemRelease(platform: .ios, version: SystemVersion(18, 0)), .newest] {
        for host in ["a.example", "nas"] {
          func policy(_ dictionary: ATSDictionary?) -> EffectivePolicy {
            PolicyResolver(dictionary: dictionary).policy(
              for: PolicyRequest(host: .name(host), context: context, release: release))
          }
          let (strict, lax) = (policy(nil), policy(dictionary))
          if strict.requiresHTTPS, !lax.requiresHTTPS { relaxed["ATS-HTTPS"] = true }
          if lax.effectiveMinimumTLSVersion.rawValue < strict.effectiveMinimumTLSVersion.rawValue { relaxed["ATS-TLS-VERSION"] = true }
          if lax.cipherPolicy == .systemDefault, strict.cipherPolicy != .systemDefault { relaxed["ATS-CIPHER"] = true }
          if strict.requiresForwardSecrecy, !lax.requiresForwardSecrecy { relaxed["ATS-PFS"] = true }
        }
      }
      let name = key.split(separator: " ")[0]
      // Together both keys also have the effect of each alone.
      let alone: Set = key.contains(" ") ? ["ATS-HTTPS", "ATS-PFS"] : []
      let described = RuleCatalogue.all.filter { rule in
        rule.relaxedBy.contains { $0 == key || name == key && $0.hasPrefix(key + " down") }
      }.map(\.id)
      #expect(Set(described) == Set(relaxed.keys).subtracting(alone), "\(key)")
    }
    let version = RuleCatalogue.rule(named: "ATS-TLS-VERSION")?.relaxedBy
    #expect(version?.last?.hasSuffix("down to the system's minimum") == true)
  }
}
