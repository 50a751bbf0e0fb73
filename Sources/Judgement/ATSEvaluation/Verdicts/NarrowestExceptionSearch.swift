import ATSRules
import PolicyResolution
import TLSParsing
import Values

/// Finds the smallest change of a dictionary that allows a refused session (policy text C.7).
struct NarrowestExceptionSearch {
  /// The dictionary before the change; nil if there is none.
  let dictionary: ATSDictionary?

  /// The host that the client expects.
  let host: HostIdentity

  /// Whether the capture does not show what names the host.
  let isHostHidden: Bool

  /// Whether app code is assumed to accept what trust evaluation refuses, if ATS leaves this to the app.
  let appOverridesTrust: Bool

  /// Whether ATS is off for the session, which the system rejects.
  let isATSOff: Bool

  /// Returns the policy of the session's host under another dictionary.
  let policyUnder: (ATSDictionary) -> EffectivePolicy

  /// Evaluates the session under another policy.
  let evaluate: (EffectivePolicy) -> Evaluation

  /// Whether a key would help if app code were assumed to accept what trust evaluation refuses.
  let wouldOverrideHelp: () -> Bool

  /// The exception for a session that is refused because of these findings.
  func search(_ failing: [Finding], policy: EffectivePolicy) -> NarrowestException {
    let beyondKeys = failing.filter(isBeyondKeys)
    let keyable = RuleTable.mandatory.filter(isKeyable)
    // Judged first: a change that does not lift these need not be judged further.
    let refusing = keyable.filter { rule in failing.contains { $0.id == type(of: rule).id } }
    let candidates = beyondKeys.count < failing.count ? candidates(policy, failing) : []
    var mayHelp: [Candidate] = []
    // The rules that fail under every candidate. Any other failing rules only fail in combination.
    var unlifted = Set(candidates.isEmpty ? [] : failing.map(\.id))
    for candidate in candidates {
      let changed = policyUnder(candidate.applied(to: dictionary))
      let evaluation = evaluate(changed)
      let found = evaluation.findings(of: refusing)
      let stillFailing = evaluation.refusals(among: found)
      unlifted.formIntersection(stillFailing.map(\.id))
      guard stillFailing.isEmpty, beyondKeys.isEmpty,
        evaluation.refusals(among: evaluation.findings(of: keyable)).isEmpty
      else { continue }
      if !found.hides(failing) { return candidate.exception }
      let isBroader = mayHelp.contains { candidate.includes($0) }
      if !isBroader, changed.offersMore(than: policy, where: failing) { mayHelp.append(candidate) }
    }
    unlifted.formUnion(beyondKeys.map(\.id))
    let decisive = failing.filter { unlifted.contains($0.id) }
    if !beyondKeys.isEmpty { return impossible(decisive, isListable: true, mayHelp: []) }
    return impossible(decisive.isEmpty ? failing : decisive, isListable: isListable(policy), mayHelp: mayHelp.map(\.exception))
  }

  /// Whether some change allows a session that is refused because of these findings.
  func canAllow(_ failing: [Finding], policy: EffectivePolicy) -> Bool {
    if failing.contains(where: isBeyondKeys) { return false }
    if case .impossible = search(failing, policy: policy) { return false }
    return true
  }

  /// Whether no key can allow what a finding refuses.
  private func isBeyondKeys(_ finding: Finding) -> Bool {
    finding.fatality == .certain || !RuleTable.mandatory.contains { type(of: $0).id == finding.id && isKeyable($0) }
  }

  /// Whether a key can allow what a rule refuses. If app code is assumed to override trust, a key that leaves trust to the app also counts.
  private func isKeyable(_ rule: any Rule) -> Bool {
    let kind = type(of: rule)
    return kind.setting != nil && kind.id != RuleID.pin.rawValue || appOverridesTrust && kind.isTrustEvaluation
  }

