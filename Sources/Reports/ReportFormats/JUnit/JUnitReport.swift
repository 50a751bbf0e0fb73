import ATSEvaluation
import ATSRules
package import ByteParsing
package import Reporting
import SessionModel
package import SessionRecords

/// A JUnit report with a case for each host and rule: a required rule that fails is a failure, an undecided one is skipped,
/// others pass with their notes as output. Inputs that could not be read completely are errors of the first suite.
package struct JUnitReport: SessionReport {
  private let judges: Bool
  private let shown: Set<GateVerdict>?
  private let gate: Set<GateVerdict>
  private var run: RunRecord?

  /// True for an audit: the cases are those of hosts.
  package var needsHosts: Bool { judges }

  /// True: the report is written at the end.
  package let waitsForEnd = true

  package init(judges: Bool, shown: Set<GateVerdict>? = nil, gate: Set<GateVerdict> = [.fail]) {
    self.judges = judges
    self.shown = shown
    self.gate = gate
  }

  /// Appends nothing: the document begins with counts that are known at the end.
  package mutating func begin(_ run: RunRecord, to output: inout Bytes) { self.run = run }

  /// Appends the document; `flush` is called after each host and may remove the output written so far.
  package mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void) {
    var inputs = JUnitReport.inputs(summary)
    if judges, let run {
      inputs.cases.append(JUnitCase(name: "policy", suite: "inputs", output: Wording.judging(run, summary)))
    }
    let steps = run.map { NextSteps(summary, in: $0) } ?? NextSteps()
    var suites = [inputs]
    for host in hosts?.report() ?? [] where shown?.isHit(by: host.verdicts) ?? true {
      var suite = JUnitReport.suite(of: host, steps)
      suite.addGate(gate.counted(in: host.verdicts).map(\.rawValue))
      suites.append(suite)
    }
    if let hosts, let text = hosts.unlistedText {
      var entry = JUnitCase(name: "hosts beyond the limit", suite: "atscope")
      entry.outcome =
        gate.union([.fail]).isHit(by: hosts.unlisted) ? .failed(type: "ATS", message: text) : .skipped(message: "not listed: \(text)")
      suites.append(JUnitSuite(name: "further hosts", cases: [entry]))
    }
    JUnitSuite.write(suites, named: "atscope", to: &output, flush: flush)
  }

  // MARK: Inputs

  static func inputs(_ summary: SummaryRecord) -> JUnitSuite {
    var suite = JUnitSuite(name: "inputs")
    for input in summary.inputs {
      var entry = JUnitCase(name: DisplayText.escaped(input.file), suite: "inputs")
      // The captures in an archive have separate cases, and key logs have no sessions.
      if [.capture, .sessions, .other].contains(input.kind) { entry.output = [Wording.facts(of: input)] }
      let counts = [
        ("not read", input.health.filter { $0.meaning == .notRead }),
        ("also noted", input.health.filter { $0.meaning == .remark }), ("limits reached", input.limits),
      ]
      entry.output += counts.compactMap { label, counts in Wording.counts(counts).map { "\(label): \($0)" } }
      if let fault = Wording.fault(of: input) {
        entry.outcome = .error(type: Wording.kind(of: input.error), message: fault)
      }
      suite.cases.append(entry)
    }
    let omissions = [
      ("not judged", Wording.silent(summary.withoutHandshake)),
      ("limits reached", Wording.counts(summary.limits)),
    ].compactMap { label, text in text.map { "\(label): \($0)" } }
    if !omissions.isEmpty { suite.cases.append(JUnitCase(name: "run", suite: "inputs", output: omissions)) }
    if let shortfall = summary.shortfall {
      suite.cases.append(JUnitCase(name: "sessions", suite: "inputs", outcome: .failed(type: "gate", message: shortfall)))
    }
    return suite
  }

  // MARK: Hosts

  private static func suite(of host: HostReport, _ steps: NextSteps) -> JUnitSuite {
    let label = DisplayText.escaped(host.label)
    var suite = JUnitSuite(name: label)
    for result in host.ruleResults { suite.cases.append(entry(for: result, of: host, named: label, steps)) }
    if !host.failedEndings.isEmpty {
      suite.cases.append(JUnitCase(name: "outcome", suite: label, output: [Wording.failedEndings(of: host)]))
    }
    if let phrase = host.proxyPhrase {
      for index in suite.cases.indices { suite.cases[index].output.append(phrase) }
    }
    if suite.cases.isEmpty {
      // A host without applicable rules still requires a case.
      var entry = JUnitCase(name: "verdict", suite: label)
      if host.verdict == .unknown { entry.outcome = .skipped(message: "unknown") }
      entry.output = ["\(Wording.word(host.verdict, isRelaxed: host.isRelaxed)): no rule applies"]
      suite.cases.append(entry)
    }
    return suite
  }

  private static func entry(for result: RuleResult, of host: HostReport, named label: String, _ steps: NextSteps) -> JUnitCase {
    var entry = JUnitCase(name: result.id, suite: label)
    let finding = result.finding
    let seen = DisplayText.escaped(Wording.comparison(finding))
    let count = result.count(in: host)
    switch finding.outcome {
    case .fail where finding.isRequired:
      entry.outcome = .failed(type: result.id, message: seen)
      entry.details = details(of: result, of: host, count: count)
    case .unknown where finding.isRequired:
      var message = "unknown: " + Wording.reason(of: finding)
      let ways = steps.possible(finding.settledBy, of: result.group)
      if !ways.isEmpty { message += "; to settle: \(Wording.ways(ways))" }
      entry.outcome = .skipped(message: message)
    case .fail:
      let isRejected = result.group.isRejected(for: finding)
      let effect = finding.isAdvisory ? "advice" : isRejected ? Wording.rejected : "not required here"
      entry.output = ["\(effect): \(seen)", "in \(count)"]
    case .unknown: entry.output = ["undecided and not required: " + Wording.reason(of: finding)]
    case .relaxed:
      let key = finding.decidingKey.map { "allowed by " + Wording.key($0) } ?? "allowed by a key"
      entry.output = ["relaxed: \(seen)", key, "in \(count)"]
    case .pass, .notApplicable: break
    }
    return entry
  }

  private static func details(of result: RuleResult, of host: HostReport, count: String) -> [String] {
    let finding = result.finding
    var lines = ["in \(count)"]
    let frames = Wording.frames(finding, of: result.group)
    let location = frames.isEmpty ? Wording.frame(result.group.firstFrame, in: result.group.parts) : frames
    lines.append("\(DisplayText.escaped(result.group.file)), \(location)")
    lines += finding.notes.map(DisplayText.escaped)
    if let key = finding.decidingKey { lines.append("required by \(Wording.key(key))") }
    let judgement = result.group.judgement
    if let error = judgement.predictedError {
      lines.append("device error: \(Wording.wholeError(error))")
    }
    if let fix = host.fix(of: result) { lines.append("fix: \(DisplayText.escaped(fix.text))") }
    if let exception = host.exception(for: result.group) {
      lines.append("exception: \(Wording.exception(exception, of: judgement))")
    }
    return lines
  }
}
