public import ATSEvaluation
public import SessionModel

/// A session and what ATS would have made of it.
public struct JudgedSession: Sendable {
  /// What the capture shows.
  public let session: ObservedSession

  /// What it comes to.
  public let judgement: Shared<Judgement>

  /// The verdict.
  public var verdict: Verdict { judgement.verdict }
}
