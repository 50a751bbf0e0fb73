import PolicyResolution

/// Finds the smallest change of a dictionary that allows a failing session (policy text C.7).
struct NarrowestExceptionSearch {
  /// The dictionary as it is; nil for none.
  let dictionary: ATSDictionary?

  let isAddress: Bool

  /// Whether the capture does not show what names the host.
  let isHostHidden: Bool

  /// Whether app code is taken to accept what trust evaluation refuses, where ATS leaves that to it.
  let appOverridesTrust: Bool

  /// The policy of the session's host under another dictionary.
  let policyUnder: (ATSDictionary) -> EffectivePolicy

  /// The evaluation of the session under another policy.
  let evaluate: (EffectivePolicy) -> Evaluation

  /// Whether a key would help if app code were taken to accept what trust evaluation refuses.
  let wouldOverrideHelp: () -> Bool

  /// The exception for a session with these findings; nil where none is needed.
  func search(_ findings: [Finding], policy: EffectivePolicy) -> NarrowestException? {
    let failing = findings.those(.fail).filter(\.required)
    guard !failing.isEmpty else { return nil }
    let beyondKeys = failing.filter { finding in
      finding.fatality == .certain || !RuleTable.mandatory.contains { type(of: $0).id == finding.id && isKeyable($0) }
    }
    guard beyondKeys.isEmpty else { return impossible(beyondKeys, policy, isListable: true, mayHelp: []) }
    let keyable = RuleTable.mandatory.filter(isKeyable)
    var mayHelp: [Candidate] = []
    // What fails under every candidate; the others only fail together.
    var unlifted = Set(failing.map(\.id))
    for candidate in candidates(policy, failing) {
      let changed = policyUnder(candidate.applied(to: dictionary))
      let evaluation = evaluate(changed)
      let isExempt = evaluation.exemption != nil
      let found = evaluation.findings(of: keyable)
      // With ATS off the system refuses SSL 3.0 and suites that it never offers all the same.
      let stillFailing = found.filter {
        isExempt ? $0.refusesWithoutATS : $0.required && $0.outcome == .fail
      }
      unlifted.formIntersection(stillFailing.map(\.id))
      if !stillFailing.isEmpty { continue }
      if !found.hides(failing) { return candidate.exception }
      let isBroader = mayHelp.contains { candidate.includes($0) }
      if !isBroader, changed.offersMore(than: policy, where: failing) { mayHelp.append(candidate) }
    }
    let decisive = failing.filter { unlifted.contains($0.id) }
    return impossible(
      decisive.isEmpty ? failing : decisive, policy, isListable: listableHost(policy) != nil,
      mayHelp: mayHelp.map(\.exception))
  }

  /// Whether a key can allow what a rule refuses. Where app code is taken to override trust, one that leaves trust to it
  /// allows what trust evaluation refuses.
  private func isKeyable(_ rule: any Rule) -> Bool {
    let kind = type(of: rule)
    return kind.setting != nil && !(rule is PinRule) || appOverridesTrust && kind.isTrustEvaluation
  }

  private func impossible(
    _ failing: [Finding], _ policy: EffectivePolicy, isListable: Bool, mayHelp: [NarrowestException]
  ) -> NarrowestException {
    .impossible(
      reason: reason(failing, policy, isListable: isListable, mayHelp: !mayHelp.isEmpty),
      rules: failing.map(\.id), mayHelp: mayHelp)
  }

  /// Why no key is known to help, and what would.
  private func reason(
    _ failing: [Finding], _ policy: EffectivePolicy, isListable: Bool, mayHelp: Bool
  ) -> String {
    let what =
      failing.compactMap(\.observed).joined(separator: "; ")
      + (isListable
        ? "" : ", of a host that \(isHostHidden ? "the capture does not show" : "the request does not name")")
    let isOpen = mayHelp || !isListable && isHostHidden
    var advice: [String] = []
    func add(_ text: String) { if !advice.contains(text) { advice.append(text) } }
    for finding in failing {
      if let fix = finding.fix { add(fix) }
      switch finding.id {
      case CertificateHostRule.id: add("or load a host that the certificate names")
      case PinRule.id: add("or remove the pin")
      // If the app's own key requires SCTs, it does so for every issuer.
      case CertificateTransparencyRule.id where policy.transparencyKeyInForce:
        add("or remove \(ATSKeys.transparency)")
      default: break
      }
    }
    var text = "no key of NSAppTransportSecurity \(isOpen ? "is known to allow" : "allows") this: \(what)."
    if !advice.isEmpty { text += " Fix: \(advice.joined(separator: "; "))." }
    if mayHelp {
      text +=
        " A device offers more under less strict keys than this client did, which may help; the capture does not show it."
    }
    if wouldOverrideHelp() {
      text +=
        " For a development server, NSExceptionAllowsInsecureHTTPLoads lets app code accept the certificate; "
        + "--assume app-overrides-trust finds the keys."
    }
    return text
  }

