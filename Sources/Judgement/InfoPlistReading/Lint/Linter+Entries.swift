import PolicyResolution
import PropertyLists
import TLSParsing
import Values

/// Checks the settings of an NSExceptionDomains entry.
extension Linter {
  mutating func checkEntry(_ entry: ExceptionEntry) {
    let path = Linter.exceptions / entry.key
    let dictionary = written[ATSKeys.exceptionDomains]?.dictionary?[entry.key]?.dictionary
    checkNumbers(in: dictionary ?? PropertyListDictionary(), keys: ATSKeys.entryBooleans, at: path)
    let fault = HostKeyFault(entry.key)
    // An entry that never matches neither allows nor requires anything. In the built app, one with a build variable may match.
    guard fault == nil || fault == .buildVariable else { return }
    checkMinimum(entry, at: path)
    checkSwitches(entry, at: path)
    if dictionary?[ATSKeys.certificateTransparency] != nil {
      checkTransparency(at: path / ATSKeys.certificateTransparency)
    }
    if entry.requiredNIAPPackage != nil { checkNIAPTarget(path / ATSKeys.exceptionNIAP) }
    guard fault == nil else { return }
    checkBuiltIn(entry, at: path)
    checkAgainstGlobals(entry, at: path)
  }

  /// Reports the effect of NSRequiresCertificateTransparency, which few releases read.
  private mutating func checkTransparency(at path: SettingPath) {
    if release.readsTransparencyKey {
      add(.transparencyObsolete, at: path, "\(release.displayName) reads the key; it has no effect from iOS 12.1 and macOS 10.14.2")
    } else {
      add(
        .transparencyObsolete, at: path,
        release.isAtLeast(10)
          ? "\(release.displayName) does not read the key: it requires CT of every public certificate"
          : "\(release.displayName) does not read the key, which is for iOS 10 to 12.0 and macOS 10.12 to 10.14.1", suggestion: "remove it")
    }
  }

  private mutating func checkMinimum(_ entry: ExceptionEntry, at path: SettingPath) {
    guard let found = entry.minimumTLSVersion(in: release), let version = TLSVersionText.version(of: found.value) else { return }
    let (path, text) = (path / found.key, found.value)
    switch version {
    case .tls10, .tls11:
      add(
        .tlsLow, at: path, "connections with \(text), which is deprecated, are accepted",
        suggestion: "enable TLS 1.2 on the server and remove the key")
      review(path)
    case .tls12:
      // Early systems would read an early name in its place.
      if entry.aliases.values.contains(where: { $0.minimumTLSVersion != nil && $0.minimumTLSVersion != text }) { break }
      add(.tlsRedundant, at: path, "TLSv1.2 is the default minimum", suggestion: "remove it")
    case .tls13:
      guard let reason = notRead(before: 14) else { break }
      add(.tls13Old, at: path, "\(reason) this value, so the minimum stays TLS 1.2; it takes effect from iOS 14 and macOS 11")
    default:
      add(.tlsDTLS, at: path, "\(text) has no meaning for URL loads", suggestion: "write a TLS version")
    }
  }

  private mutating func checkSwitches(_ entry: ExceptionEntry, at path: SettingPath) {
    let secrecy = entry.requiresForwardSecrecy(in: release)
    if let secrecy, secrecy.value, !entry.aliases.values.contains(where: { $0.requiresForwardSecrecy == false }) {
      add(.tlsRedundant, at: path / secrecy.key, "forward secrecy is required by default", suggestion: "remove it")
    }
    guard let insecure = entry.allowsInsecureHTTPLoads(in: release), insecure.value else { return }
    let key = path / insecure.key
    review(key)
    if let secrecy, !secrecy.value {
      add(
        .secrecyInsecure, at: path / secrecy.key,
        "with cleartext also allowed, HTTPS to the host accepts every cipher suite that the system offers",
        suggestion: "remove one of the two")
      return
    }
    // No other key of the entry may relax HTTPS.
    let minimum = entry.minimumTLSVersion(in: release).flatMap { TLSVersionText.version(of: $0.value) } ?? .tls12
    guard minimum == .tls12 || minimum == .tls13 else { return }
    add(
      .insecureOnly, at: key,
      "cleartext is allowed; HTTPS to the host still needs TLS \(minimum == .tls13 ? "1.3" : "1.2"), forward secrecy "
        + "and a valid certificate")
  }

  private mutating func checkBuiltIn(_ entry: ExceptionEntry, at path: SettingPath) {
    let below = BuiltInEntries.all.map(\.key).filter { $0.hasSuffix("." + entry.key) }
    if BuiltInEntries.all.contains(where: { $0.key == entry.key }) {
      let except = below.isEmpty ? "" : ", except those with a built-in entry"
      add(.builtIn, at: path, "the entry replaces the system's built-in one for \(entry.key) and the names below it\(except)")
    }
    if !below.isEmpty, entry.includesSubdomains == true {
      add(
        .builtIn, at: path, "the entry does not affect the system's built-in ones for \(below.joined(separator: ", "))",
        suggestion: "list those names too if they should be covered")
    }
  }

  private mutating func checkAgainstGlobals(_ entry: ExceptionEntry, at path: SettingPath) {
    // On releases that still read early names, one of them may allow cleartext.
    guard entry.allowsInsecureHTTPLoads(in: release)?.value != true else { return }
    if isLocal(entry.key), ats.allowsLocalNetworking != false {
      add(
        .localEntry, at: path,
        entry.isRange
          ? "the entry forbids cleartext to the local addresses in this range, which is allowed without it"
          : "the entry forbids cleartext to this local host, which is allowed without it",
        suggestion: "remove the entry, or allow cleartext in it")
    }
    if arbitraryLoadsCount {
      add(
        .entryShadow, at: path, "NSAllowsArbitraryLoads does not apply to this host, which stays strict",
        suggestion: "keep the entry if the host must stay strict; otherwise remove it")
    }
  }

  /// Whether the key is a local name, address or range, for which the release allows cleartext.
  private func isLocal(_ key: String) -> Bool {
    if let range = try? AddressRange(key: key) { return release.exemptsDirectAddresses && LocalDestination.hasDirectAddress(range) }
    if key.utf8.contains(UInt8(ascii: "/")) { return false }
    if let address = IPAddress(key) { return release.exemptsDirectAddresses && LocalDestination.isDirect(address: address) }
    return release.exemptsDirectNames && LocalDestination.isDirect(name: key) && !key.utf8.contains(UInt8(ascii: ":"))
  }
}
