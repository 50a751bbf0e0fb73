import Values

/// The entries of NSPinnedDomains, indexed for lookup (policy text B.12).
struct PinIndex: Sendable {
  /// The entries by lowercase key. Letter case does not matter here, so several entries may share a key.
  private var byKey: [String: [PinnedDomain]] = [:]

  var isEmpty: Bool { byKey.isEmpty }

  init(_ domains: [PinnedDomain]) {
    for domain in domains where HostKeyFault(pinned: domain.key) == nil {
      byKey[domain.key.asciiLowercase, default: []].append(domain)
    }
  }

  /// All entries that apply to the host: those for its name, and those for its parent that include subdomains. The host must be in
  /// lowercase and without a final dot.
  func find(host: String) -> [PinnedDomain] {
    if isEmpty || host.isEmpty { return [] }
    var serving = byKey[host] ?? []
    if let dot = host.firstIndex(of: ".") {
      serving += (byKey[String(host[host.index(after: dot)...])] ?? []).filter(\.includesSubdomains)
    }
    return serving
  }
}
