/// The keys around NSAppTransportSecurity as an Info.plist spells them (policy text B.2 to B.5, B.12, B.13).
///
/// Code that reads, writes or names settings uses these constants to prevent misspellings; only titles and sentences spell them out.
package enum ATSKeys {
  /// In Info.plist: the dictionary with all the settings.
  package static let root = "NSAppTransportSecurity"
  /// In Info.plist: whether pin lists are dropped and server trust fails, unless both lists were present and empty; undocumented.
  package static let pinningRequired = "SecTrustPinningRequired"

  /// In the settings: the entries of hosts.
  package static let exceptionDomains = "NSExceptionDomains"
  /// In the settings: the hosts with pins.
  package static let pinnedDomains = "NSPinnedDomains"
  /// In the settings: whether unlisted hosts are exempt.
  package static let arbitraryLoads = "NSAllowsArbitraryLoads"
  /// In the settings: whether loads by AVFoundation are exempt.
  package static let arbitraryLoadsForMedia = "NSAllowsArbitraryLoadsForMedia"
  /// In the settings: whether loads by web views are exempt.
  package static let arbitraryLoadsInWebContent = "NSAllowsArbitraryLoadsInWebContent"
  /// In the settings: whether local destinations are exempt.
  package static let localNetworking = "NSAllowsLocalNetworking"
  /// In the settings: the required NIAP package.
  package static let niap = "NSRequiresNIAPTLSPackageVersion"

  /// In an entry: whether it also applies to subdomains.
  package static let includesSubdomains = "NSIncludesSubdomains"
  /// In an entry: the prefix of the three keys that have old names (``ExceptionEntry/Alias``).
  package static let exceptionPrefix = "NSException"
  /// In an entry: whether cleartext is allowed.
  package static let insecureLoads = "NSExceptionAllowsInsecureHTTPLoads"
  /// In an entry: the minimum TLS version.
  package static let minimumTLSVersion = "NSExceptionMinimumTLSVersion"
  /// In an entry: whether ephemeral key exchange is required.
  package static let forwardSecrecy = "NSExceptionRequiresForwardSecrecy"
  /// In an entry: whether SCTs are required.
  package static let certificateTransparency = "NSRequiresCertificateTransparency"
  /// In an entry: the required NIAP package.
  package static let exceptionNIAP = "NSExceptionRequiresNIAPTLSPackageVersion"

  /// In the entry of a pinned host: the pins for the leaf.
  package static let leafIdentities = "NSPinnedLeafIdentities"
  /// In the entry of a pinned host: the pins for CAs.
  package static let caIdentities = "NSPinnedCAIdentities"
  /// In a pin: the digest.
  package static let spkiDigest = "SPKI-SHA256-BASE64"

  /// The keys of NSAppTransportSecurity that turn ATS off, each for loads of a kind.
  package static let arbitrary = [arbitraryLoads, arbitraryLoadsForMedia, arbitraryLoadsInWebContent]

  /// The boolean keys of NSAppTransportSecurity itself.
  package static let globalBooleans = arbitrary + [localNetworking]

  /// Every key of NSAppTransportSecurity itself that some system reads.
  package static let globals = globalBooleans + [exceptionDomains, pinnedDomains, niap]

  /// The Boolean keys of an NSExceptionDomains entry.
  package static let entryBooleans = [includesSubdomains, insecureLoads, forwardSecrecy, certificateTransparency]

  /// Every key of an NSExceptionDomains entry that some system reads.
  package static let entry = entryBooleans + [minimumTLSVersion, exceptionNIAP]

  /// Every key of an NSPinnedDomains entry that some system reads.
  package static let pinnedEntry = [includesSubdomains, leafIdentities, caIdentities]

  /// Whether some system reads the key at some level. All of these keys have capitals, so none of them is a host.
  package static func isSetting(_ key: String) -> Bool {
    key == root || globals.contains(key) || entry.contains(key) || pinnedEntry.contains(key)
  }

  /// The devices on which a key replaces NSAppTransportSecurity, as words after `on`; nil for other keys. CFBundle reads keys of an
  /// Info.plist with such a suffix instead of those without.
  package static func devices(ofVariant key: String) -> String? {
    guard key.hasPrefix(root) else { return nil }
    switch key.dropFirst(root.count) {
    case "~iphone", "-iphoneos~iphone": return "iPhones"
    case "~ipad", "-iphoneos~ipad": return "iPads"
    case "~ipod", "-iphoneos~ipod": return "iPods"
    case "-iphoneos": return "iOS"
    case "-macos": return "macOS"
    default: return nil
    }
  }

  /// The three keys that have old names, without their prefix.
  private static let aliasSuffixes = [insecureLoads, minimumTLSVersion, forwardSecrecy].map { String($0.dropFirst(exceptionPrefix.count)) }

  /// The current name for an early name, and whether systems before 18.4 read it (B.5); nil if the key is not an early name.
  package static func alias(_ key: String) -> (current: String, wasRead: Bool)? {
    for alias in ExceptionEntry.Alias.allCases where key.hasPrefix(alias.rawValue) {
      let suffix = String(key.dropFirst(alias.rawValue.count))
      if aliasSuffixes.contains(suffix) { return (exceptionPrefix + suffix, true) }
    }
    switch key {
    case "NSExceptionAllowsInsecureHTTPSLoads": return (insecureLoads, false)
    case "NSAllowsArbitraryLoadsInMedia": return (arbitraryLoadsForMedia, false)
    default: return nil
    }
  }
}
