extension ATSDictionary {
  /// The dictionary with those exceptions alone that can concern a host: its own, those of the names above it, and ranges. Its policy
  /// is the same under both.
  package func concerning(_ host: HostIdentity) -> ATSDictionary {
    guard let text = host.normalized.text else { return self }
    let name = Array(text.utf8)
    var changed = self
    changed.exceptionDomains = exceptionDomains.filter { entry in
      let key = entry.key.utf8
      if key.count <= name.count, name.suffix(key.count).elementsEqual(key) { return true }
      // A range ends with its length.
      return key.last.map { (0x30...0x39).contains($0) } ?? false && entry.isRange
    }
    return changed
  }
}
