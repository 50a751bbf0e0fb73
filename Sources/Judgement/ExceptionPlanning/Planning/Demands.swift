import PolicyResolution
import TLSParsing

extension ATSDictionary {
  /// The part of a dictionary that requires more than default ATS. A plan keeps it and adds what is needed.
  func demands(in release: SystemRelease) -> ATSDictionary {
    var result = ATSDictionary()
    result.pinnedDomains = pinnedDomains
    if let package = requiredNIAPPackage, package.isDemand { result.requiredNIAPPackage = package }
    if allowsLocalNetworking == false { result.allowsLocalNetworking = false }
    let without = PolicyResolver(dictionary: result)
    for entry in exceptionDomains {
      let strict = entry.demands(in: release, of: entry.key)
      var alone = result
      alone.exceptionDomains = [strict]
      let request = PolicyRequest(host: entry.anyHost, release: release)
      let with = PolicyResolver(dictionary: alone).policy(for: request)
      // A stricter key stays even if this release does not read it, because others do.
      if strict.hasDemand || !entry.isLax(in: release) && with.asksMore(than: without.policy(for: request)) {
        result.exceptionDomains.append(strict)
      }
    }
    return result
  }
}

extension ExceptionPlanner {
  /// The entries that the plan lacks, so that it requires less of a host than the app's settings do: entries of the app, and new ones for
  /// hosts of the captures to which an entry of the app applies. Hosts that the plan itself is about are left out.
  func lostEntries(_ samples: SessionSamples) -> [ExceptionEntry] {
    guard let present, !present.exceptionDomains.isEmpty else { return [] }
    let before = PolicyResolver(dictionary: present)
    let after = PolicyResolver(dictionary: dictionary)
    var known = Set((start.exceptionDomains + dictionary.exceptionDomains).map(\.key) + webContentHosts)
    var lost: [ExceptionEntry] = []
    func add(_ key: String, _ host: HostIdentity, _ entry: @autoclosure () -> ExceptionEntry?) {
      guard !known.contains(key), hasLost(host, from: before, to: after), let entry = entry() else { return }
      let strict = entry.demands(in: release, of: key)
      guard strict.hasDemand || !entry.isLax(in: release) else { return }
      known.insert(key)
      lost.append(strict)
    }
    for entry in present.exceptionDomains { add(entry.key, entry.anyHost, entry) }
    // An entry of the app may suffice for the hosts below it.
    if !lost.isEmpty { return lost }
    for host in samples.hosts {
      guard let key = host.identity.exceptionKey(in: release) else { continue }
      add(key, host.identity, present.entryInForce(for: host.identity, in: release))
    }
    return lost
  }

  /// Whether an entry requires something of a host, in any context, that is no longer required.
  private func hasLost(_ host: HostIdentity, from before: PolicyResolver, to after: PolicyResolver) -> Bool {
    LoadContext.allCases.contains { context in
      let request = PolicyRequest(host: host, context: context, release: release)
      return before.policy(for: request).asksMore(than: after.policy(for: request))
    }
  }
}

extension ExceptionEntry {
  /// Whether the entry allows cleartext. Such an entry requires what its keys say, but adds no requirement by its mere presence.
  func isLax(in release: SystemRelease) -> Bool { allowsInsecureHTTPLoads(in: release)?.value == true }

  /// Whether a key requires more than default ATS.
  var hasDemand: Bool {
    requiresTLS13 || requiredNIAPPackage?.isDemand == true || requiresCertificateTransparency == true
  }

  /// Whether the minimum version is TLS 1.3.
  var requiresTLS13: Bool { settings.minimumTLSVersion.flatMap(TLSVersionText.version) == .tls13 }

  /// A host to which the entry applies.
  fileprivate var anyHost: HostIdentity {
    if isRange { return (try? AddressRange(key: key)).map { .address($0.network) } ?? .unknown }
    return HostIdentity(key)
  }
}

extension EffectivePolicy {
  /// Whether this policy could refuse a session that the other allows.
  fileprivate func asksMore(than other: EffectivePolicy) -> Bool {
    if matchedEntry == nil || matchedBuiltIn { return false }
    // A DTLS version refuses no TLS version for sure.
    let (minimum, least) = (effectiveMinimumTLSVersion, other.effectiveMinimumTLSVersion)
    return requiresHTTPS && !other.requiresHTTPS || !minimum.isDTLS && !least.isDTLS && minimum.rawValue > least.rawValue
      || requiresNIAPPackage && !other.requiresNIAPPackage || transparencyKeyInForce && !other.transparencyKeyInForce
      || requiresForwardSecrecy && !other.requiresForwardSecrecy
  }
}
