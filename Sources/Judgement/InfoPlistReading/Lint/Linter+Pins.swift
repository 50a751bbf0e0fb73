import PolicyResolution
import PropertyLists
import Values

/// Checks NSPinnedDomains.
extension Linter {
  mutating func checkPins() {
    let hosts = Linter.hostsFarBelow(ats.exceptionDomains.map(\.key) + seen.compactMap(\.host.text))
    for pin in ats.pinnedDomains {
      let path = Linter.pins / pin.key
      checkDigests(pin.leafDigests, at: path / ATSKeys.leafIdentities)
      checkDigests(pin.caDigests, at: path / ATSKeys.caIdentities)
      if pin.leafDigests != nil, pin.caDigests != nil {
        add(.pinBoth, at: path, "the leaf must match one list and a CA of its chain the other")
      }
      checkReach(of: pin, hosts, at: path)
    }
    if !ats.pinnedDomains.isEmpty, let reason = notRead(before: 14) {
      add(.pinOld, at: Linter.pins, "\(reason) pins; they are enforced from iOS 14 and macOS 11")
    }
    // Without captures, only the key for web content indicates that there are web views.
    if !ats.pinnedDomains.isEmpty, seen.isEmpty, ats.allowsArbitraryLoadsInWebContent != nil {
      add(.pinWeb, at: Linter.pins, "pins are not enforced for loads by web views")
    }
  }

  private mutating func checkDigests(_ digests: [String]?, at path: SettingPath) {
    guard let digests else { return }
    let hasVariables = writtenDigests(at: path).contains(where: Linter.hasVariable)
    if digests.isEmpty {
      if hasVariables { return }
      add(
        .pinEmpty, at: path,
        "the key requires a pin and contains no readable digest: every connection fails"
          + (release.isAtLeast(14) ? "" : " from iOS 14 and macOS 11 on"), suggestion: "add digests, or remove the key")
      return
    }
    for digest in digests {
      guard let count = PinDigest.bytes(of: digest)?.count, count != 32 else { continue }
      add(
        .pinDigest, at: path, "the digest \(digest) has \(count.counted("byte{s}")), not 32, and never matches",
        suggestion: "write the SHA-256 digest of the key's SubjectPublicKeyInfo in base64")
    }
    if Set(digests).count == 1, !hasVariables {
      add(.pinSingle, at: path, "there is one pin and no backup", suggestion: "add the digest of a backup key")
    }
  }

  /// Reports the items of a list of pins that contain no readable digest.
  mutating func reportUnreadablePins(_ ignored: IgnoredSetting) {
    let texts = writtenDigests(at: ignored.path)
    if texts.contains(where: Linter.hasVariable) {
      reportVariable(in: "value", at: ignored.path, line: ignored.line)
      let others = texts.filter { !Linter.hasVariable($0) }
      if others.allSatisfy({ $0.flatMap(PinDigest.bytes(of:)) != nil }) { return }
    }
    add(
      .pinDigest, at: ignored.path, line: ignored.line, "an item has no \(ATSKeys.spkiDigest) that is base64, so it adds nothing",
      suggestion: "write the SHA-256 digest of the key's SubjectPublicKeyInfo in base64")
  }

  /// The digests of a list of pins as written; nil for an item without one.
  private func writtenDigests(at path: SettingPath) -> [String?] {
    let list = path.keys.dropFirst().dropLast().reduce(written as PropertyListDictionary?) { $0?[$1]?.dictionary }
    return list?[path.keys.last ?? ""]?.array?.map { $0.dictionary?[ATSKeys.spkiDigest]?.string } ?? []
  }

  private static func hasVariable(_ digest: String?) -> Bool { digest.map(HostKeyFault.hasBuildVariable) ?? false }

  private mutating func checkReach(of pin: PinnedDomain, _ hosts: [String: String], at path: SettingPath) {
    guard pin.includesSubdomains, let host = hosts[pin.key.lowercased()] else { return }
    add(
      .pinSubdomain, at: path, "the pins cover one label below, so they do not apply to \(host)",
      suggestion: "add a separate entry for that host")
  }

  /// The first host of each domain that is more than one label below it.
  private static func hostsFarBelow(_ hosts: [String]) -> [String: String] {
    var result: [String: String] = [:]
    // Real hosts are shorter, and the parent domains of a long one would take quadratic time.
    for host in hosts where host.utf8.count <= 1024 {
      var rest = host.lowercased()[...]
      var count = 0
      while let dot = rest.firstIndex(of: ".") {
        rest = rest[rest.index(after: dot)...]
        count += 1
        if count > 1, result[String(rest)] == nil { result[String(rest)] = host }
      }
    }
    return result
  }

  /// The number of labels of a host before a domain; 0 if it is not below it.
  static func labels(of host: String, below domain: String) -> Int {
    let host = host.lowercased()
    let suffix = "." + domain.lowercased()
    guard host.hasSuffix(suffix) else { return 0 }
    return host.dropLast(suffix.count).split(separator: ".", omittingEmptySubsequences: false).count
  }
}
