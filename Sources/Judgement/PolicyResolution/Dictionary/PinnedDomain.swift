/// One entry of NSPinnedDomains (policy text B.4, B.12).
public struct PinnedDomain: Hashable, Sendable {
  /// The key as written.
  public package(set) var key: String

  /// Whether NSIncludesSubdomains is the Boolean true; a number does not count here.
  public package(set) var includesSubdomains: Bool

  /// The readable digests under NSPinnedLeafIdentities, in Base64; nil if the key is absent.
  public package(set) var leafDigests: [String]?

  /// The readable digests under NSPinnedCAIdentities, in Base64; nil if the key is absent.
  public package(set) var caDigests: [String]?

  package init(key: String, includesSubdomains: Bool = false, leafDigests: [String]? = nil, caDigests: [String]? = nil) {
    self.key = key
    self.includesSubdomains = includesSubdomains
    self.leafDigests = leafDigests
    self.caDigests = caDigests
  }
}

/// What the pins of all matching entries require of a host's chain (policy text B.12).
package struct PinDemands: Hashable, Sendable {
  /// The digests one of which the leaf's key must have; nil means no requirement, empty one that no key meets.
  package var leaf: [String]?

  /// The digests one of which the key of a CA in the path must have; nil and empty as for `leaf`.
  package var ca: [String]?
}
