import ATSEvaluation
import PolicyResolution
import SessionObservation
import TrustEvaluation
import Values

/// Judges each session by the settings of its process, and in the context that the name of the process tells.
struct ProgramJudges: ~Copyable {
  /// For sessions whose process is not known, and those that nothing tells from them.
  private var main: Judge
  private var others: [SharedJudge] = []

  /// The judge of each process: its place in `others`, -1 for the main one.
  private var places: [String: Int] = [:]
  private let options: AuditOptions

  /// Processes that are told apart; more are judged as if they were not known.
  private static let mostProcesses = 4096

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
    let processes = places.keys.sorted()
    let programs = options.programs
    let choice = SessionChoice(options)
    let warnings = [
      programs.warning(forProcesses: processes.filter(choice.takes(process:))),
      programs.warning(forAbsenceAmong: processes),
    ]
    let texts = warnings.compactMap { $0 }
    return texts.isEmpty ? nil : texts.joined(separator: "; ")
  }

  mutating func judge(_ session: ObservedSession) -> Judgement {
    guard let process = session.process?.name else { return main.judge(session) }
    let place = places[process] ?? addProcess(process)
    return place < 0 ? main.judge(session) : others[place].judge.judge(session)
  }

  /// Finds the judge of a process that is met for the first time.
  private mutating func addProcess(_ process: String) -> Int {
    guard places.count < ProgramJudges.mostProcesses else { return -1 }
    let place = findPlace(process)
    places[process] = place
    return place
  }

  private mutating func findPlace(_ process: String) -> Int {
    let program = options.programs.policy(forProcess: process)
    var assumptions = main.assumptions
    if assumptions.contextSource == "default",
      let context = LoadContext(process: process, in: assumptions.release)
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
