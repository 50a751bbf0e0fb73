extension ATSDictionary {
  /// The dictionary with those exceptions alone that can concern a host: its own, those of the names above it, and ranges. Its policy
  /// is the same under both.
  package func concerning(_ host: HostIdentity) -> ATSDictionary {
    guard let text = host.normalized.text else { return self }
    let name = Array(text.utf8)
    var changed = self
    changed.exceptionDomains.removeAll { entry in
      guard !entry.isRange, entry.key.utf8.count <= name.count else { return !entry.isRange }
      return !name.suffix(entry.key.utf8.count).elementsEqual(entry.key.utf8)
    }
    return changed
  }
}
