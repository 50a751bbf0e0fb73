import ATSEvaluation
import ATSRules
import InfoPlistReading
import PolicyResolution

/// The result of a query of `atscope explain`: a verdict, the score, a term, a rule by id, title or a word of its id, a lint finding or
/// key by name, or errors by code or from a log line.
package struct Explained: Sendable {
  var verdicts: [Verdict] = []
  var rules: [RuleDescription] = []
  var findings: [LintRule] = []
  var settings: [SettingDescription] = []
  var errors: [ReportedError] = []
  var isAboutScore = false
  var isAboutAssumptions = false
  var term: Term?

  /// Finds the result of a query; nil if it is not a known name, code or log line.
  package init?(_ query: String) {
    let query = query.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let lowercased = query.lowercased()
    if let verdict = ["relaxed", "pass (relaxed)"].contains(lowercased) ? .pass : Verdict(rawValue: lowercased) {
      verdicts = [verdict]
    } else if ["score", "grade", "grades", "weight", "confidence"].contains(lowercased) {
      isAboutScore = true
    } else if ["assumption", "assumptions"].contains(lowercased) {
      isAboutAssumptions = true
    } else if let rule = RuleCatalogue.all.first(where: { [$0.id, $0.title].map { $0.lowercased() }.contains(lowercased) }) {
      rules = [rule]
    } else if let finding = LintRule(named: query) {
      findings = [finding]
    } else if let setting = SettingDescription.named(query) {
      settings = [setting]
    } else if let alias = ATSKeys.alias(query) {
      findings = [.alias]
      settings = SettingDescription.named(alias.current).map { [$0] } ?? []
    } else if let term = Term.named(lowercased) {
      self.term = term
      rules = Explained.rules(about: lowercased)
    } else if !Explained.rules(about: lowercased).isEmpty {
      rules = Explained.rules(about: lowercased)
    } else if case let checked = TrustCheck.rules(in: query), !checked.isEmpty {
      rules = checked
    } else {
      // U+2212 MINUS SIGN is accepted for a hyphen.
      let code = Int(query.hasPrefix("\u{2212}") ? "-" + query.dropFirst() : query)
      errors = code.map(ReportedError.named) ?? ReportedError.mentioned(in: query)
      if errors.isEmpty { term = Term.alert(in: query) }
      if errors.isEmpty && term == nil { return nil }
    }
  }

  /// The rules whose ids contain a word, such as `CT` or `EMS`.
  private static func rules(about word: String) -> [RuleDescription] {
    RuleCatalogue.all.filter { $0.id.lowercased().split(separator: "-").dropFirst().contains { $0 == word } }
  }

  /// The names of all verdicts, rules, lint findings and keys.
  package static var names: [String] {
    Verdict.allCases.map { $0.rawValue.uppercased() }
      + RuleCatalogue.all.map(\.id) + LintRule.allCases.map(\.rawValue) + SettingDescription.all.map(\.key)
  }

  /// The rules whose titles contain words that begin with the words of a query, or the names that begin with it, or the name or title that
  /// it misspells, or the names that contain it; empty if there are none.
  package static func suggestions(for query: String) -> [String] {
    let lowercased = query.lowercased()
    let words = lowercased.split(separator: " ")
    guard query.utf8.count >= 3, !words.isEmpty else { return [] }
    let titled = RuleCatalogue.all.filter { rule in
      let title = rule.title.lowercased().split(separator: " ")
      return words.allSatisfy { word in title.contains { $0.hasPrefix(word) } }
    }
    if !titled.isEmpty { return titled.map(\.id) }
    guard query.utf8.count >= 4 else { return [] }
    // Every rule's name begins with ATS- or ADV-.
    let begun = query.utf8.count > 4 ? names.filter { $0.lowercased().hasPrefix(lowercased) } : []
    if !begun.isEmpty { return begun }
    if let nearest = NearestKey.nearest(to: query, among: names + RuleCatalogue.all.map(\.title)) { return [nearest] }
    return names.filter { $0.lowercased().contains(lowercased) }
  }
}
