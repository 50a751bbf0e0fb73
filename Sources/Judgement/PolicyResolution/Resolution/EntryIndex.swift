import Values

/// The entries of a dictionary and the built-in ones, indexed for lookup (policy text B.7, B.8, B.9).
struct EntryIndex: Sendable {
  /// An entry and its origin.
  struct Entry: Hashable, Sendable {
    var exception: ExceptionEntry
    var isBuiltIn: Bool
  }

  /// The entry that applies to a host.
  struct Match: Hashable, Sendable {
    var entry: Entry
    /// The number of labels that were removed from the host before the key matched.
    var labelsBelow = 0
    /// Another range with the same network and length; the system's choice between the two is undefined.
    var tie: String?
  }

  private var byKey: [String: Entry] = [:]
  private var ranges: [(range: AddressRange, entry: Entry)] = []

  init(_ entries: [ExceptionEntry]) {
    for entry in BuiltInEntries.all { byKey[entry.key] = Entry(exception: entry, isBuiltIn: true) }
    for entry in entries {
      let entry = Entry(exception: entry, isBuiltIn: false)
      // A faulty key stays in the dictionary and never matches.
      guard HostKeyFault(entry.exception.key) == nil else { continue }
      if entry.exception.isRange, let range = try? AddressRange(key: entry.exception.key) {
        ranges.append((range, entry))
      } else {
        byKey[entry.exception.key] = entry
      }
    }
  }

  /// The first entry that applies on the way from the host up to its last label (B.7).
  func find(host: String) -> Match? {
    if let entry = byKey[host] { return Match(entry: entry) }
    var labelsBelow = 0
    var rest = host.utf8[...]
    while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[rest.index(after: dot)...]
      labelsBelow += 1
      // No key is longer than a name can be, and without the bound a hostile name would take quadratic time.
      guard rest.count <= EntryIndex.maximumNameByteCount else { continue }
      if let entry = byKey[String(Substring(rest))], entry.exception.includesSubdomains == true {
        return Match(entry: entry, labelsBelow: labelsBelow)
      }
    }
    return nil
  }

  /// The entry whose key is the text of the address, otherwise that of the narrowest range that contains it (B.8).
  func find(address: IPAddress, text: String) -> Match? {
    if let entry = byKey[text] { return Match(entry: entry) }
    var best: Match?
    var bestLength = -1
    for (range, entry) in ranges where range.contains(address) {
      if range.prefixLength > bestLength {
        best = Match(entry: entry)
        bestLength = range.prefixLength
      } else if range.prefixLength == bestLength, best?.tie == nil {
        best?.tie = entry.exception.key
      }
    }
    return best
  }

  /// In bytes; the longest DNS name has 253.
  private static let maximumNameByteCount = 1024
}