  /// What to try, from the narrowest on.
  private func candidates(_ policy: EffectivePolicy, _ failing: [Finding]) -> [Candidate] {
    var list: [Candidate] = []
    if let host = listableHost(policy) {
      let liftsNIAP = failing.contains { $0.id == NIAPRule.id }
      func entry(_ change: EntryChange) {
        var change = change
        change.liftsNIAP = liftsNIAP
        list.append(.entry(host: host, change))
      }
      // What an entry for the parent or a range demands goes with any entry of the host's own.
      if let matched = policy.matchedEntry, matched != host {
        list.append(.entry(host: host, EntryChange()))
      }
      if liftsNIAP { entry(EntryChange()) }
      entry(EntryChange(noForwardSecrecy: true))
      // A key of the app's own may have raised the minimum; then what was the default is the narrowest
      // change.
      let raised = policy.leastTLSVersion > 0x0303 ? ["TLSv1.2"] : []
      for minimum in raised + ["TLSv1.1", "TLSv1.0"] { entry(EntryChange(minimum: minimum)) }
      for minimum in raised + ["TLSv1.1", "TLSv1.0"] {
        entry(EntryChange(minimum: minimum, noForwardSecrecy: true))
      }
      if policy.isDirect, dictionary?.allowsLocalNetworking == false { list.append(.localNetworking) }
      entry(EntryChange(insecure: true))
      entry(EntryChange(noForwardSecrecy: true, insecure: true))
      let minimums = raised + ["TLSv1.1", "TLSv1.0"]
      // Leaving trust to the app goes together with a lower version alone as well.
      if appOverridesTrust {
        for minimum in minimums { entry(EntryChange(minimum: minimum, insecure: true)) }
      }
      for minimum in minimums {
        entry(EntryChange(minimum: minimum, noForwardSecrecy: true, insecure: true))
      }
      return list
    }
    if policy.isDirect, dictionary?.allowsLocalNetworking == false { list.append(.localNetworking) }
    // What follows is for hosts that cannot be listed.
    if policy.context == .web { list.append(.webContent) }
    if policy.context == .media { list.append(.media) }
    if !policy.release.readsNarrowGlobalKeys, policy.host != nil { list.append(.arbitraryLoads) }
    return list
  }

  /// The key of an entry for the host; nil where no entry can name it.
  private func listableHost(_ policy: EffectivePolicy) -> String? {
    guard let host = policy.host, !host.isEmpty else { return nil }
    if isAddress, !policy.release.readsAddressKeys { return nil }
    return host
  }
}

/// Keys of an entry to set.
private struct EntryChange {
  var minimum: String?
  var noForwardSecrecy = false
  var insecure = false
  var liftsNIAP = false

  var keys: [String: NarrowestException.Value] {
    var keys: [String: NarrowestException.Value] = [:]
    if let minimum { keys[ATSKeys.minimumTLSVersion] = .string(minimum) }
    if noForwardSecrecy { keys[ATSKeys.forwardSecrecy] = .boolean(false) }
    if insecure { keys[ATSKeys.insecureLoads] = .boolean(true) }
    if liftsNIAP { keys[ATSKeys.exceptionNIAP] = .string("none") }
    return keys
  }
}

/// A change of a dictionary.
private enum Candidate {
  case entry(host: String, EntryChange)
  case localNetworking, webContent, media, arbitraryLoads

  /// The change as reports show it.
  var exception: NarrowestException {
    switch self {
    case .entry(let host, let change): .entry(host: host, keys: change.keys)
    case .localNetworking: .global(key: ATSKeys.localNetworking, value: true)
    case .webContent: .global(key: ATSKeys.inWebContent, value: true)
    case .media: .global(key: ATSKeys.forMedia, value: true)
    case .arbitraryLoads: .global(key: ATSKeys.arbitraryLoads, value: true)
    }
  }

  /// Whether the change makes all of another change, to the same entry.
  func includes(_ other: Candidate) -> Bool {
    guard case .entry(_, let change) = self, case .entry(_, let part) = other else { return false }
    return part.keys.allSatisfy { change.keys[$0.key] == $0.value }
  }

  /// The dictionary with the change; an entry that is there already keeps its other keys.
  func applied(to dictionary: ATSDictionary?) -> ATSDictionary {
    var changed = dictionary ?? ATSDictionary()
    switch self {
    case .localNetworking: changed.allowsLocalNetworking = true
    case .webContent: changed.allowsArbitraryLoadsInWebContent = true
    case .media: changed.allowsArbitraryLoadsForMedia = true
    case .arbitraryLoads: changed.allowsArbitraryLoads = true
    case .entry(let host, let change):
      let index = changed.exceptionDomains.firstIndex { $0.key == host }
      var entry = index.map { changed.exceptionDomains[$0] } ?? ExceptionEntry(key: host)
      if let minimum = change.minimum { entry.settings.minimumTLSVersion = minimum }
      if change.noForwardSecrecy { entry.settings.requiresForwardSecrecy = false }
      if change.insecure { entry.settings.allowsInsecureHTTPLoads = true }
      if change.liftsNIAP { entry.requiredNIAPPackage = NIAPPackage.none }
      if let index { changed.exceptionDomains[index] = entry } else { changed.exceptionDomains.append(entry) }
    }
    return changed
  }
}

extension EffectivePolicy {
  /// Whether a device offers more under this policy than under another of what a server's refusal was about.
  fileprivate func offersMore(than other: EffectivePolicy, where failing: [Finding]) -> Bool {
    let (offer, before) = (DeviceOffer(self), DeviceOffer(other))
    return failing.contains { finding in
      switch finding.id {
      case TLSVersionRule.id: !Set(offer.versions).isSubset(of: before.versions)
      case CipherSuiteRule.id: !Set(offer.suites).isSubset(of: before.suites)
      default: false
      }
    }
  }
}
