import ATSEvaluation
import ExceptionPlanning
import PolicyResolution
import SessionModel
import TrustEvaluation

/// The sessions by the program whose settings apply to them, and by host.
struct ProgramSamples {
  struct Group {
    /// The settings; nil for the ATS defaults.
    let program: AppPolicy?
    /// The first process; nil if none is known.
    var process: String?
    var samples = SessionSamples()
  }

  /// The groups: the main program first, the others in the order of their first sessions.
  private(set) var groups: [Group]

  /// The HTTPS sessions that are not selected.
  private(set) var unselected = SessionSamples()

  private var indices: [String: Int] = [:]
  private let programs: AppPolicies

  /// The maximum number of distinct processes; further ones count as the main program.
  private static let maximumProcesses = 4096

  init(_ programs: AppPolicies) {
    self.programs = programs
    groups = [Group(program: programs.main)]
  }

  mutating func add(_ session: ObservedSession, _ judgement: Shared<Judgement>, asOf generation: Int) {
    groups[groupIndex(of: session.process?.name)].samples.add(session, judgement, asOf: generation)
  }

  mutating func addUnselected(_ session: ObservedSession, _ judgement: Shared<Judgement>, asOf generation: Int) {
    if session.application == .tls { unselected.add(session, judgement, asOf: generation) }
  }

  /// The sessions that are not of a group.
  func elsewhere(than group: Group) -> [SessionSamples] {
    groups.filter { !AppPolicy.areSame($0.program, group.program) }.map(\.samples) + [unselected]
  }

  private mutating func groupIndex(of process: String?) -> Int {
    guard let process else { return 0 }
    if let known = indices[process] { return known }
    guard indices.count < ProgramSamples.maximumProcesses else { return 0 }
    let program = programs.policy(forProcess: process)
    let index = groups.firstIndex { AppPolicy.areSame($0.program, program) } ?? groups.count
    if index == groups.count { groups.append(Group(program: program)) }
    if groups[index].process == nil { groups[index].process = process }
    indices[process] = index
    return index
  }
}

/// Judges sessions under other settings; it keeps one judge, for the most recent settings.
final class TrialJudge {
  private var judge: Judge
  private var settings: Settings
  private let assumptions: JudgingAssumptions
  private let options: JudgingOptions

  private struct Settings: Hashable {
    var dictionary: ATSDictionary?
    var context: LoadContext
    var sdk: SystemRelease?
  }

  init(_ options: JudgingOptions, _ evaluator: TrustEvaluator) {
    self.options = options
    judge = Judge(options, evaluator: evaluator)
    assumptions = judge.assumptions
    settings = Settings(dictionary: judge.dictionary, context: assumptions.context, sdk: assumptions.sdk)
  }

  func judgement(of sample: SessionSamples.Sample, _ dictionary: ATSDictionary?, _ context: LoadContext) -> Judgement {
    let session = sample.session
    let sdk = options.assumptions.sdk ?? options.programs.policy(forProcess: session.process?.name)?.sdk
    let wanted = Settings(dictionary: dictionary, context: context, sdk: sdk)
    if wanted != settings {
      settings = wanted
      var assumptions = assumptions
      assumptions.context = context
      assumptions.contextSource = self.assumptions.contextSource
      assumptions.sdk = sdk
      judge = Judge(dictionary: dictionary, assumptions: assumptions, evaluator: judge.evaluator, status: judge.status)
    }
    return judge.judge(session, asOf: sample.generation).value
  }
}
