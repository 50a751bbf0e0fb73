import ATSEvaluation
import ATSEvidence
import ATSRules
import PolicyResolution
import SessionModel
import Values

/// The reasons for a plan.
extension ExceptionPlanner {
  func described(_ samples: SessionSamples) -> ExceptionPlan {
    var plan = ExceptionPlan()
    plan.dictionary = dictionary
    plan.webContentHosts = webContentHosts
    let allowed = samples.hosts.map { host in
      host.samples.map { isAllowed($0, under: dictionary) }
    }
    plan.keys = keys(samples, allowed)
    count(samples, allowed, into: &plan)
    plan.abandoned = abandoned().map { item in
      var item = item
      item.dependsOnOffer = failsOnlyByOffer(item, samples)
      return item
    }
    plan.bareEntries = bareEntries()
    plan.unneeded = unneeded(samples, plan)
    plan.alternatives = alternatives()
    return plan
  }

  // MARK: Keys

  private func keys(_ samples: SessionSamples, _ allowed: [[Bool]]) -> [ExceptionPlan.Key] {
    var keys: [ExceptionPlan.Key] = []
    let hosts = Dictionary(
      samples.hosts.indices.compactMap { index in
        samples.hosts[index].identity.exceptionKey(in: release).map { ($0, index) }
      }
    ) { first, _ in first }
    let unknown = samples.hosts.firstIndex { $0.identity.text == nil }
    for change in Relaxation.all(in: dictionary) {
      var key = ExceptionPlan.Key(entry: change.entry, key: change.key, value: change.value, rules: [], observed: [], sessions: 0)
      let without = change.removed(from: dictionary)
      // An entry is for its host, or may be for an unknown one; a global key may be for any host.
      let concerned = change.entry.map { (hosts[$0] ?? unknown).map { [$0] } ?? [] } ?? Array(samples.hosts.indices)
      for host in concerned {
        for (index, sample) in samples.hosts[host].samples.enumerated() where allowed[host][index] {
          explain(&key, sample, judgement(of: sample, under: without))
        }
      }
      if key.sessions == 0 {
        let samples = concerned.flatMap { samples.hosts[$0].samples }
        for sample in samples where judgement(of: sample, under: dictionary).verdict == .unknown {
          explain(&key, sample, judgement(of: sample, under: without))
        }
        key.dependsOnOffer = key.sessions > 0
      }
      if key.sessions == 0, let entry = change.entry, let unknown {
        let undecided = samples.hosts[unknown].samples.filter { judgement(of: $0, under: dictionary).verdict == .unknown }
        // Several entries may each be for the unknown host.
        var alone = dictionary
        alone.exceptionDomains.removeAll { $0.key != entry }
        for sample in undecided where judgement(of: sample, under: alone).verdict != .fail {
          explain(&key, sample, judgement(of: sample, under: start))
        }
        // The session may also be with a host that needs no entry.
        if key.sessions == 0 {
          for sample in undecided where !judgement(of: sample.naming(entry), under: dictionary).isRefused {
            explain(&key, sample, judgement(of: sample.naming(entry), under: without))
          }
        }
      }
      if key.key == ATSKeys.insecureLoads, key.rules.contains(RuleID.https.rawValue),
        concerned.contains(where: { allSamples(of: samples.hosts[$0]).contains(where: isEstablishedHTTPS) })
      {
        key.fixes.insert(.app("change the URL to https, which the host also supports"), at: 0)
      }
      keys.append(key)
    }
    return keys
  }

  /// Whether a session is an HTTPS session that the client accepted.
  private func isEstablishedHTTPS(_ sample: SessionSamples.Sample) -> Bool {
    sample.session.application == .tls && sample.session.sharedTLS?.isEstablished == true
      && ![.fail, .exempt].contains(judgement(of: sample, under: start).verdict)
  }

  private func explain(_ key: inout ExceptionPlan.Key, _ sample: SessionSamples.Sample, _ judgement: Judgement) {
    guard judgement.isRefused else { return }
    key.sessions += sample.count
    key.dependsOnOffer = (key.example == nil || key.dependsOnOffer) && judgement.refusals.allSatisfy(\.isLimitedByOffer)
    if key.example == nil { key.example = sample.session }
    for finding in judgement.refusals {
      if !key.rules.contains(finding.id) { key.rules.append(finding.id) }
      if let observed = finding.observed, !key.observed.contains(observed) { key.observed.append(observed) }
      if let fix = finding.fix, !key.fixes.contains(fix) { key.fixes.append(fix) }
    }
  }

