package import ATSEvidence
import AppleTrust
import ByteParsing
import CertificateParsing
package import PolicyResolution
package import SessionModel
package import TrustEvaluation
package import Values

/// Judges sessions under one dictionary and one set of assumptions.
///
/// Similar sessions share a judgement, because captures show the same server repeatedly. A ``Judgement`` has frame numbers and times only
/// where they are part of what makes sessions similar. A judge must be used from one thread only.
package struct Judge: ~Copyable {
  /// The dictionary; nil if the program has none.
  package let dictionary: ATSDictionary?

  package let assumptions: JudgingAssumptions

  private let resolver: PolicyResolver
  private let strictResolver = PolicyResolver()
  /// The evaluator of certificate chains; judges of the same sessions can share it.
  package let evaluator: TrustEvaluator

  /// The evidence about certificates other than their chains; judges of the same sessions can share it.
  package let status: StatusEvidence

  private var cache: JudgementCache
  private var policies: RecentTable<[PolicyRequest: EffectivePolicy]>

  /// Creates a judge; without anchors it leaves trust undecided. It caches at most `maximumCacheCount` judgements, and as many policies.
  package init(
    dictionary: ATSDictionary? = nil, assumptions: JudgingAssumptions = JudgingAssumptions(),
    evaluator: TrustEvaluator = TrustEvaluator(TrustStore(systemRoots: .none)),
    status: StatusEvidence = StatusEvidence(), maximumCacheCount: Int? = nil
  ) {
    self.dictionary = dictionary
    self.assumptions = assumptions
    self.status = status
    self.evaluator = evaluator
    resolver = PolicyResolver(dictionary: dictionary)
    let limit = maximumCacheCount ?? JudgementCache.maximumCount
    cache = JudgementCache(limit: limit)
    policies = RecentTable(entriesPerGeneration: limit / 2)
  }

  /// Judges a session, or returns the cached judgement of a similar one.
  ///
  /// The caller must pass sessions in the order of the captures, because chains of earlier ones may complete those of later ones. To judge
  /// a session again after later ones, it passes the evaluator's generation after the first judgement.
  package mutating func judge(_ session: ObservedSession, asOf generation: Int? = nil) -> Shared<Judgement> {
    let time = time(of: session)
    let evidence = SessionEvidence(session, at: time)
    let clock = JudgingClock(time)
    let trusts = chainTrusts(of: session, evidence, clock, generation)
    let alternatives = evidence.alternatives.map { chainTrusts(of: session, $0, clock, generation) }
    var others = alternatives.map(\.own)
    if let other = trusts.other { others.append(other.trust) }
    for alternative in alternatives { others.append(alternative.other?.trust) }
    if let known = cache.find(evidence, trusts.own, others, at: time) { return known }
    let judgement = Shared(judgement(of: evidence, clock, trusts, alternatives))
    cache.insert(judgement, for: evidence, trusts.own, others, clock)
    return judgement
  }

  /// The evaluations of a chain under the roots of the release in force, and of another one; nil if no chain is visible.
  private typealias ChainTrusts = (own: ChainTrust?, other: OtherTrust?)

  private func chainTrusts(
    of session: ObservedSession, _ evidence: SessionEvidence, _ clock: JudgingClock, _ generation: Int?
  ) -> ChainTrusts {
    guard let chain = evidence.tls?.chain, !chain.certificates.isEmpty else { return (nil, nil) }
    func evaluate(_ release: SystemRelease) -> ChainTrust {
      if let generation {
        return evaluator.evaluate(
          chain, under: release.rootStore, followsNameLoops: release.followsNameLoops, in: session.captureNumber, asOf: generation)
      }
      return evaluator.evaluate(
        chain, under: release.rootStore, followsNameLoops: release.followsNameLoops, in: session.captureNumber, named: session.file,
        isShown: session.resumedFromCapture == nil)
    }
    let own = evaluate(release(clock))
    return (own, otherRelease(besides: own, clock).map { OtherTrust(release: $0, trust: evaluate($0)) })
  }

  private func release(_ clock: JudgingClock) -> SystemRelease {
    assumptions.isReleaseAtSession ? SystemRelease.current(clock.isAtOrAfter) : assumptions.release
  }

  package func policy(for session: ObservedSession) -> EffectivePolicy {
    resolver.policy(for: request(SessionEvidence(session), JudgingClock(time(of: session))))
  }

  /// The number of judgements that were not in the cache.
  package var judgementsMade: Int { cache.insertions }

  package func time(of session: ObservedSession) -> Timestamp? {
    assumptions.judgedAt ?? (session.evidence.isClockPlausible ? session.start : nil)
  }

  private func request(_ session: SessionEvidence, _ clock: JudgingClock) -> PolicyRequest {
    let release = release(clock)
    let isContextOver = assumptions.contextEnd.map { release.isAtLeast($0.major, $0.minor) } ?? false
    return PolicyRequest(
      host: HostIdentity(session), context: isContextOver ? assumptions.laterContext ?? .app : assumptions.context,
      contextSource: isContextOver && assumptions.laterContext == nil ? .assumed : assumptions.contextSource,
      release: release, isAppleBundle: assumptions.isAppleBundle, sdk: assumptions.sdk)
  }

  private mutating func judgement(
    of session: SessionEvidence, _ clock: JudgingClock, _ trusts: ChainTrusts, _ alternatives: [ChainTrusts]
  ) -> Judgement {
    let request = request(session, clock)
    let resolver = resolver
    let policy = policies.value(for: request, cost: { _ in 0 }) { resolver.policy(for: request) }
    var context = context(of: session, clock, trusts, under: policy)
    context.alternatives = zip(session.alternatives, alternatives).map { self.context(of: $0, clock, $1, under: policy) }
    return judgement(of: session, under: policy, in: context)
  }

  private func context(
    of session: SessionEvidence, _ clock: JudgingClock, _ trusts: ChainTrusts, under policy: EffectivePolicy
  ) -> JudgingContext {
    let isTimeStated = assumptions.judgedAt != nil
    let status = status
    guard let trust = trusts.own else { return JudgingContext(session, clock: clock, isTimeStated: isTimeStated, status: status) }
    let contexts = (trust.paths.isEmpty ? [nil] : trust.paths.map(Optional.some)).lazy.map { path in
      JudgingContext(
        session, clock: clock, isTimeStated: isTimeStated, chainTrust: trust, path: path, otherTrust: trusts.other, status: status,
        fetchesIssuers: policy.release.fetchesIssuers)
    }
    return PathChoice.best(of: contexts, session, policy)
  }

  /// The release whose evaluation of a chain findings name beside that of the release in force: the newest one, or if the release in force
  /// has the newest store and does not trust the chain, the one that was current at the time of the session.
  private func otherRelease(besides trust: ChainTrust, _ clock: JudgingClock) -> SystemRelease? {
    guard let store = trust.appleStore else { return nil }
    if store != .newest { return .newest }
    guard trust.paths.isEmpty, let limit = Judge.twoYearsBeforeNewestStore, clock.isAtOrAfter(limit) == false else { return nil }
    return SystemRelease.current(clock.isAtOrAfter)
  }

  /// Two years before the date of the newest of Apple's stores. For earlier sessions that it does not trust, the store of their own time is
  /// evaluated as well.
  package static let twoYearsBeforeNewestStore = Timestamp(day: Int(AppleRootStore.newest.version / 100) - 2 * 10_000)

  package func judgement(of session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Judgement {
    let request = request(session, context.clock)
    var session = session
    if session.http.hasUnreadRequest { session.http.hasUnreadRequest = requiresHTTPSOfSomeHost(request) }
    if session.http.hasDifferentHosts { session.http.hasDifferentHosts = allowsCleartextOfSomeHost(request, session.hostAddress) }
    let dictionary = dictionary
    let strictPolicy = dictionary == nil ? nil : strictResolver.policy(for: request)
    let appOverridesTrust = assumptions.appOverridesTrust
    func evaluation(
      _ policy: EffectivePolicy, _ appOverridesTrust: Bool, of session: SessionEvidence, others: [Evaluation] = []
    ) -> Evaluation {
      Evaluation(
        session, under: policy, strictPolicy: strictPolicy, appOverridesTrust: appOverridesTrust, in: context, others: others)
    }
    let others = policiesOfOthers(for: session, context.clock, besides: policy).map { evaluation($0, appOverridesTrust, of: session) }
    var judgement = evaluation(policy, appOverridesTrust, of: session, others: others).judgement()
    let refusals = judgement.refusals
    if !refusals.isEmpty {
      // The exception is for the host that fails, not for that of an unread request.
      session.http.hasUnreadRequest = false
      let failing = session
      func search(_ appOverridesTrust: Bool, orWith other: @escaping () -> Bool) -> NarrowestExceptionSearch {
        NarrowestExceptionSearch(
          dictionary: dictionary, host: context.host.normalized,
          isHostHidden: HostIdentity.isHidden(in: session) && !HostIdentity.isUnnamed(in: session), appOverridesTrust: appOverridesTrust,
          isATSOff: judgement.verdict == .exempt,
          policyUnder: { PolicyResolver(dictionary: $0).policy(for: request) },
          evaluate: { evaluation($0, appOverridesTrust, of: failing) }, wouldOverrideHelp: other)
      }
      judgement.narrowestException = search(appOverridesTrust) {
        !appOverridesTrust && search(true, orWith: { false }).canAllow(refusals, policy: policy)
      }.search(refusals, policy: policy)
    }
    OtherCaptures(session, context).name(in: &judgement)
    return judgement
  }

  /// The names that the app's settings list.
  private var listedNames: [HostIdentity] {
    guard let dictionary else { return [] }
    let entries = dictionary.exceptionDomains.lazy.filter { !$0.isRange }
    let names = entries.map { HostIdentity($0.key) } + dictionary.pinnedDomains.map { HostIdentity($0.key) }
    return names.filter { $0.name != nil }
  }

  /// Whether some host requires HTTPS. If not, it does not matter which hosts unread requests are for.
  private func requiresHTTPSOfSomeHost(_ request: PolicyRequest) -> Bool {
    ([.unknown] + listedNames).contains { host in
      var request = request
      request.host = host
      return resolver.policy(for: request).requiresHTTPS
    }
  }

  /// Whether cleartext is allowed of some host, besides those of the system's own entries. If not, it does not matter which of a request's
  /// Host fields is right.
  private func allowsCleartextOfSomeHost(_ request: PolicyRequest, _ address: IPAddress) -> Bool {
    let isListed = dictionary?.exceptionDomains.contains { $0.allowsInsecureHTTPLoads(in: request.release)?.value == true }
    if isListed == true { return true }
    return ([.unknown, .address(address)] as [HostIdentity]).contains { host in
      [false, true].contains { isDirect in
        var request = request
        (request.host, request.isDirect) = (host, isDirect)
        return !resolver.policy(for: request).requiresHTTPS
      }
    }
  }

  /// The names that a session with a hidden host may be for, and whose policy is not the same as that of all unlisted names: local ones,
  /// and those with one of the system's own entries. Of TLS, only those in the server's certificate count, of cleartext all with such an
  /// entry. URLSession names the host in each request, and sends no HTTP/2 in cleartext.
  private func unlistedNames(of session: SessionEvidence) -> [HostIdentity] {
    if HostIdentity.isUnnamed(in: session) || HostIdentity.isCompressed(in: session) { return [] }
    let entries = BuiltInEntries.all.map(\.key)
    if session.application == .http { return entries.map { .name($0) } }
    guard let leaf = session.tls?.chain?.certificates.first?.certificate else { return [] }
    return HostMatching.names(of: leaf, readsCommonName: true).filter { name in
      let isLocal = LocalDestination.isDirect(name: name) && !name.utf8.contains(UInt8(ascii: "*"))
      return HostMatching.isUsable(name) && (isLocal || entries.contains { name == $0 || name.hasSuffix(".\($0)") })
    }.map { .name($0) }
  }

  /// The distinct policies of the other hosts that a session may be with. A hidden host may be any that the app's settings or the system's
  /// own entries name, a local name, or the server's address; a NAT64 address may represent the IPv4 address in it.
  private func policiesOfOthers(for session: SessionEvidence, _ clock: JudgingClock, besides policy: EffectivePolicy) -> [EffectivePolicy] {
    let hosts: [HostIdentity] =
      HostIdentity.isHidden(in: session)
      ? [.address(session.hostAddress)] + listedNames + unlistedNames(of: session)
      : [HostIdentity(session).translatedAddress].compactMap { $0.map { .address($0) } }
    if hosts.isEmpty { return [] }
    var request = request(session, clock)
    var known: Set = [policy.demands]
    return hosts.compactMap { host in
      request.host = host
      let policy = resolver.policy(for: request)
      // The global keys decide for any name that has no entry and no pin and is not local.
      let isListed = policy.matchedEntry != nil || policy.leafPins != nil || policy.caPins != nil
      guard isListed || policy.isDirect || host.address != nil, known.insert(policy.demands).inserted else { return nil }
      return policy
    }
  }
}

extension EffectivePolicy {
  /// The policy without the host and the reasons for its values, so that equal requirements compare equal.
  fileprivate var demands: EffectivePolicy {
    var demands = self
    demands.host = nil
    demands.isDirect = false
    demands.matchedEntry = nil
    demands.matchedBuiltIn = false
    demands.reasons = []
    return demands
  }
}
