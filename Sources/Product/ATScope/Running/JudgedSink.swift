import ATSEvaluation
import SessionModel
import SessionReading
import SessionRecords
import TrustEvaluation

/// A sink that judges sessions as they arrive, and adds the selected ones to the results.
struct JudgedSink<Results>: SessionSink, ~Copyable {
  private var results: Results
  private var verdicts = VerdictCounts()
  private(set) var notShown = 0
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

  /// The evaluator that stores results for the chains of all sessions.
  var evaluator: TrustEvaluator { judge.evaluator }

  var warning: String? { judge.warning }

  var judged: VerdictCounts? { verdicts }

  mutating func take(_ session: ObservedSession) {
    let judgement = judge.judge(session)
    guard choice.takes(session) else {
      notShown += 1
      return
    }
    verdicts.add(judgement.verdict, isRelaxed: judgement.isRelaxed)
    add(&results, session, judgement)
  }

  /// Ends the sink and returns the results.
  consuming func finished() -> Results { results }
}