  // MARK: Sessions

  private func count(_ samples: SessionSamples, _ allowed: [[Bool]], into plan: inout ExceptionPlan) {
    plan.counts.leftOut = samples.sessionsOfOtherHosts
    for (host, group) in samples.hosts.enumerated() {
      plan.counts.leftOut += group.leftOut
      let passing = passingHTTPS(of: group)
      for (index, sample) in group.samples.enumerated() {
        if !allowed[host][index] || isLeftOpen(sample) {
          if let passing, sample.session.application == .http {
            addUpgradable(sample, of: group.identity, passing, to: &plan)
          } else {
            addRefused(sample, of: group.identity, to: &plan)
          }
          continue
        }
        if judgement(of: sample, under: dictionary).verdict == .unknown {
          plan.counts.undecided += sample.count
          if plan.undecidedHosts.last != .some(group.identity.text) { plan.undecidedHosts.append(group.identity.text) }
        } else if judgement(of: sample, under: start).isRefused {
          plan.counts.byKeys += sample.count
        } else {
          plan.counts.withoutKeys += sample.count
        }
      }
    }
  }

  /// Whether a session that failed no longer fails only because its host is hidden and new entries of the plan may be for it.
  private func isLeftOpen(_ sample: SessionSamples.Sample) -> Bool {
    HostIdentity.isHidden(in: SessionEvidence(sample.session)) && judgement(of: sample, under: dictionary).verdict == .unknown
      && judgement(of: sample, under: start).verdict == .fail
      && present.map { judgement(of: sample, under: $0).verdict } != .unknown
  }

  private func addUpgradable(
    _ sample: SessionSamples.Sample, of host: HostIdentity, _ passing: ObservedSession, to plan: inout ExceptionPlan
  ) {
    plan.counts.upgradable += sample.count
    if let known = plan.upgradable.firstIndex(where: { $0.host == host.text }) {
      plan.upgradable[known].sessions += sample.count
    } else {
      plan.upgradable.append(
        ExceptionPlan.UpgradableURL(host: host.text, sessions: sample.count, example: sample.session, passing: passing))
    }
  }

  /// Adds a session that the plan does not allow, either to those that a key may help or to those that none does.
  private func addRefused(_ sample: SessionSamples.Sample, of host: HostIdentity, to plan: inout ExceptionPlan) {
    var judgement = judgement(of: sample, under: dictionary)
    // Without the plan's keys, the failures that they hide are visible.
    if !judgement.isRefused { judgement = self.judgement(of: sample, under: start) }
    let failing = judgement.refusals
    let name = host.text
    guard case .impossible(let obstacle)? = judgement.narrowestException else {
      addImpossible(
        sample, name, failing, "no key of NSAppTransportSecurity is known to allow this without breaking other sessions of the host",
        to: &plan)
      return
    }
    let reason = obstacle.reason
    if obstacle.mayHelp.isEmpty {
      let kept = failing.contains { $0.decidingKey?.key == ATSKeys.certificateTransparency }
      addImpossible(
        sample, name, failing.filter { obstacle.rules.contains($0.rule) },
        kept ? reason + " These settings keep \(ATSKeys.certificateTransparency)." : reason,
        needsBroaderKey: obstacle.broaderWay != nil, to: &plan)
      return
    }
    plan.counts.mayHelp += sample.count
    if let known = plan.mayHelp.firstIndex(where: { $0.host == name && $0.reason == reason }) {
      plan.mayHelp[known].sessions += sample.count
    } else {
      plan.mayHelp.append(
        ExceptionPlan.MayHelp(
          host: name, sessions: sample.count, example: sample.session, options: obstacle.mayHelp, rules: obstacle.rules.map(\.rawValue),
          reason: reason))
    }
  }

  private func addImpossible(
    _ sample: SessionSamples.Sample, _ host: String?, _ findings: [Finding], _ reason: String, needsBroaderKey: Bool = false,
    to plan: inout ExceptionPlan
  ) {
    plan.counts.impossible += sample.count
    if let known = plan.impossible.firstIndex(where: { $0.host == host && $0.reason == reason }) {
      plan.impossible[known].sessions += sample.count
    } else {
      plan.impossible.append(
        ExceptionPlan.Impossible(
          host: host, sessions: sample.count, example: sample.session, findings: findings, reason: reason,
          needsBroaderKey: needsBroaderKey))
    }
  }

