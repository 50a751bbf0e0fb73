import PolicyResolution

/// The keys around NSAppTransportSecurity (policy text B.2 to B.5, B.12, B.13).
enum ATSKeys {
  static let root = "NSAppTransportSecurity"
  static let exceptionDomains = "NSExceptionDomains"
  static let pinnedDomains = "NSPinnedDomains"
  static let arbitraryLoads = "NSAllowsArbitraryLoads"
  static let forMedia = "NSAllowsArbitraryLoadsForMedia"
  static let inWebContent = "NSAllowsArbitraryLoadsInWebContent"
  static let localNetworking = "NSAllowsLocalNetworking"
  static let niap = "NSRequiresNIAPTLSPackageVersion"
  static let pinningRequired = "SecTrustPinningRequired"

  static let includesSubdomains = "NSIncludesSubdomains"
  static let insecureLoads = "NSExceptionAllowsInsecureHTTPLoads"
  static let minimumTLSVersion = "NSExceptionMinimumTLSVersion"
  static let forwardSecrecy = "NSExceptionRequiresForwardSecrecy"
  static let transparency = "NSRequiresCertificateTransparency"
  static let exceptionNIAP = "NSExceptionRequiresNIAPTLSPackageVersion"

  static let leafIdentities = "NSPinnedLeafIdentities"
  static let caIdentities = "NSPinnedCAIdentities"
  static let spkiDigest = "SPKI-SHA256-BASE64"

  /// The boolean keys of NSAppTransportSecurity itself.
  static let globalBooleans = [arbitraryLoads, forMedia, inWebContent, localNetworking]

  /// Every key of NSAppTransportSecurity itself that is read.
  static let globals = globalBooleans + [exceptionDomains, pinnedDomains, niap]

  /// The boolean keys of an entry of NSExceptionDomains.
  static let entryBooleans = [includesSubdomains, insecureLoads, forwardSecrecy, transparency]

  /// Every key of such an entry that is read, by some system at least.
  static let entry = entryBooleans + [minimumTLSVersion, exceptionNIAP]

  /// Every key of an entry of NSPinnedDomains that is read.
  static let pinnedEntry = [includesSubdomains, leafIdentities, caIdentities]

  /// The endings that the alias prefixes take.
  static let aliasSuffixes = ["AllowsInsecureHTTPLoads", "MinimumTLSVersion", "RequiresForwardSecrecy"]

  /// The plain name that an early name stood for, and whether systems before 18.4 read it (B.5).
  static func alias(_ key: String) -> (plain: String, wasRead: Bool)? {
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
