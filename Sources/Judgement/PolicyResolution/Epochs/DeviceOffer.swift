package import TLSParsing

/// The ClientHello of a device under a policy (policy text D.0, D.1).
///
/// Only groups and schemes whose absence could make a server refuse are listed. Devices also offer hybrid groups and SHA-1 schemes, but a
/// server that accepts nothing else is assumed not to exist.
package struct DeviceOffer: Hashable, Sendable {
  /// The versions, the lowest first; empty if the policy's minimum is not a TLS version.
  package let versions: [TLSVersion]

  /// The cipher suites that can be negotiated at one of the versions, in the order of the framework's lists.
  package let suites: [CipherSuite]

  /// The groups for key exchange.
  package let groups: [NamedGroup]

  package let signatureSchemes: [SignatureScheme]

  /// Whether the versions include TLS 1.3.
  package var offersTLS13: Bool { versions.contains(.tls13) }

  package init(_ policy: EffectivePolicy) {
    let release = policy.release
    let least: TLSVersion = policy.requiresNIAPPackage ? .tls12 : .tls10
    let versions = [TLSVersion.tls10, .tls11, .tls12, .tls13].filter {
      $0.rawValue >= least.rawValue && $0.rawValue <= release.maximumTLSVersion.rawValue && policy.admits($0) == true
    }
    self.versions = versions
    let known = CipherSuiteGroups.table.filter { $0.isMember(in: release) }.map(\.suite) + CipherSuiteGroups.tripleDES
    suites = known.filter { suite in
      let needsTLS13 = CipherSuiteGroups.tls13.contains(suite)
      return policy.admits(suite) && (!policy.requiresNIAPPackage || CipherSuiteGroups.isInNIAPPackage(suite))
        && versions.contains { ($0 == .tls13) == needsTLS13 }
    }
    groups = ((release.isAtLeast(12) ? [0x001D] : []) + [0x0017, 0x0018, 0x0019]).map(NamedGroup.init(rawValue:))
    signatureSchemes = ([0x0403, 0x0503, 0x0401, 0x0501, 0x0601] + (release.isAtLeast(12) ? [0x0804, 0x0805, 0x0806] : [])).map(
      SignatureScheme.init(rawValue:))
  }
}
