import PolicyResolution
import PropertyLists
import Values

/// Checks the keys of NSAppTransportSecurity itself.
extension Linter {
  /// Whether NSAllowsArbitraryLoads disables ATS for unlisted hosts in the given release.
  var arbitraryLoadsCount: Bool {
    ats.allowsArbitraryLoads == true && (ats.arbitraryLoadsCancelers.isEmpty || !release.readsNarrowGlobalKeys)
  }

  mutating func checkGlobals() {
    checkNumbers(in: written, keys: ATSKeys.globalBooleans, at: Linter.root)
    checkArbitraryLoads()
    if ats.allowsLocalNetworking == false, release.readsNarrowGlobalKeys {
      add(
        .localOff, at: Linter.root / ATSKeys.localNetworking,
        "local names and addresses need HTTPS; without the key they may use cleartext",
        suggestion: "remove the key if local devices speak HTTP")
    }
    for (key, value) in [
      (ATSKeys.arbitraryLoads, ats.allowsArbitraryLoads),
      (ATSKeys.arbitraryLoadsForMedia, ats.allowsArbitraryLoadsForMedia),
      (ATSKeys.arbitraryLoadsInWebContent, ats.allowsArbitraryLoadsInWebContent),
    ] where value == true {
      review(Linter.root / key)
    }
    if ats.requiredNIAPPackage != nil { checkNIAPTarget(Linter.root / ATSKeys.niap) }
  }

  private mutating func checkArbitraryLoads() {
    guard ats.allowsArbitraryLoads == true else { return }
    let path = Linter.root / ATSKeys.arbitraryLoads
    let cancelers = ats.arbitraryLoadsCancelers
    for canceler in cancelers where !canceler.value {
      add(
        .globalFalse, at: Linter.root / canceler.key,
        "\(canceler.key) is NO, and its presence alone cancels NSAllowsArbitraryLoads from iOS 10 and "
          + "macOS 10.12", suggestion: "remove it, or NSAllowsArbitraryLoads")
    }
    if arbitraryLoadsCount {
      add(
        .arbitrary, at: path,
        "ATS is off for every host without an entry"
          + (cancelers.isEmpty ? "" : " on \(release.displayName); later releases cancel the key"),
        suggestion: release.readsNarrowGlobalKeys
          ? "remove it and allow only what is needed: NSAllowsArbitraryLoadsInWebContent for web views, "
            + "NSAllowsArbitraryLoadsForMedia for audio and video, NSAllowsLocalNetworking for local devices, an entry in "
            + "NSExceptionDomains for a single host" : "remove it and write an entry in NSExceptionDomains for each host")
      return
    }
    let names = cancelers.map(\.key).joined(separator: " and ") + cancelers.count.form(of: " cancel{s|}")
    if let target, target.isAtLeast(10) {
      add(
        .arbitraryDead, at: path,
        "\(names) NSAllowsArbitraryLoads from iOS 10 and macOS 10.12, and the program runs on "
          + "\(target.displayName) and later", suggestion: "remove NSAllowsArbitraryLoads")
    } else {
      add(
        .arbitraryIgnored, at: path,
        "on iOS 9 and OS X 10.11 the key turns ATS off; from iOS 10 and macOS 10.12 it has no effect, because \(names) it",
        suggestion: "remove it unless the program runs on iOS 9 or OS X 10.11")
    }
  }

  /// Reports Boolean values that are written as numbers.
  mutating func checkNumbers(in dictionary: PropertyListDictionary, keys: [String], at path: SettingPath) {
    for key in keys {
      guard let entry = dictionary.entry(key), let value = ATSReader.boolean(entry.value) else { continue }
      if case .boolean = entry.value { continue }
      add(
        .boolNumber, at: path / key, line: entry.keyLine,
        "\(entry.value.typeName) that is read as \(value ? "true" : "false")"
          // The policy reads every release by the rule of 18.5 (policy text B.1).
          + (value ? " for every release, as iOS 18.5 and macOS 15.5 do; only iOS 18.4 and macOS 15.4 read it as false" : ""),
        suggestion: value ? "write <true/>" : "write <false/>")
    }
  }

  /// Reports a key for which App Review requires a justification.
  mutating func review(_ path: SettingPath) {
    let key = path.keys.last ?? ""
    let isMinimum = (ATSKeys.alias(key)?.current ?? key) == ATSKeys.minimumTLSVersion
    let lacking = isMinimum ? "that supports only older versions of TLS" : "without HTTPS"
    add(
      .review, at: path, "App Review requires a justification for \(key)",
      suggestion:
        "if you keep it, explain to App Review why it is needed: a server of a third party \(lacking), devices that cannot be "
        + "upgraded, or protected (DRM) media, for example")
  }

  mutating func checkNIAPTarget(_ path: SettingPath) {
    guard let reason = notRead(before: 26, 4) else { return }
    add(.niapOld, at: path, "\(reason) the key; it is read from 26.4")
  }
}
