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
      let strict = entry.demands(in: release)
      var alone = result
      alone.exceptionDomains = [strict]
      let request = PolicyRequest(host: entry.anyHost, release: release)
      let with = PolicyResolver(dictionary: alone).policy(for: request)
      // An entry that allows cleartext requires what its keys say, but adds no requirement by its mere presence.
      let isLax = entry.allowsInsecureHTTPLoads(in: release)?.value == true
      // A stricter key stays even if this release does not read it, because others do.
      if strict.hasDemand || !isLax && with.asksMore(than: without.policy(for: request)) {
        result.exceptionDomains.append(strict)
      }
    }
    return result
  }
}

extension ExceptionEntry {
  /// The entry with only those keys that require more.
  func demands(in release: SystemRelease) -> ExceptionEntry {
    var result = ExceptionEntry(key: key, includesSubdomains: includesSubdomains == true ? true : nil)
    let minimum = minimumTLSVersion(in: release)?.value
    if let minimum, TLSVersionText.version(of: minimum) == .tls13 {
      result.settings.minimumTLSVersion = minimum
    }
    if let package = requiredNIAPPackage, package.isDemand { result.requiredNIAPPackage = package }
    if requiresCertificateTransparency == true { result.requiresCertificateTransparency = true }
    return result
  }

  /// Whether a key requires more than default ATS.
  var hasDemand: Bool {
    settings.minimumTLSVersion.flatMap(TLSVersionText.version) == .tls13
      || requiredNIAPPackage?.isDemand == true || requiresCertificateTransparency == true
  }

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
    return requiresHTTPS && !other.requiresHTTPS || effectiveMinimumTLSVersion.rawValue > other.effectiveMinimumTLSVersion.rawValue
      || requiresNIAPPackage && !other.requiresNIAPPackage
      || transparencyKeyInForce && !other.transparencyKeyInForce
      || requiresForwardSecrecy && !other.requiresForwardSecrecy
  }
}
