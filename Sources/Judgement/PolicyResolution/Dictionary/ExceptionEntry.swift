/// The settings of an entry that had different names in iOS 9 (policy text B.3, B.5).
public struct ExceptionSettings: Hashable, Sendable {
  /// …AllowsInsecureHTTPLoads; nil if absent.
  public package(set) var allowsInsecureHTTPLoads: Bool?

  /// …MinimumTLSVersion as written; nil if absent.
  public package(set) var minimumTLSVersion: String?

  /// …RequiresForwardSecrecy; nil if absent.
  public package(set) var requiresForwardSecrecy: Bool?

  /// Creates settings; nil means an absent key.
  package init(allowsInsecureHTTPLoads: Bool? = nil, minimumTLSVersion: String? = nil, requiresForwardSecrecy: Bool? = nil) {
    self.allowsInsecureHTTPLoads = allowsInsecureHTTPLoads
    self.minimumTLSVersion = minimumTLSVersion
    self.requiresForwardSecrecy = requiresForwardSecrecy
  }

  /// Whether no key is set.
  package var isEmpty: Bool { self == ExceptionSettings() }
}

/// One entry of NSExceptionDomains (policy text B.3).
public struct ExceptionEntry: Hashable, Sendable {
  /// A prefix of key names that early systems read besides the current prefix, in the order of precedence.
  public enum Alias: String, Hashable, Sendable, CaseIterable {
    /// For hosts that the developer does not control; documented with iOS 9.
    case thirdParty = "NSThirdPartyException"
    /// From the pre-releases of iOS 9.
    case temporary = "NSTemporaryException"
    /// From the pre-releases of iOS 9, for hosts that the developer does not control.
    case temporaryThirdParty = "NSTemporaryThirdPartyException"
  }

  /// The key as written: a name, an address or a range.
  public package(set) var key: String

  /// NSIncludesSubdomains; nil if absent.
  public package(set) var includesSubdomains: Bool?

  /// The settings under their current names, which begin with `NSException`.
  public package(set) var settings: ExceptionSettings

  /// The settings under early names.
  public package(set) var aliases: [Alias: ExceptionSettings]

  /// NSRequiresCertificateTransparency; nil if absent.
  public package(set) var requiresCertificateTransparency: Bool?

  /// NSExceptionRequiresNIAPTLSPackageVersion; nil if it is absent or has an unknown value.
  package var requiredNIAPPackage: NIAPPackage?

  /// Creates an entry; with the key alone an empty one, which makes its host strict.
  package init(
    key: String, includesSubdomains: Bool? = nil, settings: ExceptionSettings = ExceptionSettings(),
    aliases: [Alias: ExceptionSettings] = [:], requiresCertificateTransparency: Bool? = nil, requiredNIAPPackage: NIAPPackage? = nil
  ) {
    self.key = key
    self.includesSubdomains = includesSubdomains
    self.settings = settings
    self.aliases = aliases
    self.requiresCertificateTransparency = requiresCertificateTransparency
    self.requiredNIAPPackage = requiredNIAPPackage
  }

  /// Whether the system treats the key as an address range, valid or not (B.8).
  package var isRange: Bool { key.utf8.contains(UInt8(ascii: "/")) }
}

extension ExceptionEntry {
  /// A value and the key under which it was found.
  package struct Found<Value: Hashable & Sendable>: Hashable, Sendable {
    package var value: Value
    /// The full name of the key.
    package var key: String
  }

  /// Whether cleartext is allowed, as the release reads the entry; nil if no key states it.
  package func allowsInsecureHTTPLoads(in release: SystemRelease) -> Found<Bool>? {
    find(ATSKeys.insecureLoads, in: release) { $0.allowsInsecureHTTPLoads }
  }

  /// The text of the minimum TLS version, as the release reads the entry; nil if there is none.
  package func minimumTLSVersion(in release: SystemRelease) -> Found<String>? {
    find(ATSKeys.minimumTLSVersion, in: release) { $0.minimumTLSVersion }
  }

  /// Whether forward secrecy is required, as the release reads the entry; nil if no key states it.
  package func requiresForwardSecrecy(in release: SystemRelease) -> Found<Bool>? {
    find(ATSKeys.forwardSecrecy, in: release) { $0.requiresForwardSecrecy }
  }

  private func find<Value>(_ key: String, in release: SystemRelease, _ value: (ExceptionSettings) -> Value?) -> Found<Value>? {
    if let found = value(settings) { return Found(value: found, key: key) }
    guard release.readsAliases else { return nil }
    let suffix = key.dropFirst(ATSKeys.exceptionPrefix.count)
    for alias in Alias.allCases {
      if let found = aliases[alias].flatMap(value) { return Found(value: found, key: alias.rawValue + suffix) }
    }
    return nil
  }
}
