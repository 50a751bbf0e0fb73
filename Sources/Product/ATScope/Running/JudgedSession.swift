public import ATSEvaluation
public import SessionModel
import SessionReading

/// A session and its judgement.
public struct JudgedSession: Sendable {
  /// The facts of the session in the capture.
  public let session: ObservedSession

  /// The judgement in the box that similar sessions share.
  package let sharedJudgement: Shared<Judgement>

  /// The judgement of the session under ATS.
  public var judgement: Judgement { sharedJudgement.value }

  /// The overall result of the judgement: pass, fail, unknown or exempt.
  public var verdict: Verdict { sharedJudgement.verdict }

  init(_ session: ObservedSession, _ judgement: Shared<Judgement>) {
    self.session = session
    sharedJudgement = judgement
  }
}

/// Judges sessions, such as those of an earlier audit under another policy.
///
/// Sessions judged in the order of their captures get the judgements of an audit: intermediates of earlier ones may complete the chains of
/// later ones.
public struct SessionJudge: ~Copyable {
  private var judges: ProgramJudges
  private let chains: SuppliedChains

  /// Creates a judge.
  public init(_ options: JudgingOptions) {
    judges = ProgramJudges(options)
    chains = options.chains
  }

  /// Judges a session under the settings of its process.
  public mutating func judge(_ session: ObservedSession) -> JudgedSession {
    var session = session
    chains.complete(&session)
    return JudgedSession(session, judges.judge(session))
  }
}
