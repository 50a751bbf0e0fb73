import PolicyResolution

/// Checks that rely on captures, and one for which the file itself may be sufficient.
extension Linter {
  mutating func checkEvidence() {
    let resolver = PolicyResolver(dictionary: list.ats)
    var users: [String: [SeenHost]] = [:]
    for host in seen {
      let policy = resolver.policy(for: PolicyRequest(host: host.host, release: release))
      if let entry = policy.matchedEntry, !policy.matchedBuiltIn { users[entry, default: []].append(host) }
      if host.usedInWebView, policy.leafPins != nil || policy.caPins != nil {
        add(.pinWeb, at: Linter.pins, "\(host.host.text ?? "") was loaded in a web view, where its pins are not enforced")
      }
    }
    for entry in ats.exceptionDomains { checkUse(of: entry, by: users[entry.key] ?? []) }
    checkDepth(resolver)
  }

  private mutating func checkUse(of entry: ExceptionEntry, by hosts: [SeenHost]) {
    guard !seen.isEmpty, !HostKeyFault.hasBuildVariable(entry.key) else { return }
    let path = Linter.exceptions / entry.key
    if hosts.isEmpty {
      // A load of an unknown host may have used it.
      if seen.contains(where: { $0.host.text == nil }) { return }
      add(.unused, at: path, "no observed load used the entry", suggestion: "remove the entry if it is not needed")
    } else if entry.allowsInsecureHTTPLoads(in: release)?.value == true,
      hosts.allSatisfy({ $0.usedTLS && !$0.usedCleartext })
    {
      add(
        .insecureHTTPS, at: path / ATSKeys.insecureLoads, "cleartext is allowed, but only HTTPS was observed", suggestion: "remove the key")
    }
  }

  /// Reports hosts from captures or pins that are more than one label below the entry that applies to them.
  private mutating func checkDepth(_ resolver: PolicyResolver) {
    var reported: Set<String> = []
    for host in seen.map(\.host) + ats.pinnedDomains.map({ HostIdentity($0.key) }) {
      guard let name = host.text, name.utf8.count <= 1024 else { continue }
      let policy = resolver.policy(for: PolicyRequest(host: host, release: release))
      guard let entry = policy.matchedEntry, !policy.matchedBuiltIn, Linter.labels(of: name, below: entry) > 1,
        reported.insert(entry).inserted
      else { continue }
      add(
        .subdomainsDepth, at: Linter.exceptions / entry / ATSKeys.includesSubdomains,
        "\(name) is more than one label below; systems cover it, but the documentation promises only one label",
        suggestion: "list the nearer parent too")
    }
  }
}
