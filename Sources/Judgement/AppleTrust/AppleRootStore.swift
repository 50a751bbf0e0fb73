package import ByteParsing

package struct AppleRootStore: Hashable, Sendable {
  /// The version as `YYYYMMDDNN`, such as `2024051500`.
  package let version: UInt32

  let index: Int

  init(version: UInt32, index: Int) {
    self.version = version
    self.index = index
  }

  /// The store of the newest release with published roots.
  package static let newest = AppleTrustData.shared.stores.last ?? AppleRootStore(version: 0, index: 0)

  /// The store of a macOS release. If the release is not listed, it is the store of the nearest earlier one with the same major version, or
  /// else of the first one with it (12.0.0 is before the first). If the major version is not listed, the nearest lower one counts.
  package init(macOS major: Int, _ minor: Int, _ patch: Int) {
    let data = AppleTrustData.shared
    // Up to macOS 10.15, the second number was that of the year.
    func isOfSameYear(_ release: AppleTrustData.Release) -> Bool {
      release.major == major && (major > 10 || release.minor == minor)
    }
    let earlier = data.releases.last { ($0.major, $0.minor, $0.patch) <= (major, minor, patch) }
    let row =
      earlier.flatMap { isOfSameYear($0) ? $0 : nil } ?? data.releases.first(where: isOfSameYear) ?? earlier
      ?? data.releases.first
    self = row.flatMap { data.stores.indices.contains($0.store) ? data.stores[$0.store] : nil } ?? .newest
  }

  /// Whether the store contains the certificate with this SHA-256 (64 hexadecimal digits).
  package func contains(_ sha256: String) -> Bool {
    let data = AppleTrustData.shared
    return data.index(of: sha256).map { data.isMember($0, of: self) } ?? false
  }

  /// The SHA-256 digests of the roots in order, 64 hexadecimal digits each.
  package var digests: [String] {
    let data = AppleTrustData.shared
    return data.indices(in: self).map { hexadecimal(data.roots[$0].digest) }
  }

  package static var allDigests: [String] { AppleTrustData.shared.roots.map { hexadecimal($0.digest) } }

  /// The roots and their subjects in DER. Each call copies them.
  package var roots: [(certificate: Bytes, subject: Bytes)] {
    let data = AppleTrustData.shared
    return data.indices(in: self).map { data.root(at: $0) }
  }

  /// The roots and their subjects in DER that only other stores contain. Each call copies them.
  package var foreignRoots: [(certificate: Bytes, subject: Bytes)] {
    let data = AppleTrustData.shared
    return data.roots.indices.filter { !data.isMember($0, of: self) }.map { data.root(at: $0) }
  }
}

package struct AppleRoot: Hashable, Sendable {
  package let isApplesOwn: Bool

  /// Whether TLS server chains may end at the root.
  package let anchorsServers: Bool

  /// Finds the root with this SHA-256 (64 hexadecimal digits); nil if no store contains it.
  package init?(sha256: String) {
    let data = AppleTrustData.shared
    guard let index = data.index(of: sha256) else { return nil }
    isApplesOwn = data.roots[index].flags & 1 != 0
    anchorsServers = data.roots[index].flags & 2 == 0
  }
}

/// Apple's list of Certificate Transparency logs, as published with the newest store.
package enum AppleLogList {
  /// The list in JSON. Each call copies it.
  package static var json: Bytes { AppleTrustData.shared.logList }

  /// The date of the list as `YYYYMMDD`.
  package static var date: UInt32 { AppleTrustData.shared.logListDate }

  package static var count: Int { AppleTrustData.shared.logCount }

  /// The SHA-256 digest of the list, 64 hexadecimal digits.
  package static var sha256: String { hexadecimal(AppleTrustData.shared.logListDigest) }
}
