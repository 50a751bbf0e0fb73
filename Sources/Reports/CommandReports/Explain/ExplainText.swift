import ATSEvaluation
import ATSRules
package import ByteParsing
import InfoPlistReading
import ReportFormats
package import Reporting

/// The documentation of rules, of findings of `atscope lint`, and of device errors, as text.
package struct ExplainText {
  private let options: TextOptions
  private static let labelWidth = 12

  package init(_ options: TextOptions) { self.options = options }

  /// Returns the result of a query as UTF-8; the list of all documentation for nil.
  package func rendered(_ explained: Explained?) -> Bytes {
    var writer = TextWriter(options)
    guard let explained else {
      writeList(&writer)
      return writer.output
    }
    for rule in explained.rules { write(rule, to: &writer) }
    for finding in explained.findings { write(finding, to: &writer) }
    for setting in explained.settings { write(setting, to: &writer) }
    for (index, error) in explained.errors.enumerated() {
      if index > 0 { writer.endLine() }
      // A code of two domains has the same rules in both.
      write(error, isNew: !explained.errors[..<index].contains { $0.rules == error.rules }, to: &writer)
    }
    return writer.output
  }

  private func writeList(_ writer: inout TextWriter) {
    let rules = RuleCatalogue.all
    let width = rules.map { TextWidth.of($0.id) }.max() ?? 0
    for (heading, isAdvisory) in [("rules that decide the verdict", false), ("advice", true)] {
      if isAdvisory { writer.endLine() }
      writer.writeFields([(heading, .bold)], indent: 0)
      for rule in rules where rule.isAdvisory == isAdvisory {
        let weight = "weight \(rule.weight)"
        writer.writeRow(
          TextRow(label: rule.id, text: rule.title, note: weight), indent: 2, labelWidth: width, noteWidth: 10
        )
      }
    }
    writer.endLine()
    writer.writeFields([("findings of lint", .bold)], indent: 0)
    let labels = LintRule.allCases.map { TextWidth.of($0.rawValue) }.max() ?? 0
    for finding in LintRule.allCases {
      writer.writeRow(
        TextRow(
          label: finding.rawValue, text: finding.meaning, note: finding.severity.names.noun),
        indent: 2, labelWidth: labels, noteWidth: 10)
    }
    writer.endLine()
    writer.writeFields([("keys of Info.plist", .bold)], indent: 0)
    let keys = SettingDescription.all.map { TextWidth.of($0.key) }.max() ?? 0
    for setting in SettingDescription.all {
      writer.writeRow(TextRow(label: setting.key, text: "in \(setting.parent)"), indent: 2, labelWidth: keys)
    }
    writer.endLine()
    let grades = ScoreTable.grades.map { "\($0.grade) from \($0.minimumScore)" }.joined(separator: ", ")
    let rows = [
      TextRow(
        label: "score",
        text:
          "weights of rules that pass, and half of those that a key relaxes, as a percentage of the decided weights"
      ),
      TextRow(
        label: "failing",
        text: "at most \(ScoreTable.greatestFailingScore) minus the weights of the required rules that fail"),
      TextRow(label: "none", text: "for UNKNOWN and EXEMPT"),
      TextRow(label: "grades", text: grades),
      TextRow(label: "policy", text: "version \(RuleCatalogue.policyVersion)"),
    ]
    for row in rows { writer.writeRow(row, indent: 0, labelWidth: ExplainText.labelWidth) }
    writeAssumptions(&writer)
  }

  private func writeAssumptions(_ writer: inout TextWriter) {
    writer.endLine()
    writer.writeFields([("open questions, and what is assumed", .bold)], indent: 0)
    for assumption in PolicyAssumption.all {
      writer.writeRow(
        TextRow(
          label: "J.\(assumption.number)",
          text: "\(assumption.question): \(assumption.choice) (certainty: \(assumption.certainty))"),
        indent: 2, labelWidth: 4)
    }
  }

  private func write(_ rule: RuleDescription, to writer: inout TextWriter) {
    writer.writeFields([(rule.id, .bold), (rule.title, .unstyled)], indent: 0)
    var rows = [
      TextRow(label: "requires", text: rule.demand), TextRow(label: "why", text: rule.reason),
      TextRow(label: "fix", text: rule.fix),
      TextRow(label: "since", text: rule.since),
      TextRow(
        label: "relaxed by",
        text: rule.relaxedBy.isEmpty ? "no key of Info.plist" : rule.relaxedBy.joined(separator: ", ")),
      TextRow(
        label: "verdict",
        text: rule.isAdvisory ? "advice only" : "required where it applies"),
      TextRow(label: "weight", text: "\(rule.weight) in the score"),
    ]
    if rule.isAdvisory { rows.removeAll { $0.label == "relaxed by" } }
    for (index, error) in rule.errors.enumerated() {
      rows.append(
        TextRow(
          label: index == 0 ? "reported as" : "", text: "\(error.domain) \(error.code): \(error.meaning)"))
    }
    for (index, source) in (["policy text \(rule.section)"] + rule.sources).enumerated() {
      rows.append(TextRow(label: index == 0 ? "sources" : "", text: source))
    }
    for row in rows { writer.writeRow(row, indent: 2, labelWidth: ExplainText.labelWidth) }
  }

  private func write(_ finding: LintRule, to writer: inout TextWriter) {
    writer.writeFields([(finding.rawValue, .bold)], indent: 0)
    var rows = [
      TextRow(label: "finding", text: finding.meaning), TextRow(label: "fix", text: finding.fix),
      TextRow(label: "severity", text: finding.severity.names.noun),
    ]
    if finding.restsOnCaptures {
      rows.append(
        TextRow(label: "found by", text: "also by recommend --info-plist, from the captures"))
    }
    for (index, source) in (["policy text H"] + finding.sources).enumerated() {
      rows.append(TextRow(label: index == 0 ? "sources" : "", text: source))
    }
    for row in rows { writer.writeRow(row, indent: 2, labelWidth: ExplainText.labelWidth) }
  }

  private func write(_ setting: SettingDescription, to writer: inout TextWriter) {
    writer.writeFields([(setting.key, .bold)], indent: 0)
    var rows = [
      TextRow(label: "does", text: setting.meaning), TextRow(label: "in", text: setting.parent),
      TextRow(label: "value", text: setting.value), TextRow(label: "since", text: setting.since),
    ]
    let relaxed = setting.relaxed.map { $0.rule + $0.condition }
    if !relaxed.isEmpty { rows.append(TextRow(label: "relaxes", text: relaxed.joined(separator: ", "))) }
    for row in rows { writer.writeRow(row, indent: 2, labelWidth: ExplainText.labelWidth) }
  }

  /// Writes an error, and the next step if its rules are new.
  private func write(_ error: ReportedError, isNew: Bool, to writer: inout TextWriter) {
    writer.writeFields([("\(error.domain) \(error.code)", .bold)], indent: 0)
    var rows = [TextRow(label: "name", text: error.name), TextRow(label: "means", text: error.meaning)]
    if error.rules.isEmpty {
      rows.append(TextRow(label: "rules", text: "none: ATS does not cause this error"))
    }
    for (index, id) in error.rules.enumerated() {
      let title = RuleCatalogue.rule(named: id)?.title
      rows.append(TextRow(label: index == 0 ? "rules" : "", text: title.map { "\(id): \($0)" } ?? id))
    }
    if isNew, error.rules.count == 1, let rule = error.rules.first.flatMap(RuleCatalogue.rule) {
      rows.append(TextRow(label: "fix", text: rule.fix))
    } else if isNew, error.rules.count > 1 {
      rows.append(
        TextRow(label: "next", text: "record the connection; 'atscope trace.pcap' shows which rule fails, and the fix"))
    }
    for row in rows { writer.writeRow(row, indent: 2, labelWidth: ExplainText.labelWidth) }
  }
}
