/// The keys around NSAppTransportSecurity as an Info.plist spells them (policy text B.2 to B.5, B.12, B.13); all code goes by
/// these, so that no misspelt one can pass.
package enum ATSKeys {
  /// Of the Info.plist: the dictionary with all the settings.
  package static let root = "NSAppTransportSecurity"
  /// Of the Info.plist: not documented.
  package static let pinningRequired = "SecTrustPinningRequired"

  /// Of the settings: the entries of hosts.
  package static let exceptionDomains = "NSExceptionDomains"
  /// Of the settings: the hosts with pins.
  package static let pinnedDomains = "NSPinnedDomains"
  /// Of the settings: whether unlisted hosts are exempt.
  package static let arbitraryLoads = "NSAllowsArbitraryLoads"
  /// The same for loads of AVFoundation.
  package static let forMedia = "NSAllowsArbitraryLoadsForMedia"
  /// The same for web views.
  package static let inWebContent = "NSAllowsArbitraryLoadsInWebContent"
  /// Of the settings: whether local destinations are exempt.
  package static let localNetworking = "NSAllowsLocalNetworking"
  /// Of the settings: the NIAP package that is required.
  package static let niap = "NSRequiresNIAPTLSPackageVersion"

  /// Of an entry: whether it serves the names below as well.
  package static let includesSubdomains = "NSIncludesSubdomains"
  /// Of an entry: whether cleartext is allowed.
  package static let insecureLoads = "NSExceptionAllowsInsecureHTTPLoads"
  /// Of an entry: the least version of TLS.
  package static let minimumTLSVersion = "NSExceptionMinimumTLSVersion"
  /// Of an entry: whether ephemeral key exchange is required.
  package static let forwardSecrecy = "NSExceptionRequiresForwardSecrecy"
  /// Of an entry: whether proof from CT logs is required.
  package static let transparency = "NSRequiresCertificateTransparency"
  /// Of an entry: the NIAP package that is required.
  package static let exceptionNIAP = "NSExceptionRequiresNIAPTLSPackageVersion"

  /// Of pins: those on the leaf.
  package static let leafIdentities = "NSPinnedLeafIdentities"
  /// Of pins: those on CAs.
  package static let caIdentities = "NSPinnedCAIdentities"
  /// Of a pin: the digest.
  package static let spkiDigest = "SPKI-SHA256-BASE64"

  /// The keys of NSAppTransportSecurity that turn ATS off, each for loads of a kind.
  package static let arbitrary = [arbitraryLoads, forMedia, inWebContent]

  /// The boolean keys of NSAppTransportSecurity itself.
  package static let globalBooleans = arbitrary + [localNetworking]

  /// Every key of NSAppTransportSecurity itself that is read.
  package static let globals = globalBooleans + [exceptionDomains, pinnedDomains, niap]

  /// The boolean keys of an entry of NSExceptionDomains.
  package static let entryBooleans = [includesSubdomains, insecureLoads, forwardSecrecy, transparency]

  /// Every key of such an entry that is read, by some system at least.
  package static let entry = entryBooleans + [minimumTLSVersion, exceptionNIAP]

  /// Every key of an entry of NSPinnedDomains that is read.
  package static let pinnedEntry = [includesSubdomains, leafIdentities, caIdentities]

  package static let aliasSuffixes = [
    "AllowsInsecureHTTPLoads", "MinimumTLSVersion", "RequiresForwardSecrecy",
  ]

  /// The current name that an early name stood for, and whether systems before 18.4 read it (B.5).
  package static func alias(_ key: String) -> (current: String, wasRead: Bool)? {
    for alias in ExceptionEntry.Alias.allCases where key.hasPrefix(alias.rawValue) {
      let suffix = String(key.dropFirst(alias.rawValue.count))
      if aliasSuffixes.contains(suffix) { return ("NSException" + suffix, true) }
    }
    switch key {
    case "NSExceptionAllowsInsecureHTTPSLoads": return (insecureLoads, false)
    case "NSAllowsArbitraryLoadsInMedia": return (forMedia, false)
    default: return nil
    }
  }
}
