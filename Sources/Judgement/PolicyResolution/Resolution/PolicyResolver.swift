import Values

/// Resolves the effective policy of hosts under one dictionary (policy text C).
///
/// The result depends only on the request, so callers may cache it by host.
package struct PolicyResolver: Sendable {
  /// The dictionary; nil if the program has none.
  package let dictionary: ATSDictionary?

  let entries: EntryIndex
  let pinnedDomains: PinIndex

  package init(dictionary: ATSDictionary? = nil) {
    self.dictionary = dictionary
    entries = EntryIndex(dictionary?.exceptionDomains ?? [])
    pinnedDomains = PinIndex(dictionary?.pinnedDomains ?? [])
  }

  /// The policy for a host, with a reason for each setting.
  package func policy(for request: PolicyRequest) -> EffectivePolicy {
    var request = request
    request.host = request.host.normalized
    let direct = directness(of: request)
    var policy = EffectivePolicy(host: request.host.text)
    policy.isDirect = direct.isDirect
    policy.release = request.release
    policy.context = request.context
    policy.contextSource = request.contextSource
    policy.systemMinimumTLSVersion = request.release.systemMinimumTLSVersion(sdk: request.sdk ?? request.release)
    if let note = direct.note { policy.add(.isDirect, note) }

    if let problem = whyNotGoverned(request) {
      policy.isGoverned = false
      policy.switchOff(GlobalDecision(false, problem))
      return policy
    }
    let match = findEntry(for: request.host, in: request.release)
    if let match {
      apply(match, to: &policy)
    } else {
      policy.add(.matchedEntry, "no entry of NSExceptionDomains matches the host")
      let decision = globalDecision(request, isDirect: direct.isDirect)
      if decision.httpsRequired {
        policy.setStrict(because: decision)
      } else {
        policy.switchOff(decision)
      }
    }
    applyPins(to: &policy, host: request.host)
    applyNIAP(to: &policy, entry: match?.entry.exception)
    return policy
  }

  /// The entry that applies to the host; nil if there is none, or if the release does not read such keys.
  func findEntry(for host: HostIdentity, in release: SystemRelease) -> EntryIndex.Match? {
    switch host {
    case .name(let name): entries.find(host: name)
    case .address(let address, let written):
      release.readsAddressKeys ? entries.find(address: address, text: written ?? address.description) : nil
    case .unknown: nil
    }
  }

  private func whyNotGoverned(_ request: PolicyRequest) -> String? {
    if !request.release.hasATS { return "\(request.release.displayName) has no ATS" }
    if let sdk = request.sdk, !sdk.hasATS { return "the program was linked with the \(sdk.displayName) SDK, which predates ATS" }
    return nil
  }

  private func directness(of request: PolicyRequest) -> (isDirect: Bool, note: String?) {
    if let given = request.isDirect { return (given, "treated as \(given ? "local" : "not local") (--direct)") }
    switch request.host {
    case .name(let name): return (LocalDestination.isDirect(name: name), nil)
    case .address(let address, _):
      return (LocalDestination.isDirect(address: address), LocalDestination.assumption(address: address))
    case .unknown: return (false, "treated as not local because the host is not known")
    }
  }
}
