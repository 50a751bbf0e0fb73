package import ATSEvaluation
package import PolicyResolution
package import SessionModel

/// Judges a session as it would have fared under other settings.
package typealias SettingsTrial = (
  _ session: ObservedSession, _ dictionary: ATSDictionary?, _ context: LoadContext
) -> Judgement

/// Finds the narrowest dictionary under which every session that can be allowed is allowed (policy text C.7).
///
/// It knows no rule: every combination of keys is tried with the policy engine on every session of a host.
package struct ExceptionPlanner {
  /// The app's present dictionary; nil for none.
  let present: ATSDictionary?
  let release: SystemRelease
  private let trial: SettingsTrial

  /// What the app demands beyond ATS, from which the plan starts.
  let start: ATSDictionary

  /// What the plan has so far.
  private(set) var dictionary: ATSDictionary

  /// The hosts that got an entry, with the shape of it.
  private(set) var shapes: [(key: String, shape: EntryShape)] = []

  /// The hosts that NSAllowsArbitraryLoadsInWebContent stands for.
  private(set) var webContentHosts: [String] = []

  package init(
    present: ATSDictionary?, release: SystemRelease, trial: @escaping SettingsTrial
  ) {
    self.present = present
    self.release = release
    self.trial = trial
    start = present?.demands(in: release) ?? ATSDictionary()
    dictionary = start
  }

  package static func plan(
    for samples: SessionSamples, present: ATSDictionary?, release: SystemRelease = .newest,
    trial: @escaping SettingsTrial
  ) -> ExceptionPlan {
    var planner = ExceptionPlanner(present: present, release: release, trial: trial)
    planner.decideLocalNetworking(samples)
    planner.decideWebContent(samples)
    for host in samples.hosts { planner.addEntry(for: host) }
    for host in samples.hosts { planner.addGlobalKey(for: host) }
    return planner.described(samples)
  }

  /// The first session over HTTPS that passes without any exception; nil where there is none. The cleartext of such a host needs
  /// another URL and no key.
  func passingHTTPS(of host: SessionSamples.Host) -> ObservedSession? {
    host.samples.first {
      $0.session.application == .tls && judgement(of: $0, under: start).verdict == .pass
    }?.session
  }

  /// The sessions that the plan is made for: all but cleartext whose URL can be changed.
  private func plannedSamples(of host: SessionSamples.Host) -> [SessionSamples.Sample] {
    let hasCleartext = host.samples.contains { $0.session.application == .http }
    guard hasCleartext, passingHTTPS(of: host) != nil else { return host.samples }
    return host.samples.filter { $0.session.application != .http }
  }

  func judgement(of sample: SessionSamples.Sample, under dictionary: ATSDictionary) -> Judgement {
    // An empty dictionary and none differ for Apple's own programs alone, which do not ask.
    if present == nil, dictionary == ATSDictionary() { return trial(sample.session, nil, sample.context) }
    // A plan for many hosts has many entries, and each of them is tried in many ways.
    let concerning = dictionary.concerning(HostIdentity(of: sample.session))
    return trial(sample.session, concerning, sample.context)
  }

  /// Whether a session does not fail, and that not for the reason alone that its failure is no longer shown.
  func isAllowed(_ sample: SessionSamples.Sample, under dictionary: ATSDictionary) -> Bool {
    let judgement = judgement(of: sample, under: dictionary)
    return judgement.verdict != .fail && !isHidden(sample, judgement)
  }

  /// Whether rules that fail without the plan's keys are no longer decided.
  private func isHidden(_ sample: SessionSamples.Sample, _ judgement: Judgement) -> Bool {
    // What a server chose stays visible under any keys.
    guard sample.session.application != .http, sample.session.tls?.serverHello == nil else { return false }
    return judgement.findings.hides(self.judgement(of: sample, under: start).brokenRules)
  }

  /// Whether a change of the plan, or of another dictionary, lets a session through that this refuses, or lets through what it did
  /// already.
  ///
  /// What the system refuses with ATS off as well, such as an untrusted chain, no change lets through.
  func isServed(
    _ sample: SessionSamples.Sample, by changed: ATSDictionary, from former: ATSDictionary? = nil
  ) -> Bool {
    let judgement = judgement(of: sample, under: changed)
    return judgement.verdict != .fail && !isHidden(sample, judgement)
      && (!judgement.isRefused || isAllowed(sample, under: former ?? dictionary))
  }

  // MARK: Steps

  /// Gives up a NO of NSAllowsLocalNetworking where local destinations need cleartext: the key's absence is enough.
  private mutating func decideLocalNetworking(_ samples: SessionSamples) {
    guard dictionary.allowsLocalNetworking == false else { return }
    var lax = dictionary
    lax.allowsLocalNetworking = nil
    let isNeeded = samples.hosts.contains { host in
      let key = host.identity.exceptionKey(in: release)
      return plannedSamples(of: host).contains { sample in
        if isAllowed(sample, under: dictionary) || isServed(sample, by: dictionary.removing(key)) {
          return false
        }
        guard isServed(sample, by: lax.removing(key)) else { return false }
        guard let key else { return true }
        // Keys of an entry that leave cleartext alone come first.
        return !EntryShape.inOrder(mayDropMinimum: true, mayLiftNIAP: true).contains { shape in
          !shape.insecure && isAllowed(sample, under: with(shape, for: key, in: dictionary))
        }
      }
    }
    if isNeeded { dictionary = lax }
  }

  /// Hosts of web views that would need an entry each, from which on the app is taken for one that cannot list its hosts, as browsers
  /// are.
  static let webContentThreshold = 5

  /// Sets the key for web content where web views load many hosts that need an exception, instead of an entry for each
  /// (policy text H, narrowing advice).
  private mutating func decideWebContent(_ samples: SessionSamples) {
    guard release.readsNarrowGlobalKeys else { return }
    var lax = dictionary
    lax.allowsArbitraryLoadsInWebContent = true
    var replaced: [String] = []
    for host in samples.hosts {
      guard let key = host.identity.exceptionKey(in: release) else { continue }
      var planner = self
      planner.addEntry(for: host)
      // The key serves web views alone, and no host that the app demands more of.
      guard planner.dictionary != dictionary,
        !dictionary.exceptionDomains.contains(where: { $0.key == key })
      else { continue }
      let isReplaced = plannedSamples(of: host).allSatisfy { sample in
        isAllowed(sample, under: dictionary)
          || !isAllowed(sample, under: planner.dictionary)
          || sample.context == .web && isServed(sample, by: lax)
      }
      if isReplaced { replaced.append(key) }
    }
    guard replaced.count >= ExceptionPlanner.webContentThreshold else { return }
    dictionary = lax
    webContentHosts = replaced
  }

  /// Gives a host the narrowest entry under which all of its sessions that can be allowed are.
  private mutating func addEntry(for host: SessionSamples.Host) {
    guard let key = host.identity.exceptionKey(in: release) else { return }
    let own = dictionary.concerning(host.identity)
    let removed = own.exceptionDomains.contains { $0.key == key } ? own.removing(key) : nil
    let broadest = with(.broadest, for: key, in: own)
    let withoutProof = own.lackingTransparency(key).map { with(.broadest, for: key, in: $0) }
    var sessions: [SessionSamples.Sample] = []
    var onlyWithout: [SessionSamples.Sample] = []
    var needsChange = false
    for sample in plannedSamples(of: host) {
      let judgement = judgement(of: sample, under: own)
      if judgement.verdict != .fail {
        sessions.append(sample)
      } else if isAllowed(sample, under: broadest) {
        sessions.append(sample)
        needsChange = true
      } else if let withoutProof, isAllowed(sample, under: withoutProof) {
        // What the app asks of certificates stays, as pins do: the server is to be mended.
        continue
      } else if let removed, isServed(sample, by: removed) {
        onlyWithout.append(sample)
        needsChange = true
      }
    }
    guard needsChange else { return }
    // An entry may be there only to be strict; then the least change is to give it up.
    if let removed, (sessions + onlyWithout).allSatisfy({ isAllowed($0, under: removed) }) {
      dictionary.exceptionDomains.removeAll { $0.key == key }
      return
    }
    let policy = PolicyResolver(dictionary: own).policy(
      for: PolicyRequest(host: host.identity, release: release))
    let candidates = EntryShape.inOrder(
      mayDropMinimum: policy.leastTLSVersion > 0x0303, mayLiftNIAP: policy.niapPackageRequired)
    let fitting = candidates.first { shape in
      let changed = with(shape, for: key, in: own)
      return sessions.allSatisfy { isAllowed($0, under: changed) }
    }
    guard let fitting else { return }
    apply(fitting, for: key, to: &dictionary)
    shapes.append((key, fitting))
  }

  /// Sets a global key for hosts that no entry can name, in the context that it is meant for.
  private mutating func addGlobalKey(for host: SessionSamples.Host) {
    guard host.identity.exceptionKey(in: release) == nil else { return }
    func add(_ change: (inout ATSDictionary) -> Void, for samples: [SessionSamples.Sample]) {
      var changed = dictionary
      change(&changed)
      let helps = samples.contains { !isAllowed($0, under: dictionary) && isServed($0, by: changed) }
      if helps { dictionary = changed }
    }
    if !release.readsNarrowGlobalKeys {
      // Without a host nothing shows that the load was one by address.
      if host.identity != .unknown { add({ $0.allowsArbitraryLoads = true }, for: host.samples) }
      return
    }
    add({ $0.allowsArbitraryLoadsInWebContent = true }, for: host.samples.filter { $0.context == .web })
    add({ $0.allowsArbitraryLoadsForMedia = true }, for: host.samples.filter { $0.context == .media })
  }

  func with(_ shape: EntryShape, for key: String, in dictionary: ATSDictionary) -> ATSDictionary {
    var changed = dictionary
    apply(shape, for: key, to: &changed)
    return changed
  }

  private func apply(_ shape: EntryShape, for key: String, to dictionary: inout ATSDictionary) {
    let isNIAPGlobal = dictionary.requiredNIAPPackage != nil
    guard let index = dictionary.exceptionDomains.firstIndex(where: { $0.key == key }) else {
      dictionary.exceptionDomains.append(
        shape.applied(to: ExceptionEntry(key: key), isNIAPGlobal: isNIAPGlobal))
      return
    }
    dictionary.exceptionDomains[index] = shape.applied(
      to: dictionary.exceptionDomains[index], isNIAPGlobal: isNIAPGlobal)
  }
}

extension ATSDictionary {
  /// The dictionary with the entry of this key but without what that asks of Certificate Transparency; nil where it asks nothing.
  fileprivate func lackingTransparency(_ key: String) -> ATSDictionary? {
    guard let index = exceptionDomains.firstIndex(where: { $0.key == key }),
      exceptionDomains[index].requiresCertificateTransparency == true
    else { return nil }
    var changed = self
    changed.exceptionDomains[index].requiresCertificateTransparency = nil
    return changed
  }

  func removing(_ key: String?) -> ATSDictionary {
    var changed = self
    if let key { changed.exceptionDomains.removeAll { $0.key == key } }
    return changed
  }
}
