public import TLSParsing

extension EffectivePolicy {
  /// Whether ATS is off for the host: no entry applies, and HTTPS is not required (C.2). TLS sessions are then exempt.
  package var isATSOff: Bool { matchedEntry == nil && !requiresHTTPS }

  /// The influence of app code on the result of trust evaluation (C.3): ATS enforces the result if HTTPS is required.
  public var trust: TrustMode { requiresHTTPS ? .strict : .default }

  /// Whether the policy allows a cipher suite.
  public func admits(_ suite: CipherSuite) -> Bool {
    switch (cipherPolicy, CipherSuiteGroups.group(of: suite, in: release)) {
    case (.ats, .ats?), (.atsAndCompatibility, .some), (.systemDefault, .some): true
    // A suite of the compatibility group lacks forward secrecy, which is the finding of another rule.
    case (.ats, .compatibility?): false
    case (.systemDefault, nil): CipherSuiteGroups.tripleDES.contains(suite)
    case (.ats, nil), (.atsAndCompatibility, nil): false
    }
  }

  /// The group of the suite in the policy's release; nil if it is in none.
  package func group(of suite: CipherSuite) -> CipherSuiteGroups.Group? {
    CipherSuiteGroups.group(of: suite, in: release)
  }

  /// The minimum TLS version in force; the system's own if ATS sets none.
  public var effectiveMinimumTLSVersion: TLSVersion { minimumTLSVersion ?? systemMinimumTLSVersion }

  /// Whether a TLS version is allowed; nil if the minimum is a DTLS version, which cannot be compared with TLS.
  public func admits(_ version: TLSVersion) -> Bool? {
    let least = effectiveMinimumTLSVersion
    if least.isDTLS { return nil }
    return version.rawValue >= least.rawValue
  }

  /// The reason for a setting; nil if there is none.
  public func reason(for setting: Setting) -> Reason? {
    reasons.first { $0.setting == setting }
  }

  /// The settings that have reasons, by the names of their properties, in the order of reports.
  public enum Setting: String, Hashable, Sendable, CaseIterable {
    /// The locality of the destination.
    case isDirect = "direct"
    /// The entry that applies.
    case matchedEntry = "matched"
    /// The refusal of cleartext.
    case requiresHTTPS = "httpsRequired"
    /// The enforcement of TLS requirements by ATS, so that app code cannot override trust.
    case trust = "atsEnforced"
    /// The minimum TLS version.
    case minimumTLSVersion
    /// The allowed cipher suites.
    case cipherPolicy
    /// The requirement of forward secrecy.
    case requiresForwardSecrecy = "forwardSecrecyRequired"
    /// NSRequiresCertificateTransparency, on systems that read it.
    case transparencyKeyInForce = "certificateTransparency"
    /// The pins for the leaf.
    case leafPins = "pins.leaf"
    /// The pins for CAs.
    case caPins = "pins.ca"
    /// The required NIAP TLS package.
    case requiresNIAPPackage = "niapPackage"
  }
}
