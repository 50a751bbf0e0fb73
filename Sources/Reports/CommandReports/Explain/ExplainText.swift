import ATSEvaluation
import ATSRules
package import ByteParsing
import InfoPlistReading
import ReportFormats
package import Reporting

/// The documentation of rules, of findings of `atscope lint`, and of device errors, as text.
package enum ExplainText {
  private static let labelWidth = 12

  /// Returns the result of a query as UTF-8; the list of all documentation for nil.
  package static func rendered(_ explained: Explained?, _ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    guard let explained else {
      writeList(&writer)
      return writer.output
    }
    if explained.isAboutScore { writeScore(&writer) }
    if explained.isAboutAssumptions { writeAssumptions(&writer) }
    if let term = explained.term { write([term], to: &writer) }
    for verdict in explained.verdicts { write(verdict, to: &writer) }
    for rule in explained.rules { write(rule, to: &writer) }
    for finding in explained.findings { write(finding, to: &writer) }
    for setting in explained.settings { write(setting, to: &writer) }
    for (index, error) in explained.errors.enumerated() {
      if index > 0 { writer.endLine() }
      // A code of two domains has the same rules in both.
      let isNew = !explained.errors[..<index].contains { $0.rules == error.rules }
      write(error, isNew: isNew, hasStreamCode: explained.errors.contains { $0.domain != ReportedError.Domain.url.rawValue }, to: &writer)
    }
    return writer.output
  }

  private static func write(_ verdict: Verdict, to writer: inout TextWriter) {
    writer.writeFields([(verdict.rawValue.uppercased(), .bold)], indent: 0)
    let rows = [TextRow(label: "means", text: "\(verdict.meaning)."), TextRow(label: "then", text: guidance(on: verdict))]
    writer.writeRows(rows, indent: 2, labelWidth: ExplainText.labelWidth)
  }

  /// Returns what a user can conclude from a verdict, and do.
  private static func guidance(on verdict: Verdict) -> String {
    switch verdict {
    case .pass:
      "Nothing needs to change. 'Advice' in a report names what is allowed but weak. A relaxed session passes only "
        + "by a key of the Info.plist."
    case .fail:
      "A request of an app with these settings fails with the error that the report names, unless the report says 'only if a device fails "
        + "too': then the recorded client offered less than a device does, and a device may succeed. The recorded session may "
        + "have succeeded: its client may not have been under ATS, or had other settings. 'Fix' names who has to change "
        + "what, and 'Exception' the narrowest key that is enough, if there is one."
    case .unknown:
      "'To settle' in a report lists what decides the rules. UNKNOWN counts as a failure only with --strict or --fail-on unknown."
    case .exempt:
      "Nothing needs to change for ATS. The report says why, such as a local address or a port of another protocol. If ATS is off, the "
        + "system may still reject the TLS version or the certificate; the report then shows this, with a fix, and "
        + "--fail-on refused counts it."
    }
  }

  private static func writeVerdicts(_ writer: inout TextWriter) {
    writer.writeFields([("verdicts", .bold)], indent: 0)
    writer.writeRows(
      Verdict.allCases.map { TextRow(label: $0.rawValue.uppercased(), text: $0.meaning) }, indent: 2,
      labelWidth: ExplainText.labelWidth)
  }

  private static func writeList(_ writer: inout TextWriter) {
    writeVerdicts(&writer)
    writer.endLine()
    let rules = RuleCatalogue.all
    let width = rules.map { TextWidth.of($0.id) }.max() ?? 0
    for (heading, isAdvisory) in [("rules that decide the verdict", false), ("advice", true)] {
      if isAdvisory { writer.endLine() }
      writer.writeFields([(heading, .bold)], indent: 0)
      let rows = rules.filter { $0.isAdvisory == isAdvisory }.map { rule in
        TextRow(label: rule.id, text: rule.title, note: "weight \(rule.weight)")
      }
      writer.writeRows(rows, indent: 2, labelWidth: width, noteWidth: 10)
    }
    writer.endLine()
    writer.writeFields([("findings of lint", .bold)], indent: 0)
    let findings = LintRule.allCases.map { finding in
      TextRow(label: finding.rawValue, text: finding.meaning, note: finding.severity.names.noun)
    }
    writer.writeRows(findings, indent: 2, noteWidth: 10)
    writer.endLine()
    writer.writeFields([("keys of Info.plist", .bold)], indent: 0)
    writer.writeRows(SettingDescription.all.map { TextRow(label: $0.key, text: "in \($0.parent)") }, indent: 2)
    writer.endLine()
    writer.writeFields([("terms", .bold)], indent: 0)
    write(Term.all, to: &writer)
    writer.endLine()
    writer.writeFields([("alerts of TLS", .bold)], indent: 0)
    write(Term.alerts, to: &writer)
    writer.endLine()
    writer.writeLine(
      "'atscope explain score' explains the score, and 'atscope explain assumptions' what Apple does not publish.", indent: 0)
  }

  private static func write(_ terms: [Term], to writer: inout TextWriter) {
    writer.writeRows(terms.map { TextRow(label: $0.name, text: $0.meaning) }, indent: 2, labelWidth: ExplainText.labelWidth)
  }

  private static func writeScore(_ writer: inout TextWriter) {
    let grades = ScoreTable.grades.map { "\($0.grade) from \($0.minimumScore)" }.joined(separator: ", ")
    let rows = [
      TextRow(
        label: "score",
        text:
          "the weights of rules that pass, and half of those that a key relaxes, in percent of the weights of all decided rules"
      ),
      TextRow(
        label: "failing",
        text: "at most \(ScoreTable.greatestFailingScore) minus the weights of the required rules that fail; 0 for cleartext HTTP"),
      TextRow(label: "none", text: "for UNKNOWN and EXEMPT"),
      TextRow(
        label: "confidence", text: "the weights of decided rules, divided by these and the weights of required rules that are undecided"),
      TextRow(label: "grades", text: grades),
      TextRow(label: "policy", text: "version \(RuleCatalogue.policyVersion)"),
    ]
    writer.writeRows(rows, indent: 0, labelWidth: ExplainText.labelWidth)
  }

  private static func writeAssumptions(_ writer: inout TextWriter) {
    writer.writeFields([("what Apple does not publish, and what is assumed", .bold)], indent: 0)
    let rows = PolicyAssumption.all.map { assumption in
      TextRow(label: "J.\(assumption.number)", text: "\(assumption.question): \(assumption.choice) (certainty: \(assumption.certainty))")
    }
    writer.writeRows(rows, indent: 2, labelWidth: 4)
  }

  private static func write(_ rule: RuleDescription, to writer: inout TextWriter) {
    writer.writeFields([(rule.id, .bold), (rule.title, .unstyled)], indent: 0)
    var rows = [
      TextRow(label: "requires", text: rule.demand), TextRow(label: "why", text: rule.reason),
      TextRow(label: "fix", text: rule.fix.sentence), TextRow(label: "since", text: rule.since),
    ]
    if rule.isAdvisory {
      rows.add("effect", "advice only")
    } else {
      rows.add("relaxed by", rule.relaxedBy.isEmpty ? "no key of Info.plist" : rule.relaxedBy.joined(separator: ", "))
      rows.add("effect", "a session that breaks it gets FAIL")
    }
    rows.add("weight", "\(rule.weight) in the score")
    rows.addEach("reported as", rule.errors.map { "\($0.domain) \($0.code): \($0.meaning)" })
    rows.addEach("sources", ["docs/policy.md, \(rule.section)"] + rule.sources)
    writer.writeRows(rows, indent: 2, labelWidth: ExplainText.labelWidth)
  }

  private static func write(_ finding: LintRule, to writer: inout TextWriter) {
    writer.writeFields([(finding.rawValue, .bold)], indent: 0)
    var rows = [
      TextRow(label: "finding", text: finding.meaning), TextRow(label: "fix", text: finding.fix),
      TextRow(label: "severity", text: finding.severity.names.noun),
    ]
    rows.add("found by", finding.restsOnCaptures ? "also by recommend --info-plist, from the captures" : nil)
    rows.addEach("sources", ["docs/policy.md, H"] + finding.sources)
    writer.writeRows(rows, indent: 2, labelWidth: ExplainText.labelWidth)
  }

  private static func write(_ setting: SettingDescription, to writer: inout TextWriter) {
    writer.writeFields([(setting.key, .bold)], indent: 0)
    var rows = [
      TextRow(label: "does", text: setting.meaning), TextRow(label: "in", text: setting.parent),
      TextRow(label: "value", text: setting.value), TextRow(label: "since", text: setting.since),
    ]
    rows.add(
      "relaxes",
      setting.relaxed.map {
        $0.rule + $0.condition.replacing(" = ", with: " if the value is ", maxReplacements: $0.condition.hasPrefix(" =") ? 1 : 0)
      }.joined(separator: ", "))
    writer.writeRows(rows, indent: 2, labelWidth: ExplainText.labelWidth)
  }

  /// Writes an error, and the next step if its rules are new.
  private static func write(_ error: ReportedError, isNew: Bool, hasStreamCode: Bool, to writer: inout TextWriter) {
    writer.writeFields([("\(error.domain) \(error.code)", .bold)], indent: 0)
    var rows = [TextRow(label: "name", text: error.name), TextRow(label: "means", text: error.meaning)]
    rows.add("causes", error.rules.isEmpty ? "none: ATS does not cause this error" : nil)
    rows.addEach("causes", error.rules.map { id in RuleCatalogue.rule(named: id).map { "\(id): \($0.title)" } ?? id })
    if isNew, error.rules.count == 1, let rule = error.rules.first.flatMap(RuleCatalogue.rule(withID:)) {
      rows.add("fix", rule.fix.sentence)
    } else if isNew, error.rules.count > 1 {
      let code = hasStreamCode ? "" : "explain the code in the error's _kCFStreamErrorCodeKey, which has fewer causes, or "
      rows.add(
        "next",
        "\(code)record the connection (an iPhone by cable: "
          + "rvictl -s UDID, then sudo tcpdump -i rvi0 -P -w trace.pcapng; a Mac or a simulator: "
          + "sudo tcpdump -i pktap,en0 -w trace.pcapng); 'atscope trace.pcapng' shows which rule fails, and the fix")
    }
    writer.writeRows(rows, indent: 2, labelWidth: ExplainText.labelWidth)
  }
}
