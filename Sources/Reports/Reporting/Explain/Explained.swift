import ATSEvaluation
import InfoPlistReading

/// What a query of `atscope explain` asks for: a rule, a finding of lint or a key by its name, an error by its code, or a line of a log.
struct Explained {
  var rules: [RuleDescription] = []
  var findings: [LintRule] = []
  var settings: [SettingDescription] = []
  var errors: [ReportedError] = []

  /// Finds what a query asks for; nil where nothing is known of it.
  init?(_ query: String) {
    if let rule = RuleCatalogue.rule(named: query) {
      rules = [rule]
    } else if let finding = LintRule(named: query) {
      findings = [finding]
    } else if let setting = SettingDescription.named(query) {
      settings = [setting]
    } else {
      // Also with the minus sign of typography.
      let code = Int(query.hasPrefix("\u{2212}") ? "-" + query.dropFirst() : query)
      errors = code.map(ReportedError.named) ?? ReportedError.mentioned(in: query)
      if errors.isEmpty { return nil }
    }
  }

  /// The name that a misspelt query was meant to be; nil where none is near.
  static func suggestion(for query: String) -> String? {
    let names =
      RuleCatalogue.all.map(\.id) + LintRule.allCases.map(\.rawValue) + SettingDescription.all.map(\.key)
    return query.utf8.count < 4 ? nil : NearestKey.nearest(to: query, among: names)
  }
}
