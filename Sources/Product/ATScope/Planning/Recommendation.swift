public import ByteParsing
package import ExceptionPlanning
import InfoPlistReading
public import PolicyResolution
import PropertyLists
public import Reporting

/// The narrowest settings that allow what was recorded.
public struct Recommendation: Sendable {
  /// The settings of one program.
  public typealias Program = RecommendedSettings

  /// The programs whose sessions were recorded, each with a separate Info.plist: the one that the result is for, and others.
  public let programs: [Program]

  /// The settings of the result, with the reason for each key.
  package var plan: ExceptionPlan { main.plan }

  /// The settings of the result.
  public var settings: ATSDictionary { plan.dictionary }

  /// How the reading ended.
  public let outcome: RunOutcome

  private let main: Program
  private let options: AuditOptions

  /// Reads the inputs and works out the settings, from the programs' present ones if the options name them.
  public static func run(_ options: AuditOptions) -> Recommendation {
    var sink = JudgedSink(options, ProgramSamples(options.programs)) { $0.add($1, $2) }
    let outcome = Audit.read(options, into: &sink)
    let trial = TrialJudge(options, sink.evaluator)
    func program(_ group: ProgramSamples.Group) -> Program {
      let plan = ExceptionPlanner.plan(
        for: group.samples, present: group.program?.dictionary, release: options.assumptions.release
      ) { session, dictionary, context in trial.judgement(of: session, dictionary, context) }
      let findings = group.program?.propertyList.lint(
        release: options.assumptions.release, seen: group.samples.hosts.map(SeenHost.init))
      return Program(
        infoPlist: group.program?.file, process: group.process, plan: plan,
        findings: (findings ?? []).filter(\.rule.restsOnCaptures))
    }
    // If the sessions of one program were chosen, or none is judged by the main settings, the result is for that program.
    let all = sink.finished().groups
    let groups = all.filter { $0.samples.sessions > 0 }
    let isMainMeant = options.programs.main != nil && options.processes.isEmpty
    let first = isMainMeant || groups.isEmpty ? all.first : groups.first
    let main =
      first.map(program) ?? Program(infoPlist: nil, process: nil, plan: ExceptionPlan(), findings: [])
    let others = groups.filter { $0.program?.file != first?.program?.file }
    return Recommendation(
      programs: [main] + others.map(program), outcome: outcome, main: main, options: options)
  }

  /// An Info.plist with only the settings, as XML; nil if XML cannot represent a key of the current settings.
  public func propertyList() -> Bytes? { plan.dictionary.infoPropertyList.xml() }

  /// The settings and their reasons, for programs.
  public func json() -> Bytes {
    RecommendationJSON.rendered(
      programs, release: options.assumptions.release, context: options.assumptions.context,
      run: options.run(.recommend, .json))
  }

  /// The reasons, for people: those of the result, then those of other programs.
  public func reasons(width: Int = 80, useColor: Bool = false) -> Bytes {
    let text = RecommendationText(TextOptions(width: width, useColor: useColor))
    var output = text.heading(options.run(.recommend, .text)) + text.rendered(plan, main.findings)
    for other in programs.dropFirst() {
      output.append(
        contentsOf: text.rendered(
          other.plan, other.findings, ofOther: other.infoPlist, process: other.process))
    }
    return output
  }
}

extension SeenHost {
  /// What the sessions with a host show of its use.
  fileprivate init(_ host: SessionSamples.Host) {
    self.init(
      host: host.identity, usedCleartext: host.samples.contains { $0.session.application == .http },
      usedTLS: host.samples.contains { $0.session.application == .tls },
      usedInWebView: host.samples.contains { $0.context == .web })
  }
}