  private func impossible(_ failing: [Finding], isListable: Bool, mayHelp: [NarrowestException]) -> NarrowestException {
    let appMayAccept = wouldOverrideHelp()
    let broadKey = !isListable && failing.allSatisfy { $0.rule == .https } ? keyForUnlistedCleartext() : nil
    // An entry may name a host that is only unknown here.
    let unlisted =
      host.text == nil
      ? "\(unlistable) the host, which an entry has to name; without an entry, only"
      : "no entry of NSExceptionDomains can name the host; only"
    let broaderWay = broadKey.map { "\(unlisted) \($0)" }
    let reason = reason(failing, isListable: isListable, broaderWay: broaderWay, mayHelp: !mayHelp.isEmpty, appMayAccept: appMayAccept)
    return .impossible(
      NarrowestException.Obstacle(
        reason: reason, rules: failing.map(\.rule), mayHelp: mayHelp, appMayAccept: appMayAccept, broaderWay: broaderWay,
        unlistable: isListable ? nil : unlistable))
  }

  /// Why no entry can name the host, as a clause whose object is the host.
  private var unlistable: String {
    host.text != nil ? "no entry can name" : isHostHidden ? "the capture does not show" : "the request does not name"
  }

  /// Why no key is known to help, and what would help.
  private func reason(_ failing: [Finding], isListable: Bool, broaderWay: String?, mayHelp: Bool, appMayAccept: Bool) -> String {
    let what = failing.compactMap(\.observed).joined(separator: "; ") + (isListable ? "" : ", of a host that \(unlistable)")
    let isOpen = mayHelp || !isListable && isHostHidden
    var advice: [Fix] = []
    for finding in failing {
      if let fix = finding.fix { advice.append(fix) }
      switch finding.rule {
      case .certificateHost: advice.append(.app("or load a host that the certificate names"))
      case .pin: advice.append(.app("or remove the pin"))
      default: break
      }
    }
    let lead =
      broaderWay
      ?? (isATSOff
        ? "the system rejects this although ATS is off, and no key of NSAppTransportSecurity changes that"
        : "no key of NSAppTransportSecurity \(isOpen ? "is known to allow" : appMayAccept ? "alone allows" : "allows") this")
    var text = "\(lead): \(what)."
    if !advice.isEmpty { text += " Fix: \(Fix.merged(advice).text)." }
    if mayHelp {
      text +=
        " A device offers more under less strict keys than this client did, which may help; the capture does not show it."
    }
    if appMayAccept {
      text += " For a development server, app code can accept the certificate"
      text +=
        isATSOff
        ? ": --assume app-overrides-trust." : " if NSExceptionAllowsInsecureHTTPLoads is YES; --assume app-overrides-trust finds the keys."
    }
    return text
  }

  /// The narrowest key that allows cleartext of a host that no entry can name, as part of a sentence; nil if none does. It is not proposed
  /// as an exception, because it is for other hosts too.
  private func keyForUnlistedCleartext() -> String? {
    func isAllowed(_ change: (inout ATSDictionary) -> Void) -> Bool {
      var changed = dictionary ?? ATSDictionary()
      change(&changed)
      let evaluation = evaluate(policyUnder(changed))
      return evaluation.refusals(among: evaluation.findings(of: RuleTable.mandatory)).isEmpty
    }
    // An entry decides alone, even for a name below it that cannot have its own.
    let matched = policyUnder(dictionary ?? ATSDictionary()).matchedEntry
    if let matched, var entry = dictionary?.exceptionDomains.first(where: { $0.key == matched }) {
      entry.settings.allowsInsecureHTTPLoads = true
      return isAllowed { $0.set(entry) } ? "\(ATSKeys.insecureLoads) in the entry \(matched), for all of its hosts, allows this" : nil
    }
    var parent = Substring(host.text ?? "")
    while let dot = parent.firstIndex(of: ".") {
      parent = parent[parent.index(after: dot)...]
      guard parent.contains("."), HostKeyFault(String(parent)) == nil else { continue }
      var entry = ExceptionEntry(key: String(parent))
      (entry.includesSubdomains, entry.settings.allowsInsecureHTTPLoads) = (true, true)
      if isAllowed({ $0.set(entry) }) {
        return "\(ATSKeys.insecureLoads) in an entry \(parent) with \(ATSKeys.includesSubdomains), for all of its hosts, allows this"
      }
    }
    let key = "\(ATSKeys.arbitraryLoads), for all hosts, allows this"
    if isAllowed({ $0.allowsArbitraryLoads = true }) { return key }
    let cancelers = dictionary?.arbitraryLoadsCancelers.map(\.key) ?? []
    let isAllowedWithoutThem = isAllowed {
      $0.allowsArbitraryLoads = true
      ($0.allowsLocalNetworking, $0.allowsArbitraryLoadsInWebContent, $0.allowsArbitraryLoadsForMedia) = (nil, nil, nil)
    }
    guard isAllowedWithoutThem else { return nil }
    return "\(key), after you remove \(cancelers.joined(separator: " and ")), which \(cancelers.count.form(of: "cancel{s|}")) it"
  }

