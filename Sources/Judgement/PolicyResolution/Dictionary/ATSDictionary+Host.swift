import ByteParsing

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
}
