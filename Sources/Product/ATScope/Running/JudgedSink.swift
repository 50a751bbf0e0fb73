import ATSEvaluation
import SessionModel
import SessionReading
import SessionRecords

/// A sink that judges sessions as they arrive, and adds the selected ones to the results.
struct JudgedSink<Results>: SessionSink, ~Copyable {
  private var results: Results
  private var verdicts = VerdictCounts()
  private(set) var notShown = 0
  private var judge: ProgramJudges
  private let choice: SessionChoice
  private let add: Addition
  private let addUnselected: Addition?

  /// Adds a judged session; throws to end the reading.
  typealias Addition = (inout Results, ObservedSession, Shared<Judgement>) throws(ReadingEnded) -> Void

  /// Creates a sink with a judge of its own, or with one whose evaluator the caller needs too. `addUnselected` adds the sessions that are
  /// not selected, if the results depend on them.
  init(
    _ options: AuditOptions, _ results: Results, judge: consuming ProgramJudges? = nil, addUnselected: Addition? = nil,
    add: @escaping Addition
  ) {
    self.results = results
    self.judge = judge ?? ProgramJudges(options.judging)
    choice = SessionChoice(options)
    self.add = add
    self.addUnselected = addUnselected
  }

  var warning: String? { judge.warning(for: choice) }

  var judged: VerdictCounts? { verdicts }

  mutating func take(_ session: ObservedSession) throws(ReadingEnded) {
    let judgement = judge.judge(session)
    guard choice.takes(session) else {
      notShown += 1
      try addUnselected?(&results, session, judgement)
      return
    }
    verdicts.add(judgement)
    try add(&results, session, judgement)
  }

  /// Ends the sink and returns the results.
  consuming func finished() -> Results { results }
}
