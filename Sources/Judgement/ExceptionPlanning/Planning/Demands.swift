import PolicyResolution

extension ATSDictionary {
  /// What of a dictionary asks for more than ATS does by itself: a plan keeps it and adds what is needed.
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
      let isRelaxed = entry.allowsInsecureHTTPLoads(in: release)?.value == true
      if with.asksMore(than: without.policy(for: request), countingCleartext: !isRelaxed) {
        result.exceptionDomains.append(strict)
      }
    }
    return result
  }
}

extension ExceptionEntry {
  /// The entry with those of its keys alone that ask for more.
  fileprivate func demands(in release: SystemRelease) -> ExceptionEntry {
    var result = ExceptionEntry(key: key, includesSubdomains: includesSubdomains)
    let minimum = minimumTLSVersion(in: release)?.value
    if let minimum, TLSVersionText.version(of: minimum) == 0x0304 {
      result.settings.minimumTLSVersion = minimum
    }
    if let package = requiredNIAPPackage, package.isDemand { result.requiredNIAPPackage = package }
    if requiresCertificateTransparency == true { result.requiresCertificateTransparency = true }
    return result
  }

  /// A host that the entry serves.
  fileprivate var anyHost: HostIdentity {
    if isRange { return (try? AddressRange(key: key)).map { .address($0.network) } ?? .unknown }
    return HostIdentity(key)
  }
}

extension EffectivePolicy {
  /// Whether a session could be refused under this policy that the other allows.
  fileprivate func asksMore(than other: EffectivePolicy, countingCleartext: Bool) -> Bool {
    if matchedEntry == nil || matchedBuiltIn { return false }
    return countingCleartext && httpsRequired && !other.httpsRequired
      || leastTLSVersion > other.leastTLSVersion
      || niapPackageRequired && !other.niapPackageRequired
      || transparencyKeyInForce && !other.transparencyKeyInForce
      || countingCleartext && forwardSecrecyRequired && !other.forwardSecrecyRequired
  }
}
