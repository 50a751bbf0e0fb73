/// The ClientHello of a device under a policy, as code points (policy text D.0, D.1).
///
/// Only groups and schemes whose absence could make a server refuse are listed. Devices also offer hybrid groups and SHA-1 schemes, but a
/// server that accepts nothing else is assumed not to exist.
package struct DeviceOffer: Hashable, Sendable {
  /// The versions, the lowest first; empty if the policy's minimum is not a TLS version.
  package let versions: [UInt16]

  /// The cipher suites that can be negotiated at one of the versions, in the order of the framework's lists.
  package let suites: [UInt16]

  /// The groups for key exchange.
  package let groups: [UInt16]

  package let signatureSchemes: [UInt16]

  /// Whether the versions include TLS 1.3.
  package var offersTLS13: Bool { versions.contains(0x0304) }

  package init(_ policy: EffectivePolicy) {
    let release = policy.release
    let least: UInt16 = policy.niapPackageRequired ? 0x0303 : 0x0301
    let versions = ([0x0301, 0x0302, 0x0303, 0x0304] as [UInt16]).filter {
      $0 >= least && $0 <= release.maximumTLSVersion && policy.admits(version: $0) == true
    }
    self.versions = versions
    let known =
      CipherSuiteGroups.table.filter { $0.isMember(in: release) }.map(\.code) + CipherSuiteGroups.tripleDES
    suites = known.filter { code in
      let needsTLS13 = CipherSuiteGroups.tls13.contains(code)
      return policy.admits(suite: code)
        && (!policy.niapPackageRequired || CipherSuiteGroups.isInNIAPPackage(code))
        && versions.contains { ($0 == 0x0304) == needsTLS13 }
    }
    groups = (release.isAtLeast(12) ? [0x001D] : []) + [0x0017, 0x0018, 0x0019]
    signatureSchemes =
      [0x0403, 0x0503, 0x0401, 0x0501, 0x0601] + (release.isAtLeast(12) ? [0x0804, 0x0805, 0x0806] : [])
  }
}
