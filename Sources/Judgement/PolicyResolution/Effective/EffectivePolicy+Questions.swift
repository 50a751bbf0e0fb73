extension EffectivePolicy {
  /// Whether ATS is off for the host: no entry, and HTTPS not required (C.2). A TLS session is then exempt.
  public var isATSOff: Bool { matchedEntry == nil && !httpsRequired }

  /// What app code may do with the result of trust evaluation (C.3).
  public var trust: TrustMode { atsEnforced ? .strict : .default }

  /// Whether the suite is allowed in a session.
  public func admits(suite code: UInt16) -> Bool {
    switch (cipherPolicy, CipherSuiteGroups.group(of: code, in: release)) {
    case (.ats, .ats?), (.atsAndCompatibility, .some), (.systemDefault, .some): true
    // A suite of the compatibility group fails for want of forward secrecy, which is another rule's finding.
    case (.ats, .compatibility?): false
    case (.systemDefault, nil): CipherSuiteGroups.tripleDES.contains(code)
    case (.ats, nil), (.atsAndCompatibility, nil): false
    }
  }

  /// The group of the suite in the policy's release; nil if it is in neither.
  package func group(ofSuite code: UInt16) -> CipherSuiteGroups.Group? {
    CipherSuiteGroups.group(of: code, in: release)
  }

  /// The minimum TLS version in force, the system's own where ATS sets none.
  public var leastTLSVersion: UInt16 { minimumTLSVersion ?? systemMinimumTLSVersion }

  /// Whether a TLS version is allowed; nil if the minimum is one of DTLS, which says nothing about TLS.
  public func admits(version: UInt16) -> Bool? {
    let least = leastTLSVersion
    if least >> 8 == 0xFE { return nil }
    return version >= least
  }

  /// The reason for a setting.
  public func reason(for setting: Setting) -> Reason? {
    reasons.first { $0.setting == setting }
  }

  /// The settings that have reasons, in the order in which they are listed.
  public enum Setting: String, Hashable, Sendable, CaseIterable {
    /// That the destination is local.
    case direct
    /// Which entry was found.
    case matched
    /// That cleartext is refused.
    case httpsRequired
    /// That ATS enforces its requirements for TLS, so that app code cannot override trust.
    case atsEnforced
    /// The minimum TLS version.
    case minimumTLSVersion
    /// The suites.
    case cipherPolicy
    /// Forward secrecy.
    case forwardSecrecyRequired
    /// NSRequiresCertificateTransparency on the systems that read it.
    case certificateTransparency
    /// Pins on the leaf.
    case leafPins = "pins.leaf"
    /// Pins on CAs.
    case caPins = "pins.ca"
    /// The NIAP TLS package.
    case niapPackage
  }
}
