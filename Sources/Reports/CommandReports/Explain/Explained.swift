import ATSRules
import InfoPlistReading
import PolicyResolution

/// The result of a query of `atscope explain`: a rule, lint finding or key by name, or errors by code or from a log line.
package struct Explained: Sendable {
  var rules: [RuleDescription] = []
  var findings: [LintRule] = []
  var settings: [SettingDescription] = []
  var errors: [ReportedError] = []

  /// Finds the result of a query; nil if it is not a known name, code or log line.
  package init?(_ query: String) {
    if let rule = RuleCatalogue.rule(named: query) {
      rules = [rule]
    } else if let finding = LintRule(named: query) {
      findings = [finding]
    } else if let setting = SettingDescription.named(query) {
      settings = [setting]
    } else if let alias = ATSKeys.alias(query) {
      findings = [.alias]
      settings = SettingDescription.named(alias.current).map { [$0] } ?? []
    } else {
      // U+2212 MINUS SIGN is accepted for a hyphen.
      let code = Int(query.hasPrefix("\u{2212}") ? "-" + query.dropFirst() : query)
      errors = code.map(ReportedError.named) ?? ReportedError.mentioned(in: query)
      if errors.isEmpty { return nil }
    }
  }

  /// The names of all rules, lint findings and keys.
  package static var names: [String] {
    RuleCatalogue.all.map(\.id) + LintRule.allCases.map(\.rawValue) + SettingDescription.all.map(\.key)
  }

  /// The nearest name to a misspelled query, or the first that contains it; nil if there is none.
  package static func suggestion(for query: String) -> String? {
    guard query.utf8.count >= 4 else { return nil }
    let lowercased = query.lowercased()
    return NearestKey.nearest(to: query, among: names) ?? names.first { $0.lowercased().contains(lowercased) }
  }
}