  // MARK: The present dictionary

  private func unneeded(_ samples: SessionSamples, _ plan: ExceptionPlan) -> [ExceptionPlan.Unneeded] {
    guard let present else { return [] }
    let keys = plan.keys
    let resolver = PolicyResolver(dictionary: present)
    var used: Set<String> = []
    // The plan cannot propose what these sessions need.
    let unlisted = plan.impossible.filter(\.needsBroaderKey).map(\.host)
    var needed: Set<String?> = unlisted.isEmpty ? [] : [nil]
    for host in samples.hosts {
      // The entry that applies to a host does not depend on the load context.
      let policy = resolver.policy(for: PolicyRequest(host: host.identity, release: release))
      if let entry = policy.matchedEntry, !policy.matchedBuiltIn { used.insert(entry) }
      if unlisted.contains(host.identity.text) { needed.insert(policy.matchedEntry) }
    }
    let kept = Set(keys.map { KeyReference(key: $0.key, entry: $0.entry) })
    var result: [ExceptionPlan.Unneeded] = []
    var reportedWhole: Set<String> = []
    for change in Relaxation.all(in: present) where !kept.contains(change.reference) && !needed.contains(change.entry) {
      guard let entry = change.entry else {
        let hosts = hostsMissing(change, of: present, samples, plan)
        let reason =
          hosts.isEmpty
          ? "no session needs it" + (keys.isEmpty ? "" : " in addition to the keys of the plan")
          : "without it, sessions with \(hosts.joined(first: 3)) fail"
        result.append(ExceptionPlan.Unneeded(entry: nil, key: change.key, reason: reason, kind: hosts.isEmpty ? .unused : .missed))
        continue
      }
      if !used.contains(entry) {
        guard reportedWhole.insert(entry).inserted else { continue }
        result.append(ExceptionPlan.Unneeded(entry: entry, key: nil, reason: whyUnused(entry)))
      } else if keys.contains(where: { $0.entry.map { $0 != entry && $0.hasSuffix("." + entry) } ?? false }) {
        result.append(
          ExceptionPlan.Unneeded(entry: entry, key: change.key, reason: "entries for the hosts themselves are enough", kind: .replaced))
      } else if !dictionary.exceptionDomains.contains(where: { $0.key == entry }) {
        // An entry without its keys requires more than none for some hosts.
        guard reportedWhole.insert(entry).inserted else { continue }
        result.append(ExceptionPlan.Unneeded(entry: entry, key: nil, reason: "no session needs it"))
      } else {
        result.append(ExceptionPlan.Unneeded(entry: entry, key: change.key, reason: "no session needs it"))
      }
    }
    return result + emptyEntries(present, used, plan.abandoned)
  }

  /// The hosts with sessions that fail under the plan and without a global key of the present dictionary, but not with it: no narrower key
  /// is known to allow them.
  private func hostsMissing(_ key: Relaxation, of present: ATSDictionary, _ samples: SessionSamples, _ plan: ExceptionPlan) -> [String] {
    let refused = Set(plan.impossible.map(\.host) + plan.mayHelp.map(\.host))
    let without = key.removed(from: present)
    return samples.hosts.filter { host in
      refused.contains(host.identity.text)
        && plannedSamples(of: host).contains { sample in
          judgement(of: sample, under: dictionary).isRefused && !judgement(of: sample, under: present).isRefused
            && judgement(of: sample, under: without).isRefused
        }
    }.map { $0.identity.text ?? "an unknown host" }
  }

  /// The entries of the present dictionary that allow nothing, and that the plan can omit without requiring less.
  private func emptyEntries(
    _ present: ATSDictionary, _ used: Set<String>, _ abandoned: [ExceptionPlan.Abandoned]
  ) -> [ExceptionPlan.Unneeded] {
    let others = Set(
      Relaxation.all(in: present).compactMap(\.entry) + dictionary.exceptionDomains.map(\.key) + abandoned.compactMap(\.entry))
    return present.exceptionDomains.filter { !others.contains($0.key) }.map {
      ExceptionPlan.Unneeded(
        entry: $0.key, key: nil, reason: used.contains($0.key) ? "the plan is as strict without it" : whyUnused($0.key))
    }
  }