  /// The changes to try, from the narrowest.
  private func candidates(_ policy: EffectivePolicy, _ failing: [Finding]) -> [Candidate] {
    if let base = (dictionary ?? ATSDictionary()).entry(for: host, in: policy.release) { return entries(from: base, policy, failing) }
    var list: [Candidate] = []
    if policy.isDirect, dictionary?.allowsLocalNetworking == false { list.append(.localNetworking) }
    // The remaining changes are for hosts that cannot be listed.
    if policy.context == .web { list.append(.webContent) }
    if policy.context == .media { list.append(.media) }
    if !policy.release.readsNarrowGlobalKeys, case .address = host { list.append(.arbitraryLoads) }
    return list
  }

  /// The changes of the entry for the host, and of the key for local networking.
  private func entries(from base: ExceptionEntry, _ policy: EffectivePolicy, _ failing: [Finding]) -> [Candidate] {
    let isBroken = failing.contains { $0.rule == .niap }
    let list = entries(from: base, policy, liftsNIAP: isBroken)
    // A server may refuse what the package leaves of a device's offer. ATS-NIAP itself is then undecided.
    return policy.requiresNIAPPackage && !isBroken ? list + entries(from: base, policy, liftsNIAP: true) : list
  }

  private func entries(from base: ExceptionEntry, _ policy: EffectivePolicy, liftsNIAP: Bool) -> [Candidate] {
    var list: [Candidate] = []
    let isNew = dictionary?.exceptionDomains.contains { $0.key == base.key } != true
    func add(minimum: String? = nil, noForwardSecrecy: Bool = false, insecure: Bool = false) {
      list.append(
        .entry(
          EntryChange(
            base: base, isNew: isNew, minimum: minimum, noForwardSecrecy: noForwardSecrecy, insecure: insecure, liftsNIAP: liftsNIAP)))
    }
    if liftsNIAP { add() }
    add(noForwardSecrecy: true)
    // A key of the app may have raised the minimum; restoring the default is then the narrowest change.
    let raised = policy.effectiveMinimumTLSVersion.rawValue > TLSVersion.tls12.rawValue ? ["TLSv1.2"] : []
    let minimums = raised + ["TLSv1.1", "TLSv1.0"]
    for minimum in minimums { add(minimum: minimum) }
    for minimum in minimums { add(minimum: minimum, noForwardSecrecy: true) }
    if policy.isDirect, dictionary?.allowsLocalNetworking == false { list.append(.localNetworking) }
    add(insecure: true)
    add(noForwardSecrecy: true, insecure: true)
    // Leaving trust to the app is also tried with a lower version.
    if appOverridesTrust {
      for minimum in minimums { add(minimum: minimum, insecure: true) }
    }
    for minimum in minimums { add(minimum: minimum, noForwardSecrecy: true, insecure: true) }
    return list
  }

  /// Whether entries of the release can name the host.
  private func isListable(_ policy: EffectivePolicy) -> Bool { host.exceptionKey(in: policy.release) != nil }
}

extension Evaluation {
  /// The findings for which the system refuses the session: even with ATS off, SSL 3.0 and suites that it never offers.
  fileprivate func refusals(among findings: [Finding]) -> [Finding] {
    let isExempt = exemption != nil
    return findings.filter { isExempt ? $0.refusesWithoutATS : $0.isFailure }
  }
}

/// Keys to set in the entry for the host.
private struct EntryChange {
  /// The entry before the change.
  let base: ExceptionEntry
  /// Whether the dictionary has no such entry yet.
  let isNew: Bool
  let minimum: String?
  let noForwardSecrecy: Bool
  let insecure: Bool
  let liftsNIAP: Bool

