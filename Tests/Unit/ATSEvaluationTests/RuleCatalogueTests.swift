import ATSEvaluation
import FoundationEssentials
import PolicyResolution
import Testing

@Suite struct RuleCatalogueTests {
  @Test
  func `every rule is told of`() {
    #expect(RuleCatalogue.all.map(\.id) == RuleTable.all.map { type(of: $0).id })
    for rule in RuleCatalogue.all {
      for text in [rule.title, rule.demand, rule.reason, rule.fix, rule.since] { #expect(!text.isEmpty) }
      #expect(!rule.sources.isEmpty)
      #expect(rule.demand.hasSuffix("."))
      #expect(rule.isAdvisory == rule.id.hasPrefix("ADV-"))
      #expect(rule.isAdvisory || !rule.errors.isEmpty && !rule.weaknesses.isEmpty)
      #expect(Double(rule.severity).map { (0...10).contains($0) } == true)
    }
  }

  @Test(arguments: ["Rules", "Advisories"])
  func `every rule that has a file is in the table`(folder: String) throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Judgement/ATSEvaluation")
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
  func `the page on scoring shows the grades of the code`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/scoring.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
      line.split(separator: "|").map { $0.filter { $0 != " " } }
    }
    let grades = rows.filter { $0.count == 2 && !$0[0].contains("-") && Int($0[1]) != nil }
    #expect(grades.map { $0[0] } == ScoreTable.grades.map(\.grade))
    #expect(grades.compactMap { Int($0[1]) } == ScoreTable.grades.map(\.minimumScore))
    #expect(text.contains("Policy version \(RuleCatalogue.policyVersion)."))
    #expect(
      text.contains(
        "at most \(ScoreTable.greatestFailingScore), less the weights of the required rules that fail"))
  }

  @Test func `every key that is read is described, once`() {
    let described = SettingDescription.all.map(\.key)
    #expect(Set(described).count == described.count)
    let pins = [ATSKeys.root, ATSKeys.spkiDigest]
    #expect(Set(described) == Set(ATSKeys.globals + ATSKeys.entry + ATSKeys.pinnedEntry + pins))
  }
}
