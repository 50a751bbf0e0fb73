package import TLSParsing

/// The cipher suites that ATS allows, by release (policy text D.1, C.4).
package enum CipherSuiteGroups {
  /// A group of the Security framework.
  package enum Group: String, Hashable, Sendable, CaseIterable {
    /// `ats`: suites with ephemeral key exchange.
    case ats
    /// `ats_compatibility`: suites with RSA key exchange, allowed if forward secrecy is not required.
    case compatibility
  }

  package struct Row: Hashable, Sendable {
    package var suite: CipherSuite
    /// The name in the IANA registry.
    package var name: String
    /// The group during the releases in which the suite belongs to one.
    package var group: Group
    var releases: ReleaseRange

    init(_ code: UInt16, _ name: String, _ group: Group, _ releases: ReleaseRange) {
      suite = CipherSuite(rawValue: code)
      self.name = name
      self.group = group
      self.releases = releases
    }

    package func isMember(in release: SystemRelease) -> Bool {
      switch releases {
      case .always: release.hasATS
      case .from12: release.isAtLeast(12)
      case .before15d4: release.hasATS && !release.isAtLeast(15, 4)
      }
    }
  }

  enum ReleaseRange: Hashable, Sendable {
    case always
    case from12
    case before15d4
  }

  /// Every suite that was ever in one of the groups, in the order of the framework's lists.
  package static let table: [Row] = [
    Row(0xC02C, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", .ats, .always),
    Row(0xC02B, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", .ats, .always),
    Row(0xC024, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384", .ats, .before15d4),
    Row(0xC023, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", .ats, .before15d4),
    Row(0xC00A, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", .ats, .always),
    Row(0xC009, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", .ats, .always),
    Row(0xC030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", .ats, .always),
    Row(0xC02F, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", .ats, .always),
    Row(0xC028, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", .ats, .before15d4),
    Row(0xC027, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", .ats, .before15d4),
    Row(0xC014, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", .ats, .always),
    Row(0xC013, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", .ats, .always),
    Row(0xCCA9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", .ats, .from12),
    Row(0xCCA8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .ats, .from12),
    Row(0x1301, "TLS_AES_128_GCM_SHA256", .ats, .from12),
    Row(0x1302, "TLS_AES_256_GCM_SHA384", .ats, .from12),
    Row(0x1303, "TLS_CHACHA20_POLY1305_SHA256", .ats, .from12),
    Row(0x009D, "TLS_RSA_WITH_AES_256_GCM_SHA384", .compatibility, .always),
    Row(0x009C, "TLS_RSA_WITH_AES_128_GCM_SHA256", .compatibility, .always),
    Row(0x003D, "TLS_RSA_WITH_AES_256_CBC_SHA256", .compatibility, .before15d4),
    Row(0x003C, "TLS_RSA_WITH_AES_128_CBC_SHA256", .compatibility, .before15d4),
    Row(0x0035, "TLS_RSA_WITH_AES_256_CBC_SHA", .compatibility, .always),
    Row(0x002F, "TLS_RSA_WITH_AES_128_CBC_SHA", .compatibility, .always),
  ]

  /// The triple DES suites that the system is assumed to offer additionally if ATS is off (C.4).
  package static let tripleDES = [0xC008, 0xC012, 0x000A].map(CipherSuite.init(rawValue:))

  /// The TLS 1.2 suites of the NIAP package `FCP_v2.1` (B.13), which also contains those in `tls13`.
  package static let niapTLS12 = [0xC02B, 0xC02C, 0xC02F, 0xC030].map(CipherSuite.init(rawValue:))

  /// The TLS 1.3 suites that ATS allows.
  package static let tls13 = [0x1301, 0x1302, 0x1303].map(CipherSuite.init(rawValue:))

  /// The group of a suite in the release; nil if it is in none.
  package static func group(of suite: CipherSuite, in release: SystemRelease) -> Group? {
    table.first { $0.suite == suite && $0.isMember(in: release) }?.group
  }

  package static func suites(of group: Group, in release: SystemRelease) -> [CipherSuite] {
    table.filter { $0.group == group && $0.isMember(in: release) }.map(\.suite)
  }

  /// Whether the NIAP package `FCP_v2.1` contains a suite.
  package static func isInNIAPPackage(_ suite: CipherSuite) -> Bool {
    niapTLS12.contains(suite) || tls13.contains(suite)
  }
}
