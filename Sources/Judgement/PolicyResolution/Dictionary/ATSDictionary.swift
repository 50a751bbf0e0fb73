/// The value of NSAppTransportSecurity as the system reads it: what it does not read is not here (policy text B).
///
/// Booleans are tri-state, because the presence of some keys has effects of its own.
public struct ATSDictionary: Hashable, Sendable {
  /// NSAllowsArbitraryLoads.
  public var allowsArbitraryLoads: Bool?

  /// NSAllowsArbitraryLoadsForMedia.
  public var allowsArbitraryLoadsForMedia: Bool?

  /// NSAllowsArbitraryLoadsInWebContent.
  public var allowsArbitraryLoadsInWebContent: Bool?

  /// NSAllowsLocalNetworking.
  public var allowsLocalNetworking: Bool?

  /// The entries of NSExceptionDomains that are dictionaries, in the order of the file; keys differ.
  public var exceptionDomains: [ExceptionEntry]

  /// The entries of NSPinnedDomains that are dictionaries, in the order of the file; keys differ.
  public var pinnedDomains: [PinnedDomain]

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
  /// No package, which lifts a global demand for one host.
  case none
  /// `FCP_v2.1`.
  case fcp2d1 = "FCP_v2.1"
  /// What the system recommends, at present the same as `FCP_v2.1`.
  case recommended

  /// Whether the package requires anything.
  package var isDemand: Bool { self != .none }
}