  /// Why an entry of the present dictionary applies to no session.
  private func whyUnused(_ key: String) -> String { HostKeyFault(key)?.consequence ?? "no session was with one of its hosts" }

  /// The requirements of the present dictionary that the plan does not contain, or no longer for a host with a new entry.
  private func abandoned() -> [ExceptionPlan.Abandoned] {
    guard let present else { return [] }
    var result: [ExceptionPlan.Abandoned] = []
    if start.allowsLocalNetworking == false, dictionary.allowsLocalNetworking == nil {
      result.append(ExceptionPlan.Abandoned(entry: nil, key: ATSKeys.localNetworking))
    }
    let planned = Dictionary(dictionary.exceptionDomains.map { ($0.key, $0) }) { first, _ in first }
    let covered = Set(webContentHosts)
    let strict = present.exceptionDomains.filter { covered.contains($0.key) && !$0.isLax(in: release) }
    for entry in start.exceptionDomains + strict where planned[entry.key] == nil {
      result.append(ExceptionPlan.Abandoned(entry: entry.key, key: nil))
    }
    for (key, _) in shapes {
      guard let before = present.entry(for: HostIdentity(key), in: release), let after = planned[key] else { continue }
      if before.requiresTLS13, !after.requiresTLS13 {
        result.append(ExceptionPlan.Abandoned(entry: key, key: ATSKeys.minimumTLSVersion))
      }
      if before.requiredNIAPPackage?.isDemand == true, after.requiredNIAPPackage != before.requiredNIAPPackage {
        result.append(ExceptionPlan.Abandoned(entry: key, key: ATSKeys.exceptionNIAP))
      }
    }
    return result
  }

  /// The entries without keys that the plan adds.
  private func bareEntries() -> [ExceptionPlan.BareEntry] {
    let had = Set((present?.exceptionDomains ?? []).filter { $0 == ExceptionEntry(key: $0.key) }.map(\.key))
    let bare = dictionary.exceptionDomains.filter { $0 == ExceptionEntry(key: $0.key) && !had.contains($0.key) }
    return bare.map { entry in
      guard shapes.contains(where: { $0.key == entry.key }) else {
        return ExceptionPlan.BareEntry(entry: entry.key, reason: "keeps what the current settings require of the host")
      }
      let replaced = dictionary.removing(entry.key).entryInForce(for: HostIdentity(entry.key), in: release)
      let other = replaced.map { "what the entry \($0.key) requires" } ?? "what applies otherwise"
      return ExceptionPlan.BareEntry(entry: entry.key, reason: "replaces \(other), which sessions of the host do not meet")
    }
  }

  /// Whether sessions break a requirement only because the client offered too little, so that the servers may meet it.
  private func failsOnlyByOffer(_ item: ExceptionPlan.Abandoned, _ samples: SessionSamples) -> Bool {
    guard let entry = item.entry else { return false }
    let resolver = PolicyResolver(dictionary: start)
    let hosts = samples.hosts.filter { host in
      let policy = resolver.policy(for: PolicyRequest(host: host.identity, release: release))
      return host.identity.exceptionKey(in: release) == entry || policy.matchedEntry == entry
    }
    let failures = hosts.flatMap(allSamples).flatMap { judgement(of: $0, under: start).failures }.filter { finding in
      switch item.key {
      case ATSKeys.minimumTLSVersion?: finding.rule == .tlsVersion
      case ATSKeys.exceptionNIAP?: finding.rule == .niap
      default: true
      }
    }
    return !failures.isEmpty && failures.allSatisfy(\.isLimitedByOffer)
  }

  // MARK: Broader forms

  private func alternatives() -> [ExceptionPlan.Alternative] {
    let named = shapes.compactMap { key, shape -> (domain: String, key: String, shape: EntryShape)? in
      guard dictionary.exceptionDomains.contains(where: { $0.key == key }), case .name = HostIdentity(key),
        let domain = PublicSuffixes.registrableDomain(of: key)
      else { return nil }
      return (domain, key, shape)
    }
    return named.grouped(by: \.domain).filter { $0.elements.count > 1 && Set($0.elements.map(\.shape)).count == 1 }.map {
      ExceptionPlan.Alternative(domain: $0.key, hosts: $0.elements.map(\.key))
    }
  }
}
