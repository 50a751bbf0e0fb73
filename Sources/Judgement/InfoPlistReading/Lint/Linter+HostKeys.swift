import PolicyResolution
import PropertyLists
import Values

/// Checks the spelling of hosts.
extension Linter {
  mutating func checkKeysOfHosts() {
    for (entry, _) in listedEntries {
      let path = Linter.exceptions / entry.key
      let isHost = !checkSyntax(entry.key, at: path)
      if isHost, entry.isRange { continue }
      checkCase(entry.key, isHost: isHost, at: path)
      guard isHost else { continue }
      if let address = IPAddress(entry.key) {
        checkAddress(entry, address, at: path)
        continue
      }
      if HostKeyFault.isFalseAddress(entry.key) {
        add(
          .addressForm, at: path, "the key is not an address in its usual notation, and matches only URLs with the same text",
          suggestion: "write four decimal numbers up to 255, without leading zeros")
      }
      checkDots(entry.key, at: path)
      checkReach(entry, at: path)
    }
    for key in ats.pinnedDomains.map(\.key) + unreadKeys(of: ATSKeys.pinnedDomains) {
      let path = Linter.pins / key
      if checkSyntax(key, at: path) { continue }
      checkDots(key, at: path)
    }
    checkDuplicates()
  }

  /// The entries, including those that are ignored because they are not dictionaries; their keys can still be wrong.
  var listedEntries: [(entry: ExceptionEntry, isRead: Bool)] {
    ats.exceptionDomains.map { ($0, true) }
      + unreadKeys(of: ATSKeys.exceptionDomains).map { (ExceptionEntry(key: $0), false) }
  }

  /// The hosts whose entries are not dictionaries.
  private func unreadKeys(of domains: String) -> [String] {
    let entries = written[domains]?.dictionary?.entries ?? []
    return entries.filter { $0.value.dictionary == nil && !ATSKeys.isSetting($0.key) }.map(\.key)
  }

  /// Reports a fault that makes a key no host at all, and returns whether there was one.
  private mutating func checkSyntax(_ key: String, at path: SettingPath) -> Bool {
    let fault = path.isOfPins ? HostKeyFault(pinned: key) : HostKeyFault(syntaxOf: key)
    switch fault {
    case .buildVariable?: reportVariable(in: "key", at: path, line: line(of: path))
    case .wildcard?:
      add(.keyWildcard, at: path, HostKeyFault.wildcard.consequence, suggestion: replacement(forWildcard: key, isPin: path.isOfPins))
    case .url?:
      add(.keyURL, at: path, fault?.consequence ?? "", suggestion: Linter.replacement(forURL: key, isPin: path.isOfPins))
    case .notASCII?:
      let ascii = HostIdentity(key).text ?? ""
      add(
        .keyIDN, at: path, HostKeyFault.notASCII.consequence,
        suggestion: ascii.utf8.allSatisfy { $0 < 0x80 } ? "write \(ascii)" : "write the A-labels (xn--…)")
    default: return false
    }
    return true
  }

  private mutating func checkCase(_ key: String, isHost: Bool, at path: SettingPath) {
    guard key.utf8.contains(where: { (0x41...0x5A).contains($0) }), !HostKeyFault.hasBuildVariable(key) else { return }
    add(
      .keyCase, at: path, HostKeyFault.capital.consequence,
      suggestion: isHost ? HostIdentity(key).text.map { "write \($0)" } : nil)
  }

  private mutating func checkDots(_ key: String, at path: SettingPath) {
    if HostKeyFault.hasEmptyLabel(key) {
      add(
        .keyDot, at: path, HostKeyFault.emptyLabel.consequence,
        suggestion: key.utf8.contains { $0 != UInt8(ascii: ".") } ? "write the host without it" : "write a host, or remove the entry")
    } else if key.hasSuffix(".") {
      add(
        .keyDot, at: path,
        path.isOfPins
          ? "a trailing dot is removed from the host but not from the key, so the entry never matches"
          : "the entry matches only if the URL has the dot too", suggestion: "write \(key.dropLast())")
    }
  }

  private mutating func checkAddress(_ entry: ExceptionEntry, _ address: IPAddress, at path: SettingPath) {
    checkAddressTarget(at: path)
    if entry.key.lowercased() != address.description {
      add(
        .addressForm, at: path, "addresses are compared as text; the usual notation of this one is \(address)",
        suggestion: "write \(address)")
    }
    checkSubdomains(of: entry, at: path)
  }

  mutating func checkAddressTarget(at path: SettingPath) {
    guard let reason = notRead(before: 17) else { return }
    add(.addressOld, at: path, "\(reason) this entry; addresses and ranges are read from iOS 17 and macOS 14")
  }

  mutating func checkSubdomains(of entry: ExceptionEntry, at path: SettingPath) {
    if entry.includesSubdomains != nil {
      add(.subdomainsAddress, at: path / ATSKeys.includesSubdomains, "an address has no subdomains", suggestion: "remove the key")
    }
  }

  private mutating func checkReach(_ entry: ExceptionEntry, at path: SettingPath) {
    guard entry.includesSubdomains == true, !entry.key.isEmpty else { return }
    if Linter.isSuffix(entry.key) {
      add(.keyTLD, at: path, "the entry covers every host under \(entry.key)", suggestion: Linter.narrowerSuggestion)
    }
  }

  /// Whether the name is a single label or a public suffix.
  static func isSuffix(_ name: String) -> Bool {
    !name.utf8.contains(UInt8(ascii: ".")) || PublicSuffixes.contains(name)
  }

  static let narrowerSuggestion = "list the hosts or registered domains that need it"

  private mutating func checkDuplicates() {
    for (keys, path) in [(ats.exceptionDomains.map(\.key), Linter.exceptions), (ats.pinnedDomains.map(\.key), Linter.pins)] {
      var first: [String: String] = [:]
      for key in keys where !HostKeyFault.hasBuildVariable(key) {
        var normalized = key.lowercased()
        if normalized.hasSuffix(".") { normalized.removeLast() }
        if let other = first[normalized] {
          add(
            .keyDuplicate, at: path / key, "the key differs from \(other) only in case or a dot",
            suggestion: "keep the key in lower case without the dot")
        } else {
          first[normalized] = key
        }
      }
    }
  }
}
