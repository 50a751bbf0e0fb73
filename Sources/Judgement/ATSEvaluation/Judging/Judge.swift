public import PolicyResolution
public import SessionObservation
import Values

/// Judges sessions under one dictionary and one set of assumptions.
///
/// Like sessions share one judgement: a capture shows the same server again and again, and a judgement holds
/// neither frame numbers nor times. A judge is used from one thread.
public struct Judge: ~Copyable {
  /// The dictionary; nil where the program has none.
  public let dictionary: ATSDictionary?

  /// What is taken for granted.
  public let assumptions: JudgingAssumptions

  private let resolver: PolicyResolver
  private let strictResolver = PolicyResolver()
  private var cache: JudgementCache

  /// Creates a judge.
  public init(dictionary: ATSDictionary? = nil, assumptions: JudgingAssumptions = JudgingAssumptions()) {
    self.init(dictionary: dictionary, assumptions: assumptions, cacheLimit: JudgementCache.usualLimit)
  }

  /// Creates a judge that remembers so many judgements.
  package init(dictionary: ATSDictionary?, assumptions: JudgingAssumptions, cacheLimit: Int) {
    self.dictionary = dictionary
    self.assumptions = assumptions
    resolver = PolicyResolver(dictionary: dictionary)
    cache = JudgementCache(limit: cacheLimit)
  }

  /// Judges a session, or finds the judgement of one like it.
  public mutating func judge(_ session: ObservedSession) -> Judgement {
    let features = SessionFeatures(session)
    let time = time(of: session)
    if let known = cache.find(session, features, at: time) { return known }
    let clock = JudgingClock(time)
    let judgement = Judgement(content(of: session, clock))
    cache.insert(judgement, for: session, features, clock)
    return judgement
  }

  /// Judges a session without looking at others before it.
  public func judgeAnew(_ session: ObservedSession, trust: TrustFindings? = nil) -> Judgement.Content {
    content(of: session, JudgingClock(time(of: session)), trust: trust)
  }

  /// The policy for the host of a session.
  public func policy(for session: ObservedSession) -> EffectivePolicy {
    resolver.policy(for: request(session))
  }

  /// How many judgements were made and not found.
  public var judgementsMade: Int { cache.insertions }

  private func time(of session: ObservedSession) -> Timestamp? {
    assumptions.judgedAt ?? (session.evidence.isClockPlausible ? session.start : nil)
  }

  private func request(_ session: ObservedSession) -> PolicyRequest {
    PolicyRequest(
      host: HostIdentity(session), context: assumptions.context, contextSource: assumptions.contextSource,
      release: assumptions.release, isAppleBundle: assumptions.isAppleBundle, sdk: assumptions.sdk)
  }

  private func content(
    of session: ObservedSession, _ clock: JudgingClock, trust: TrustFindings? = nil
  ) -> Judgement.Content {
    let request = request(session)
    let policy = resolver.policy(for: request)
    let strictPolicy = dictionary == nil ? nil : strictResolver.policy(for: request)
    let context = JudgingContext(
      session, clock: clock, isTimeStated: assumptions.judgedAt != nil, trust: trust)
    let appOverridesTrust = assumptions.appOverridesTrust
    func evaluation(_ policy: EffectivePolicy) -> Evaluation {
      Evaluation(
        session, under: policy, strictPolicy: strictPolicy, appOverridesTrust: appOverridesTrust, in: context)
    }
    var content = evaluation(policy).content()
    if content.verdict == .fail {
      let search = NarrowestExceptionSearch(
        dictionary: dictionary, isAddress: context.host.address != nil,
        policyUnder: { PolicyResolver(dictionary: $0).policy(for: request) }, evaluate: evaluation)
      content.narrowestException = search.search(content.findings, policy: policy)
    }
    return content
  }
}
