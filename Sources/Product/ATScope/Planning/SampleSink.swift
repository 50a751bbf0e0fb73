import ATSEvaluation
import ExceptionPlanning
import PolicyResolution
import SessionObservation
import TrustEvaluation

/// Gathers sessions by host while they come.
struct SampleSink: SessionSink, ~Copyable {
  private(set) var samples = SessionSamples()

  /// What is known of the chains of all sessions.
  var evaluator: TrustEvaluator { judge.evaluator }

  private var judge: ProgramJudges
  private let choice: SessionChoice

  init(_ options: AuditOptions) {
    judge = ProgramJudges(options)
    choice = SessionChoice(options)
  }

  var warning: String? { judge.warning }

  mutating func take(_ session: ObservedSession) {
    let judgement = judge.judge(session)
    if choice.takes(session) { samples.add(session, judgement) }
  }
}

/// Judges sessions as they would have fared under other settings; it keeps one judge for the settings asked for last.
final class TrialJudge {
  private var judge: Judge
  private var settings: Settings
  private let assumptions: JudgingAssumptions

  private struct Settings: Hashable {
    var dictionary: ATSDictionary?
    var context: LoadContext
  }

  init(_ options: AuditOptions, _ evaluator: TrustEvaluator) {
    judge = Judge(options, evaluator: evaluator)
    assumptions = judge.assumptions
    settings = Settings(dictionary: judge.dictionary, context: assumptions.context)
  }

  func content(
    of session: ObservedSession, _ dictionary: ATSDictionary?, _ context: LoadContext
  ) -> Judgement.Content {
    let wanted = Settings(dictionary: dictionary, context: context)
    if wanted != settings {
      settings = wanted
      var assumptions = assumptions
      assumptions.context = context
      judge = Judge(
        dictionary: dictionary, assumptions: assumptions, evaluator: judge.evaluator,
        status: judge.status)
    }
    return judge.judge(session).content
  }
}
