/// One entry of NSPinnedDomains (policy text B.4, B.12).
public struct PinnedDomain: Hashable, Sendable {
  /// The key as it is written.
  public package(set) var key: String

  /// Whether NSIncludesSubdomains is a boolean that is true; a number does not count here.
  public package(set) var includesSubdomains: Bool

  /// The readable digests under NSPinnedLeafIdentities, in base64; nil if the key is absent.
  public package(set) var leafDigests: [String]?

  /// The readable digests under NSPinnedCAIdentities, in base64; nil if the key is absent.
  public package(set) var caDigests: [String]?

  package init(
    key: String, includesSubdomains: Bool = false, leafDigests: [String]? = nil, caDigests: [String]? = nil
  ) {
    self.key = key
    self.includesSubdomains = includesSubdomains
    self.leafDigests = leafDigests
    self.caDigests = caDigests
  }
}

package struct PinDemands: Hashable, Sendable {
  /// Digests that the leaf's key must be among: nil no demand, empty a demand that nothing meets.
  package var leaf: [String]?

  /// The same for a CA of the path.
  package var ca: [String]?

  /// Whether SecTrustPinningRequired makes trust fail for want of pins.
  package var pinningRequired: Bool

  package init(leaf: [String]? = nil, ca: [String]? = nil, pinningRequired: Bool = false) {
    self.leaf = leaf
    self.ca = ca
    self.pinningRequired = pinningRequired
  }

  /// What is left of the demands where the undocumented key SecTrustPinningRequired is true (B.12).
  ///
  /// The lists are dropped; trust then fails unless both were there and empty.
  package var reconciledWithPinningRequired: PinDemands {
    guard pinningRequired else { return self }
    return PinDemands(pinningRequired: !(leaf == [] && ca == []))
  }
}
