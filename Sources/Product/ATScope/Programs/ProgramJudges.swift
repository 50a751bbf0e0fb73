import ATSEvaluation
import ATSEvidence
import SessionModel
import TrustEvaluation

/// Judges each session by the settings of its process, in the context that the process name implies.
struct ProgramJudges: ~Copyable {
  /// The judge for sessions whose process is unknown or has no settings.
  private var main: Judge
  private var others: [SharedJudge] = []

  /// The judge of each process; nil for the main one.
  private var judges: [Program: SharedJudge?] = [:]
  private let options: JudgingOptions

  /// The process names so far, at most `maximumProcesses`, for warnings.
  private var names: Set<String> = []

  /// Whether a chain ended at an anchor of the user.
  private var usesAddedAnchors = false

  /// Whether trust failed in a session.
  private var hasUntrustedChain = false

  /// The maximum number of cached processes; beyond it the cache is emptied.
  private static let maximumProcesses = 4096

  /// A process, and the service that moved its packets if that is another process.
  private struct Program: Hashable {
    let name: String
    let service: String?
  }

  /// A judge in a class, so that arrays can contain it.
  private final class SharedJudge {
    var judge: Judge
    let policy: AppPolicy?
    let assumptions: JudgingAssumptions

    init(_ judge: consuming Judge, under policy: AppPolicy?) {
      assumptions = judge.assumptions
      self.judge = judge
      self.policy = policy
    }
  }

  init(_ options: JudgingOptions) {
    self.options = options
    main = Judge(options)
  }

  /// The evaluator that stores results for the chains of all sessions.
  var evaluator: TrustEvaluator { main.evaluator }

  /// Returns a warning if settings were applied to other processes than their own that are selected, or were not used, or if no chain ended
  /// at the added anchors although chains are not trusted.
  func warning(for choice: SessionChoice) -> String? {
    let processes = names.sorted()
    let programs = options.programs
    // Settings do not apply to processes that ATS does not govern.
    let governed = Set(
      judges.keys.lazy.filter { !SystemProcess.isUngoverned($0.name, service: $0.service) }.map(\.name))
    let warnings = [
      programs.warning(forProcesses: processes.filter { governed.contains($0) && choice.takes(process: $0) }),
      programs.warning(forAmbiguityAmong: processes), programs.warning(forAbsenceAmong: processes),
      options.anchors.added.isEmpty || usesAddedAnchors || !hasUntrustedChain
        ? nil : "no chain ends at an anchor of \(options.anchors.added.map(\.file).joined(separator: ", "))",
    ]
    let texts = warnings.compactMap { $0 }
    return texts.isEmpty ? nil : texts.joined(separator: "; ")
  }

  mutating func judge(_ session: ObservedSession) -> Shared<Judgement> {
    let judgement = judgeUnnoted(session)
    guard !options.anchors.added.isEmpty else { return judgement }
    if judgement.trust?.anchorClass == .added { usesAddedAnchors = true }
    if judgement.failures.contains(where: { $0.rule == .certificateTrust }) { hasUntrustedChain = true }
    return judgement
  }

  private mutating func judgeUnnoted(_ session: ObservedSession) -> Shared<Judgement> {
    guard let process = session.process, let name = process.name else { return main.judge(session) }
    let program = Program(name: name, service: process.service)
    guard let other = judges[program] ?? addProcess(program) else { return main.judge(session) }
    return other.judge.judge(session)
  }

  private mutating func addProcess(_ process: Program) -> SharedJudge? {
    if names.count < ProgramJudges.maximumProcesses { names.insert(process.name) }
    if judges.count >= ProgramJudges.maximumProcesses { judges.removeAll() }
    let judge = findJudge(process)
    judges.updateValue(judge, forKey: process)
    return judge
  }

  private mutating func findJudge(_ process: Program) -> SharedJudge? {
    let program = options.programs.policy(forProcess: process.name)
    let assumptions = options.assumptions(under: program, process: process.name, service: process.service)
    if AppPolicy.areSame(program, options.programs.main), assumptions == main.assumptions { return nil }
    if let known = others.first(where: { AppPolicy.areSame($0.policy, program) && $0.assumptions == assumptions }) { return known }
    let other = SharedJudge(
      Judge(dictionary: program?.dictionary, assumptions: assumptions, evaluator: main.evaluator, status: main.status), under: program)
    others.append(other)
    return other
  }
}
