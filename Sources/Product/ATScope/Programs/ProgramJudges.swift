import ATSEvaluation
import PolicyResolution
import SessionModel
import TrustEvaluation
import Values

/// Judges each session by the settings of its process, and in the context that the name of the process tells.
struct ProgramJudges: ~Copyable {
  /// For sessions whose process is not known, and those that nothing tells from them.
  private var main: Judge
  private var others: [SharedJudge] = []

  /// The judge of each process: its place in `others`, -1 for the main one.
  private var places: [Program: Int] = [:]
  private let options: AuditOptions

  /// The names of the processes that were met, `mostProcesses` at most: for warnings.
  private var names: Set<String> = []

  /// Processes whose places are kept; those of more are found anew.
  private static let mostProcesses = 4096

  /// A process, and the one that moved its packets where that is another.
  private struct Program: Hashable {
    let name: String
    let service: String?
  }

  /// A judge that can be an element.
  private final class SharedJudge {
    var judge: Judge
    let file: String?
    let assumptions: JudgingAssumptions

    init(_ judge: consuming Judge, file: String?) {
      assumptions = judge.assumptions
      self.judge = judge
      self.file = file
    }
  }

  init(_ options: AuditOptions) {
    self.options = options
    main = Judge(options)
  }

  /// What is taken for granted of sessions whose process is not known.
  var assumptions: JudgingAssumptions { main.assumptions }

  /// What is known of the chains of all sessions.
  var evaluator: TrustEvaluator { main.evaluator }

  /// A warning where processes were judged by settings that are not theirs, or settings were applied to nothing.
  var warning: String? {
    let processes = names.sorted()
    let programs = options.programs
    let choice = SessionChoice(options)
    // No settings apply to what ATS does not govern.
    let governed = Set(
      places.keys.lazy.filter { !SystemProcess.isUngoverned($0.name, service: $0.service) }.map(\.name))
    let warnings = [
      programs.warning(forProcesses: processes.filter { governed.contains($0) && choice.takes(process: $0) }),
      programs.warning(forAbsenceAmong: processes),
    ]
    let texts = warnings.compactMap { $0 }
    return texts.isEmpty ? nil : texts.joined(separator: "; ")
  }

  mutating func judge(_ session: ObservedSession) -> Shared<Judgement> {
    guard let process = session.process, let name = process.name else { return main.judge(session) }
    let program = Program(name: name, service: process.service)
    let place = places[program] ?? addProcess(program)
    return place < 0 ? main.judge(session) : others[place].judge.judge(session)
  }

  /// Finds the judge of a process that is met for the first time.
  private mutating func addProcess(_ process: Program) -> Int {
    if names.count < ProgramJudges.mostProcesses { names.insert(process.name) }
    if places.count >= ProgramJudges.mostProcesses { places.removeAll() }
    let place = findPlace(process)
    places[process] = place
    return place
  }

  private mutating func findPlace(_ process: Program) -> Int {
    let program = options.programs.policy(forProcess: process.name)
    var assumptions = main.assumptions
    if assumptions.contextSource == "default",
      let context = SystemProcess.context(
        of: process.name, service: process.service, in: assumptions.release)
    {
      assumptions.context = context
      assumptions.contextSource = "process"
    }
    assumptions.sdk = options.assumptions.sdk ?? program?.sdk
    if program?.file == options.programs.main?.file, assumptions == main.assumptions { return -1 }
    if let known = others.firstIndex(where: { $0.file == program?.file && $0.assumptions == assumptions }) {
      return known
    }
    others.append(
      SharedJudge(
        Judge(
          dictionary: program?.dictionary, assumptions: assumptions, evaluator: main.evaluator,
          status: main.status),
        file: program?.file))
    return others.count - 1
  }
}
