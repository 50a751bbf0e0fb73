import ATSEvaluation
import SessionModel
import TrustEvaluation

/// Judges sessions while they come, and adds those that are chosen to the results.
struct JudgedSink<Results>: SessionSink, ~Copyable {
  private var results: Results
  private var count = 0
  private var judge: ProgramJudges
  private let choice: SessionChoice
  private let add: (inout Results, ObservedSession, Shared<Judgement>) -> Void

  init(
    _ options: AuditOptions, _ results: Results,
    add: @escaping (inout Results, ObservedSession, Shared<Judgement>) -> Void
  ) {
    self.results = results
    judge = ProgramJudges(options)
    choice = SessionChoice(options)
    self.add = add
  }

  /// What is known of the chains of all sessions.
  var evaluator: TrustEvaluator { judge.evaluator }

  var warning: String? { judge.warning }

  var judged: Int? { count }

  mutating func take(_ session: ObservedSession) {
    let judgement = judge.judge(session)
    guard choice.takes(session) else { return }
    count += 1
    add(&results, session, judgement)
  }

  /// The results, which take no further sessions.
  consuming func finished() -> Results { results }
}
