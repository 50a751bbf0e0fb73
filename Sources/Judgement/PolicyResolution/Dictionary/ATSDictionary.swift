/// The value of NSAppTransportSecurity as the system reads it, without what it ignores (policy text B).
///
/// Booleans are tri-state, because the presence of some keys has effects of its own.
public struct ATSDictionary: Hashable, Sendable {
  /// NSAllowsArbitraryLoads.
  public package(set) var allowsArbitraryLoads: Bool?

  /// NSAllowsArbitraryLoadsForMedia.
  public package(set) var allowsArbitraryLoadsForMedia: Bool?

  /// NSAllowsArbitraryLoadsInWebContent.
  public package(set) var allowsArbitraryLoadsInWebContent: Bool?

  /// NSAllowsLocalNetworking.
  public package(set) var allowsLocalNetworking: Bool?

  /// The entries of NSExceptionDomains that are dictionaries, in the order of the file; keys differ.
  public package(set) var exceptionDomains: [ExceptionEntry]

  /// The entries of NSPinnedDomains that are dictionaries, in the order of the file; keys differ.
  public package(set) var pinnedDomains: [PinnedDomain]

  /// NSRequiresNIAPTLSPackageVersion; nil if it is absent or not one of the known values.
  package var requiredNIAPPackage: NIAPPackage?

  /// Creates a dictionary; without arguments the empty one, which is not the same as none (B.10).
  package init(
    allowsArbitraryLoads: Bool? = nil, allowsArbitraryLoadsForMedia: Bool? = nil,
    allowsArbitraryLoadsInWebContent: Bool? = nil, allowsLocalNetworking: Bool? = nil,
    exceptionDomains: [ExceptionEntry] = [], pinnedDomains: [PinnedDomain] = [],
    requiredNIAPPackage: NIAPPackage? = nil
  ) {
    self.allowsArbitraryLoads = allowsArbitraryLoads
    self.allowsArbitraryLoadsForMedia = allowsArbitraryLoadsForMedia
    self.allowsArbitraryLoadsInWebContent = allowsArbitraryLoadsInWebContent
    self.allowsLocalNetworking = allowsLocalNetworking
    self.exceptionDomains = exceptionDomains
    self.pinnedDomains = pinnedDomains
    self.requiredNIAPPackage = requiredNIAPPackage
  }
}

/// A NIAP TLS package that a key can ask for (policy text B.13).
package enum NIAPPackage: String, Hashable, Sendable, CaseIterable {
  /// No package, which lifts a global requirement for one host.
  case none
  /// `FCP_v2.1`.
  case fcp2d1 = "FCP_v2.1"
  /// What the system recommends, at present the same as `FCP_v2.1`.
  case recommended

  /// Whether the package requires anything.
  package var isDemand: Bool { self != .none }
}