  /// The entry with the change; it keeps its other keys.
  var entry: ExceptionEntry {
    var entry = base
    if let minimum { entry.settings.minimumTLSVersion = minimum }
    if noForwardSecrecy { entry.settings.requiresForwardSecrecy = false }
    if insecure { entry.settings.allowsInsecureHTTPLoads = true }
    if liftsNIAP { entry.requiredNIAPPackage = NIAPPackage.none }
    guard isNew, entry.settings.minimumTLSVersion == "TLSv1.2" else { return entry }
    // TLS 1.2 is the default of a new entry that has another key.
    var shorter = entry
    shorter.settings.minimumTLSVersion = nil
    return shorter.reportedKeys.isEmpty ? entry : shorter
  }

  /// The keys that the dictionary lacks.
  var exception: NarrowestException {
    let present = isNew ? [:] : base.reportedKeys
    return .entry(host: base.key, keys: entry.reportedKeys.filter { present[$0.key] != $0.value })
  }

  /// Whether the change includes all of another.
  func includes(_ other: EntryChange) -> Bool {
    (other.minimum == nil || minimum == other.minimum) && (!other.noForwardSecrecy || noForwardSecrecy) && (!other.insecure || insecure)
      && (!other.liftsNIAP || liftsNIAP)
  }
}

extension ExceptionEntry {
  /// The keys with their values as reports represent them.
  fileprivate var reportedKeys: [String: NarrowestException.Value] {
    var keys: [String: NarrowestException.Value] = [:]
    keys[ATSKeys.insecureLoads] = settings.allowsInsecureHTTPLoads.map { .boolean($0) }
    keys[ATSKeys.minimumTLSVersion] = settings.minimumTLSVersion.map { .string($0) }
    keys[ATSKeys.forwardSecrecy] = settings.requiresForwardSecrecy.map { .boolean($0) }
    keys[ATSKeys.certificateTransparency] = requiresCertificateTransparency.map { .boolean($0) }
    keys[ATSKeys.exceptionNIAP] = requiredNIAPPackage.map { .string($0.rawValue) }
    return keys
  }
}

/// A change of the dictionary.
private enum Candidate {
  case entry(EntryChange)
  /// A global key that is set to YES.
  case global(String, WritableKeyPath<ATSDictionary, Bool?>)

  static var localNetworking: Candidate { .global(ATSKeys.localNetworking, \.allowsLocalNetworking) }
  static var webContent: Candidate { .global(ATSKeys.arbitraryLoadsInWebContent, \.allowsArbitraryLoadsInWebContent) }
  static var media: Candidate { .global(ATSKeys.arbitraryLoadsForMedia, \.allowsArbitraryLoadsForMedia) }
  static var arbitraryLoads: Candidate { .global(ATSKeys.arbitraryLoads, \.allowsArbitraryLoads) }

  /// The change in the representation of reports.
  var exception: NarrowestException {
    switch self {
    case .entry(let change): change.exception
    case .global(let key, _): .global(key: key, value: true)
    }
  }

  /// Whether the change includes all of another change to the same entry, or is the same global key.
  func includes(_ other: Candidate) -> Bool {
    switch (self, other) {
    case (.entry(let change), .entry(let part)): change.includes(part)
    case (.global(let key, _), .global(let same, _)): key == same
    default: false
    }
  }

  func applied(to dictionary: ATSDictionary?) -> ATSDictionary {
    var changed = dictionary ?? ATSDictionary()
    switch self {
    case .global(_, let path): changed[keyPath: path] = true
    case .entry(let change): changed.set(change.entry)
    }
    return changed
  }
}

extension EffectivePolicy {
  /// Whether a device offers more under this policy than under another, in the respect in which the server refused.
  fileprivate func offersMore(than other: EffectivePolicy, where failing: [Finding]) -> Bool {
    let (offer, before) = (DeviceOffer(self), DeviceOffer(other))
    return failing.contains { finding in
      switch finding.rule {
      case .tlsVersion: !Set(offer.versions).isSubset(of: before.versions)
      case .cipherSuite: !Set(offer.suites).isSubset(of: before.suites)
      default: false
      }
    }
  }
}
