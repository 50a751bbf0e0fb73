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
  /// It is the entry with exactly this key, if there is one. Otherwise it is a new one with the requirements of the entry that applies to
  /// the host, for a parent name, for a range or of the system, because the new one replaces that one entirely (policy text B.3).
  package func entry(for host: HostIdentity, in release: SystemRelease) -> ExceptionEntry? {
    guard let key = host.exceptionKey(in: release) else { return nil }
    if let own = exceptionDomains.first(where: { $0.key == key }) { return own }
    return entryInForce(for: host, in: release)?.demands(in: release, of: key) ?? ExceptionEntry(key: key)
  }

  /// The entry that applies to a host: its own, that of a parent name, of a range or of the system; nil if there is none.
  package func entryInForce(for host: HostIdentity, in release: SystemRelease) -> ExceptionEntry? {
    PolicyResolver(dictionary: concerning(host)).findEntry(for: host, in: release)?.entry.exception
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
  /// An entry for a key with only those settings of this one that require more than default ATS. It is for subdomains only if this one,
  /// for the same key, is. An entry for another key lacks NSRequiresCertificateTransparency if the release does not read it.
  package func demands(in release: SystemRelease, of key: String) -> ExceptionEntry {
    var result = ExceptionEntry(key: key, includesSubdomains: key == self.key && includesSubdomains == true ? true : nil)
    let minimum = minimumTLSVersion(in: release)?.value
    if let minimum, TLSVersionText.version(of: minimum) == .tls13 {
      result.settings.minimumTLSVersion = minimum
    }
    if let package = requiredNIAPPackage, package.isDemand { result.requiredNIAPPackage = package }
    if requiresCertificateTransparency == true, key == self.key || release.readsTransparencyKey {
      result.requiresCertificateTransparency = true
    }
    return result
  }
}
