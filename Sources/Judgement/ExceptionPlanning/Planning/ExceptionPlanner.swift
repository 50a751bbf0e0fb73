package import ATSEvaluation
import ATSEvidence
import ATSRules
package import PolicyResolution
import SessionModel
import TLSParsing

/// Judges the session of a sample under other settings.
package typealias SettingsTrial = (_ sample: SessionSamples.Sample, _ dictionary: ATSDictionary?, _ context: LoadContext) -> Judgement

/// Finds the narrowest dictionary under which every session that can be allowed is allowed (policy text C.7).
///
/// It knows no rules: it tries every combination of keys with the policy engine on every session of a host.
package struct ExceptionPlanner {
  /// The app's present dictionary; nil if there is none.
  let present: ATSDictionary?
  let release: SystemRelease
  /// Sessions that the plan is not for. They need no keys, but show which hosts serve HTTPS.
  let elsewhere: [SessionSamples]
  private let trial: SettingsTrial

  /// The app's requirements beyond ATS, from which the plan starts.
  let start: ATSDictionary

  /// The plan so far.
  private(set) var dictionary: ATSDictionary

  /// The hosts that received an entry, with its shape.
  private(set) var shapes: [(key: String, shape: EntryShape)] = []

  /// The hosts that NSAllowsArbitraryLoadsInWebContent covers.
  private(set) var webContentHosts: [String] = []

  /// Returns the plan for sessions. `elsewhere` are the other sessions of the run, such as those of other programs.
  package static func plan(
    for samples: SessionSamples, elsewhere: [SessionSamples] = [], present: ATSDictionary?,
    release: SystemRelease = .newest, trial: @escaping SettingsTrial
  ) -> ExceptionPlan {
    var start = present?.demands(in: release) ?? ATSDictionary()
    while true {
      var planner = ExceptionPlanner(
        present: present, release: release, elsewhere: elsewhere, trial: trial, start: start, dictionary: start)
      planner.decide(samples)
      let lost = planner.lostEntries(samples)
      if lost.isEmpty { return planner.described(samples) }
      // What is needed under these entries may be more. Each is added only once, so this ends.
      start.exceptionDomains += lost
    }
  }

  private mutating func decide(_ samples: SessionSamples) {
    decideLocalNetworking(samples)
    decideWebContent(samples)
    for host in samples.hosts { addEntry(for: host) }
    for host in samples.hosts { addGlobalKey(for: host) }
    for host in samples.hosts {
      if host.identity.text == nil { keepEntries(forUnknown: host, among: samples) } else { keepEntry(for: host) }
    }
  }

  /// All sessions of the run with a host, the plan's own first.
  func allSamples(of host: SessionSamples.Host) -> [SessionSamples.Sample] {
    elsewhere.reduce(host.samples) { $0 + $1.samples(of: host.identity) }
  }

  /// The first HTTPS session of the run that passes without any exception; nil if there is none. Cleartext of such a host needs another
  /// URL rather than a key.
  func passingHTTPS(of host: SessionSamples.Host) -> ObservedSession? {
    let sessions = allSamples(of: host).filter { $0.session.application == .tls }
    func firstPassing(under settings: ATSDictionary) -> ObservedSession? {
      sessions.first { judgement(of: $0, under: settings).verdict == .pass }?.session
    }
    return firstPassing(under: start) ?? withoutBrokenDemands(on: host).flatMap(firstPassing)
  }

  /// The app's requirements without those on a host that the plan removes because HTTPS sessions do not meet them; nil if it removes none.
  private func withoutBrokenDemands(on host: SessionSamples.Host) -> ATSDictionary? {
    var withoutCleartext = host
    withoutCleartext.samples.removeAll { $0.session.application == .http }
    var planner = self
    (planner.dictionary, planner.shapes) = (start, [])
    planner.addEntry(for: withoutCleartext)
    guard planner.dictionary != start, let base = base(for: host.identity, in: start) else { return nil }
    // Without a shape, the plan removes the whole entry.
    guard let shape = planner.shapes.first?.shape else { return planner.dictionary }
    guard shape.dropsMinimum || shape.liftsNIAP || base != start.entry(for: host.identity, in: release) else { return nil }
    return with(EntryShape(dropsMinimum: shape.dropsMinimum, liftsNIAP: shape.liftsNIAP), base, in: start)
  }

  /// The sessions that the plan must allow: all except refused cleartext whose URL can be changed.
  func plannedSamples(of host: SessionSamples.Host) -> [SessionSamples.Sample] {
    let hasCleartext = host.samples.contains { $0.session.application == .http }
    guard hasCleartext, passingHTTPS(of: host) != nil else { return host.samples }
    // An entry for the host would refuse cleartext that is allowed without one, as for a host of the system's own entries.
    return host.samples.filter { $0.session.application != .http || isAllowed($0, under: start) }
  }

  func judgement(of sample: SessionSamples.Sample, under dictionary: ATSDictionary) -> Judgement {
    // An empty dictionary differs from none for Apple's own programs only, which need no plan.
    if present == nil, dictionary == ATSDictionary() { return trial(sample, nil, sample.context) }
    // A plan for many hosts has many entries, and each is tried in many ways. An unread request may be for any of them.
    let concerning =
      HTTPTraffic.hasUnreadRequest(sample.session) ? dictionary : dictionary.concerning(HostIdentity(of: sample.session))
    return trial(sample, concerning, sample.context)
  }

  /// Whether a session is not refused, by ATS or by the system's own rules, and what refuses it is not merely hidden.
  func isAllowed(_ sample: SessionSamples.Sample, under dictionary: ATSDictionary) -> Bool {
    let judgement = judgement(of: sample, under: dictionary)
    return !judgement.isRefused && !isHidden(sample, judgement)
  }

  /// Whether rules that fail without the plan's keys become undecided under them.
  private func isHidden(_ sample: SessionSamples.Sample, _ judgement: Judgement) -> Bool {
    // The keys do not affect what a server chose.
    guard sample.session.application != .http, sample.session.sharedTLS?.sharedServerHello == nil else { return false }
    return judgement.findings.hides(self.judgement(of: sample, under: start).refusals)
  }

  // MARK: Steps

  /// Removes a NO of NSAllowsLocalNetworking if local destinations need cleartext: the absence of the key is enough.
  private mutating func decideLocalNetworking(_ samples: SessionSamples) {
    guard dictionary.allowsLocalNetworking == false else { return }
    var lax = dictionary
    lax.allowsLocalNetworking = nil
    let isNeeded = samples.hosts.contains { host in
      let key = host.identity.exceptionKey(in: release)
      return plannedSamples(of: host).contains { sample in
        if isAllowed(sample, under: dictionary) || isAllowed(sample, under: dictionary.removing(key)) { return false }
        guard isAllowed(sample, under: lax.removing(key)) else { return false }
        guard let base = base(for: host.identity, in: dictionary) else { return true }
        // Entry keys that do not allow cleartext are preferred.
        return !EntryShape.inOrder(mayDropMinimum: true, mayLiftNIAP: true).contains { shape in
          !shape.insecure && isAllowed(sample, under: with(shape, base, in: dictionary))
        }
      }
    }
    if isNeeded { dictionary = lax }
  }

  /// The number of hosts of web views in need of an entry from which the app counts as one that cannot list its hosts, like a browser.
  static let webContentThreshold = 5

  /// Sets the key for web content instead of one entry per host if web views load many hosts that need an exception (policy text H,
  /// narrowing advice).
  private mutating func decideWebContent(_ samples: SessionSamples) {
    guard release.readsNarrowGlobalKeys else { return }
    var lax = dictionary
    lax.allowsArbitraryLoadsInWebContent = true
    var replaced: [String] = []
    for host in samples.hosts {
      guard let key = host.identity.exceptionKey(in: release) else { continue }
      var planner = self
      planner.addEntry(for: host)
      // The key serves web views only, and no host for which the app requires more.
      guard planner.dictionary != dictionary,
        !dictionary.exceptionDomains.contains(where: { $0.key == key })
      else { continue }
      let isReplaced = plannedSamples(of: host).allSatisfy { sample in
        isAllowed(sample, under: dictionary) || !isAllowed(sample, under: planner.dictionary)
          || sample.context == .web && isAllowed(sample, under: lax)
      }
      if isReplaced { replaced.append(key) }
    }
    guard replaced.count >= ExceptionPlanner.webContentThreshold else { return }
    dictionary = lax
    webContentHosts = replaced
  }

  /// Gives a host the narrowest entry under which all of its sessions that can be allowed are allowed.
  private mutating func addEntry(for host: SessionSamples.Host) {
    let own = dictionary.concerning(host.identity)
    guard let base = base(for: host.identity, in: own) else { return }
    let key = base.key
    let removed = own.exceptionDomains.contains { $0.key == key } ? own.removing(key) : nil
    let broadest = with(.broadest, base, in: own)
    var withoutProof: ATSDictionary?
    if base.requiresCertificateTransparency == true {
      var lacking = base
      lacking.requiresCertificateTransparency = nil
      withoutProof = with(.broadest, lacking, in: own)
    }
    var sessions: [SessionSamples.Sample] = []
    var onlyWithout: [SessionSamples.Sample] = []
    var needsChange = false
    for sample in plannedSamples(of: host) {
      let judgement = judgement(of: sample, under: own)
      if !judgement.isRefused {
        sessions.append(sample)
      } else if isAllowed(sample, under: broadest) {
        sessions.append(sample)
        needsChange = true
      } else if let withoutProof, isAllowed(sample, under: withoutProof) {
        // The app's certificate requirements stay, as pins do: the server must be fixed.
        continue
      } else if let removed, isAllowed(sample, under: removed) {
        onlyWithout.append(sample)
        needsChange = true
      }
    }
    guard needsChange else { return }
    // If the only purpose of an entry is to be strict, removing it is the smallest change.
    if let removed, (sessions + onlyWithout).allSatisfy({ isAllowed($0, under: removed) }) {
      dictionary.exceptionDomains.removeAll { $0.key == key }
      return
    }
    let policy = PolicyResolver(dictionary: own).policy(for: PolicyRequest(host: host.identity, release: release))
    let candidates = EntryShape.inOrder(
      mayDropMinimum: policy.effectiveMinimumTLSVersion.rawValue > TLSVersion.tls12.rawValue, mayLiftNIAP: policy.requiresNIAPPackage)
    let fitting = candidates.first { shape in
      let changed = with(shape, base, in: own)
      return sessions.allSatisfy { isAllowed($0, under: changed) }
    }
    guard let fitting else { return }
    dictionary.set(fitting.applied(to: base, isNIAPGlobal: dictionary.requiredNIAPPackage != nil))
    shapes.append((key, fitting))
  }

  /// Keeps the keys of the present dictionary without which sessions of a host fail that are undecided with them: a device may need them,
  /// and the recorded client offered too little to show it.
  private mutating func keepEntry(for host: SessionSamples.Host) {
    let own = dictionary.concerning(host.identity)
    guard let present, let base = base(for: host.identity, in: own) else { return }
    let matched = PolicyResolver(dictionary: present).policy(for: PolicyRequest(host: host.identity, release: release)).matchedEntry
    guard let before = present.exceptionDomains.first(where: { $0.key == matched }) else { return }
    let planned = plannedSamples(of: host)
    keep(before, in: base, of: own, for: planned.filter { isOpened($0, of: own, by: present) }, sparing: planned)
  }

  /// Whether a session that fails under a dictionary is undecided under the present one.
  private func isOpened(_ sample: SessionSamples.Sample, of own: ATSDictionary, by present: ATSDictionary) -> Bool {
    judgement(of: sample, under: own).verdict == .fail && judgement(of: sample, under: present).verdict == .unknown
  }

  /// Keeps the keys of each entry of the present dictionary without which sessions with an unknown host fail that are undecided with them.
  private mutating func keepEntries(forUnknown host: SessionSamples.Host, among samples: SessionSamples) {
    guard let present else { return }
    let own = dictionary
    let planned = samples.hosts.flatMap(plannedSamples)
    let failing = host.samples.filter { isOpened($0, of: own, by: present) }
    // Such a session is undecided even without the entries if it may also be with a local host or one of the system's own entries.
    let undecided = host.samples.filter { judgement(of: $0, under: own).verdict == .unknown }
    for before in present.exceptionDomains where !before.isRange {
      let base =
        own.exceptionDomains.first { $0.key == before.key }
        ?? ExceptionEntry(key: before.key, includesSubdomains: before.includesSubdomains, settings: ExceptionSettings())
      let named = undecided.map { $0.naming(before.key) }.filter {
        judgement(of: $0, under: own).verdict == .fail && judgement(of: $0, under: present).verdict != .fail
      }
      // Others may be with the hosts of other entries.
      var alone = own
      alone.set(before)
      let opened = failing.filter { judgement(of: $0, under: alone).verdict != .fail }
      keep(before, in: base, of: own, for: opened + named, sparing: planned)
    }
  }

  /// Keeps the keys of a present entry, `before`, without which all of `open` fail, in the entry `base` of the dictionary `own`, if all of
  /// `planned` that this dictionary allows remain allowed.
  private mutating func keep(
    _ before: ExceptionEntry, in base: ExceptionEntry, of own: ATSDictionary, for open: [SessionSamples.Sample],
    sparing planned: [SessionSamples.Sample]
  ) {
    if open.isEmpty { return }
    let isNIAPGlobal = dictionary.requiredNIAPPackage != nil
    func keys(_ entry: ExceptionEntry) -> Set<String> {
      var only = ATSDictionary()
      only.set(entry)
      return Set(Relaxation.all(in: only).map { "\($0.key) \($0.value.text)" })
    }
    var had = keys(before).union(keys(base))
    // A higher minimum than the present one is stricter.
    if had.contains("\(ATSKeys.minimumTLSVersion) TLSv1.0") { had.insert("\(ATSKeys.minimumTLSVersion) TLSv1.1") }
    let fitting = EntryShape.inOrder(mayDropMinimum: false, mayLiftNIAP: false).first { shape in
      let changed = with(shape, base, in: own)
      return keys(shape.applied(to: base, isNIAPGlobal: isNIAPGlobal)).isSubset(of: had)
        && planned.allSatisfy { judgement(of: $0, under: own).verdict == .fail || isAllowed($0, under: changed) }
        && open.allSatisfy { judgement(of: $0, under: changed).verdict != .fail }
    }
    guard let fitting else { return }
    dictionary.set(fitting.applied(to: base, isNIAPGlobal: isNIAPGlobal))
    if !shapes.contains(where: { $0.key == base.key }) { shapes.append((base.key, fitting)) }
  }

  /// Sets a global key for hosts that no entry can name, in the context for which the key is meant.
  private mutating func addGlobalKey(for host: SessionSamples.Host) {
    guard host.identity.exceptionKey(in: release) == nil else { return }
    func add(_ change: (inout ATSDictionary) -> Void, for samples: [SessionSamples.Sample]) {
      var changed = dictionary
      change(&changed)
      let helps = samples.contains { !isAllowed($0, under: dictionary) && isAllowed($0, under: changed) }
      if helps { dictionary = changed }
    }
    if !release.readsNarrowGlobalKeys {
      // Only addresses need it (policy text C.7).
      if case .address = host.identity { add({ $0.allowsArbitraryLoads = true }, for: host.samples) }
      return
    }
    add({ $0.allowsArbitraryLoadsInWebContent = true }, for: host.samples.filter { $0.context == .web })
    add({ $0.allowsArbitraryLoadsForMedia = true }, for: host.samples.filter { $0.context == .media })
  }

  /// The entry of a dictionary from which an exception for one host begins. It is a new one without requirements if the dictionary lacks
  /// the entry that applies to the host in the app: what the entry of a wider name or a range requires was never required of this host.
  private func base(for host: HostIdentity, in dictionary: ATSDictionary) -> ExceptionEntry? {
    let base = dictionary.entry(for: host, in: release)
    guard let base, !dictionary.exceptionDomains.contains(where: { $0.key == base.key }),
      let applied = present?.entryInForce(for: host, in: release),
      applied.key != dictionary.entryInForce(for: host, in: release)?.key
    else { return base }
    return ExceptionEntry(key: base.key)
  }

  /// The dictionary with an entry in another shape.
  private func with(_ shape: EntryShape, _ entry: ExceptionEntry, in dictionary: ATSDictionary) -> ATSDictionary {
    var changed = dictionary
    changed.set(shape.applied(to: entry, isNIAPGlobal: dictionary.requiredNIAPPackage != nil))
    return changed
  }
}

extension ATSDictionary {
  func removing(_ key: String?) -> ATSDictionary {
    var changed = self
    if let key { changed.exceptionDomains.removeAll { $0.key == key } }
    return changed
  }
}
