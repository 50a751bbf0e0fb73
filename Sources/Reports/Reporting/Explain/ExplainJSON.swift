import ATSEvaluation
public import ByteParsing
import InfoPlistReading
import SessionRecords

/// What is known of rules, errors and choices, for programs: an object of the form `atscope.explain/1`.
public enum ExplainJSON {
  /// The answer to a query, ending with a line feed: for nil everything, else a rule, a finding or a key by its name, or the errors of a
  /// code or of a line out of a log. Nil if nothing is known of it.
  public static func rendered(_ query: String?) -> Bytes? {
    var rules = RuleCatalogue.all
    var findings = LintRule.allCases
    var settings = SettingDescription.all
    var errors = ReportedError.all
    if let query {
      guard let explained = Explained(query) else { return nil }
      (rules, findings) = (explained.rules, explained.findings)
      (settings, errors) = (explained.settings, explained.errors)
    }
    var output = Bytes()
    output.appendRaw("{\"schema\":\"atscope.explain/1\",\"policyVersion\":")
    output.appendJSONString(RuleCatalogue.policyVersion)
    output.appendRaw(",\"rules\":[")
    for rule in rules {
      output.appendJSONComma()
      output.append(0x0A)
      append(rule, to: &output)
    }
    output.appendRaw("\n],\"findings\":[")
    for finding in findings {
      output.appendJSONComma()
      output.append(0x0A)
      append(finding, to: &output)
    }
    output.appendRaw("\n],\"settings\":[")
    for setting in settings {
      output.appendJSONComma()
      output.append(0x0A)
      append(setting, to: &output)
    }
    output.appendRaw("\n],\"errors\":[")
    for error in errors {
      output.appendJSONComma()
      output.append(0x0A)
      append(error, withRules: true, to: &output)
    }
    output.appendRaw("\n]")
    if query == nil { appendChoices(to: &output) }
    output.appendRaw("}\n")
    return output
  }

  private static func append(_ rule: RuleDescription, to output: inout Bytes) {
    output.appendRaw("{\"id\":")
    output.appendJSONString(rule.id)
    output.appendRaw(",\"title\":")
    output.appendJSONString(rule.title)
    output.appendRaw(",\"section\":")
    output.appendJSONString(rule.section)
    output.appendRaw(",\"advisory\":")
    output.appendJSON(rule.isAdvisory)
    output.appendRaw(",\"weight\":")
    output.appendJSON(rule.weight)
    for (name, text) in [
      ("demand", rule.demand), ("reason", rule.reason), ("fix", rule.fix), ("since", rule.since),
    ] {
      output.appendJSONKey(name)
      output.appendJSONString(text)
    }
    output.appendRaw(",\"relaxedBy\":")
    output.appendJSONTexts(rule.relaxedBy)
    output.appendRaw(",\"errors\":[")
    for error in rule.errors {
      output.appendJSONComma()
      append(error, withRules: false, to: &output)
    }
    output.appendRaw("],\"sources\":")
    output.appendJSONTexts(rule.sources)
    output.append(0x7D)
  }

  private static func append(_ finding: LintRule, to output: inout Bytes) {
    output.appendRaw("{\"id\":")
    output.appendJSONString(finding.rawValue)
    for (name, text) in [
      ("severity", finding.severity.rawValue), ("meaning", finding.meaning), ("fix", finding.fix),
    ] {
      output.appendJSONKey(name)
      output.appendJSONString(text)
    }
    output.appendRaw(",\"sources\":")
    output.appendJSONTexts(finding.sources)
    output.append(0x7D)
  }

  private static func append(_ setting: SettingDescription, to output: inout Bytes) {
    output.appendRaw("{\"key\":")
    output.appendJSONString(setting.key)
    for (name, text) in [
      ("parent", setting.parent), ("value", setting.value), ("since", setting.since),
      ("meaning", setting.meaning),
    ] {
      output.appendJSONKey(name)
      output.appendJSONString(text)
    }
    output.appendRaw(",\"rules\":")
    output.appendJSONTexts(setting.rules)
    output.append(0x7D)
  }

  private static func append(_ error: ReportedError, withRules: Bool, to output: inout Bytes) {
    output.appendRaw("{\"domain\":")
    output.appendJSONString(error.domain)
    output.appendRaw(",\"code\":")
    output.appendJSON(error.code)
    output.appendRaw(",\"meaning\":")
    output.appendJSONString(error.meaning)
    if withRules {
      output.appendRaw(",\"rules\":")
      output.appendJSONTexts(error.rules)
    }
    output.append(0x7D)
  }

  private static func appendChoices(to output: inout Bytes) {
    output.appendRaw(",\"grades\":[")
    for grade in ScoreTable.grades {
      output.appendJSONComma()
      output.appendRaw("{\"grade\":")
      output.appendJSONString(grade.grade)
      output.appendRaw(",\"leastScore\":")
      output.appendJSON(grade.leastScore)
      output.append(0x7D)
    }
    output.appendRaw("],\"greatestFailingScore\":")
    output.appendJSON(ScoreTable.greatestFailingScore)
    output.appendRaw(",\"assumptions\":[")
    for assumption in PolicyAssumption.all {
      output.appendJSONComma()
      output.appendRaw("\n{\"number\":")
      output.appendJSON(assumption.number)
      for (name, text) in [
        ("question", assumption.question), ("choice", assumption.choice), ("certainty", assumption.certainty),
      ] {
        output.appendJSONKey(name)
        output.appendJSONString(text)
      }
      output.append(0x7D)
    }
    output.appendRaw("\n]")
  }
}
