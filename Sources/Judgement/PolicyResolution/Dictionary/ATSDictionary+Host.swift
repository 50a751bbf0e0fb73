import ByteParsing
import TLSParsing

extension ATSDictionary {
  /// The dictionary reduced to the exceptions that can apply to a host: its own, those of its parent names, and ranges. The policy for the
  /// host is the same.
  package func concerning(_ host: HostIdentity) -> ATSDictionary {
    guard let text = host.normalized.text else { return self }
    let name = Array(text.utf8)
    var changed = self
    changed.exceptionDomains = exceptionDomains.filter { entry in
      let key = entry.key.utf8
      if key.count <= name.count, name.suffix(key.count).elementsEqual(key) { return true }
      // A range ends with its prefix length.
      return key.last.map(isDigit) ?? false && entry.isRange
    }
    return changed
  }

  /// The entry from which an exception for one host begins; nil if no entry of the release can name the host.
  ///
  /// It is the entry with exactly this key, if there is one. Otherwise it is a new one with the requirements and exceptions of the entry
  /// that applies to the host, for a parent name, for a range or of the system, because the new one replaces that one entirely (policy
  /// text B.3).
  package func entry(for host: HostIdentity, in release: SystemRelease) -> ExceptionEntry? {
    guard let key = host.exceptionKey(in: release) else { return nil }
    if let own = exceptionDomains.first(where: { $0.key == key }) { return own }
    let match = PolicyResolver(dictionary: concerning(host)).findEntry(for: host, in: release)
    return match?.entry.settings.copy(key: key, in: release) ?? ExceptionEntry(key: key)
  }

  /// Replaces the entry with the same key, or adds a new one.
  package mutating func set(_ entry: ExceptionEntry) {
    if let index = exceptionDomains.firstIndex(where: { $0.key == entry.key }) {
      exceptionDomains[index] = entry
    } else {
      exceptionDomains.append(entry)
    }
  }
}

extension ExceptionEntry {
  /// An entry for another key, and for no subdomains, that requires and allows what the release reads in this one. Values that are the
  /// defaults, or that the system does not understand, are left out.
  fileprivate func copy(key: String, in release: SystemRelease) -> ExceptionEntry {
    var copy = ExceptionEntry(key: key, requiredNIAPPackage: requiredNIAPPackage)
    if allowsInsecureHTTPLoads(in: release)?.value == true { copy.settings.allowsInsecureHTTPLoads = true }
    if requiresForwardSecrecy(in: release)?.value == false { copy.settings.requiresForwardSecrecy = false }
    if requiresCertificateTransparency == true { copy.requiresCertificateTransparency = true }
    if let minimum = minimumTLSVersion(in: release)?.value, let version = TLSVersionText.version(of: minimum), version != .tls12,
      !version.isDTLS
    {
      copy.settings.minimumTLSVersion = minimum
    }
    return copy
  }
}
