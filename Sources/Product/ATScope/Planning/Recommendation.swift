public import ByteParsing
public import CommandReports
import ExceptionPlanning
import InfoPlistReading
import PropertyLists
import Reporting
import TrustEvaluation
import Values

/// Determines the narrowest settings that allow the recorded sessions.
public struct Recommendation: Sendable {
  private let options: AuditOptions

  /// Creates a recommendation for the sessions that the options choose. It keeps the requirements beyond ATS of the programs' present
  /// settings.
  public init(_ options: AuditOptions) { self.options = options }

  /// Reads the inputs and determines the settings.
  public func run() -> Settings {
    let judge = ProgramJudges(options.judging)
    let evaluator = judge.evaluator
    var sink = JudgedSink(
      options, ProgramSamples(options.judging.programs), judge: judge,
      addUnselected: { $0.addUnselected($1, $2, asOf: evaluator.generation) },
      add: { $0.add($1, $2, asOf: evaluator.generation) })
    let outcome = Audit.read(options, into: &sink)
    let release = options.judging.assumptions.release
    let trial = TrialJudge(options.judging, evaluator)
    let programs = sink.finished()
    func program(_ group: ProgramSamples.Group) -> RecommendedSettings {
      let plan = ExceptionPlanner.plan(
        for: group.samples, elsewhere: programs.elsewhere(than: group), present: group.program?.dictionary,
        release: release
      ) { sample, dictionary, context in trial.judgement(of: sample, dictionary, context) }
      let findings = group.program?.propertyList.lint(release: release, seen: group.samples.hosts.map(SeenHost.init))
      // The sessions of other hosts may use an entry.
      let isKnown = { (finding: LintFinding) in finding.rule.restsOnCaptures && (options.hosts.isEmpty || finding.rule != .unused) }
      return RecommendedSettings(
        infoPlist: group.program?.file, process: group.process, sdkName: group.program?.propertyList.application.knownSDKName,
        plan: plan, findings: (findings ?? []).filter(isKnown))
    }
    // If the sessions of one program were chosen, or none is judged by the main settings, the result is for that program.
    let all = programs.groups
    let groups = all.filter { $0.samples.sessions > 0 }
    let isMainMeant = options.judging.programs.main != nil && options.processes.isEmpty
    let first = isMainMeant || groups.isEmpty ? all.first : groups.first
    let main = first.map(program) ?? RecommendedSettings(infoPlist: nil, process: nil, plan: ExceptionPlan(), findings: [])
    let others = groups.filter { !AppPolicy.areSame($0.program, first?.program) }.map(program)
    return Settings(outcome: outcome, main: main, others: others, options: options)
  }

  /// The settings with the reason for each key.
  public struct Settings: Report {
    /// The outcome of reading the inputs.
    public let outcome: RunOutcome

    /// The settings of the program that the result is for.
    public let main: RecommendedSettings

    /// The settings of other programs with sessions and a separate Info.plist.
    public let others: [RecommendedSettings]

    fileprivate let options: AuditOptions

    /// An Info.plist with only the settings of ``main`` and the SDK of its program, as XML; nil if XML cannot represent a key of the
    /// present settings.
    public func propertyList() -> Bytes? {
      let unproven = main.plan.keys.filter(\.dependsOnOffer).map(\.key).distinct()
      let warning = "may not be needed, since the recorded client offered less than a device: record a device first"
      let list = main.settings.infoPropertyList(sdkName: main.sdkName)
      return list.xml(comment: unproven.isEmpty ? nil : "\(unproven.joined(separator: ", ")) \(warning)")
    }

    /// The report in a format; JSON is an object of the schema `atscope.recommendation/1`.
    public func rendered(_ format: TextOrJSON, width: Int, useColor: Bool) -> Bytes {
      switch format {
      case .json:
        let assumptions = options.judging.assumptions
        return RecommendationJSON.rendered(
          [main] + others, release: assumptions.release, context: assumptions.context, run: options.runRecord("recommend", .json))
      case .text:
        let textOptions = TextOptions(width: width, useColor: useColor)
        let text = RecommendationText(textOptions, selectsHosts: !options.hosts.isEmpty)
        var output = TextWriter.basis(of: options.runRecord("recommend", .text), outcome.summary, textOptions)
        output += text.rendered(main.plan, main.findings)
        for other in others {
          output.append(contentsOf: text.rendered(other.plan, other.findings, ofOther: other.infoPlist, process: other.process))
        }
        return output
      }
    }
  }
}

extension SeenHost {
  /// Creates the facts about the use of a host from its sessions.
  fileprivate init(_ host: SessionSamples.Host) {
    self.init(
      host: host.identity, usedCleartext: host.samples.contains { $0.session.application == .http },
      usedTLS: host.samples.contains { $0.session.application == .tls },
      usedInWebView: host.samples.contains { $0.context == .web })
  }
}
