/// The entries of NSPinnedDomains, ready for lookup (policy text B.12).
struct PinIndex: Sendable {
  /// The entries by key in lower case: here case does not matter, so that several may share one.
  private var byKey: [String: [PinnedDomain]] = [:]

  var isEmpty: Bool { byKey.isEmpty }

  init(_ domains: [PinnedDomain]) {
    for domain in domains where HostKeyFault(pinned: domain.key) == nil {
      byKey[HostIdentity.lowercased(domain.key), default: []].append(domain)
    }
  }

  /// All entries that serve the host, which is in lower case and has no dot at its end any more: those of its
  /// name, and those of its parent that include subdomains.
  func find(host: String) -> [PinnedDomain] {
    if isEmpty || host.isEmpty { return [] }
    var serving = byKey[host] ?? []
    if let dot = host.firstIndex(of: ".") {
      serving += (byKey[String(host[host.index(after: dot)...])] ?? []).filter(\.includesSubdomains)
    }
    return serving
  }
}
