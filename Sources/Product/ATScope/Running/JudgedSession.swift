public import ATSEvaluation
public import SessionModel

/// A session and its judgement.
public struct JudgedSession: Sendable {
  /// What the capture shows.
  public let session: ObservedSession

  /// The judgement: what ATS would decide.
  public let judgement: Shared<Judgement>

  /// The verdict.
  public var verdict: Verdict { judgement.verdict }

  /// The session as it is judged under other options, by itself: intermediates that only other sessions showed are not known. For many
  /// sessions, one ``SessionJudge`` is faster and knows the intermediates of those before.
  public func judged(under options: AuditOptions) -> JudgedSession {
    var judge = SessionJudge(options)
    return judge.judge(session)
  }
}

/// Judges sessions under the options of an audit, such as those of an earlier audit under another policy.
///
/// Sessions judged in the order of their captures get the judgements of an audit. Inputs and filters of the options have no effect.
public struct SessionJudge: ~Copyable {
  private var judges: ProgramJudges
  private let chains: SuppliedChains

  /// Creates a judge.
  public init(_ options: AuditOptions) {
    judges = ProgramJudges(options)
    chains = options.reading.chains
  }

  /// Judges a session by the settings of its process.
  public mutating func judge(_ session: ObservedSession) -> JudgedSession {
    let session = chains.complete(session) ?? session
    return JudgedSession(session: session, judgement: judges.judge(session))
  }
}
