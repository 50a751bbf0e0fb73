/// The value of NSAppTransportSecurity as the system reads it, without what it ignores (policy text B).
///
/// Booleans are optional, because the mere presence of some keys has an effect.
public struct ATSDictionary: Hashable, Sendable {
  /// NSAllowsArbitraryLoads; nil if absent.
  public package(set) var allowsArbitraryLoads: Bool?

  /// NSAllowsArbitraryLoadsForMedia; nil if absent.
  public package(set) var allowsArbitraryLoadsForMedia: Bool?

  /// NSAllowsArbitraryLoadsInWebContent; nil if absent.
  public package(set) var allowsArbitraryLoadsInWebContent: Bool?

  /// NSAllowsLocalNetworking; nil if absent.
  public package(set) var allowsLocalNetworking: Bool?

  /// The NSExceptionDomains entries that are dictionaries, in the order of the file, with distinct keys.
  public package(set) var exceptionDomains: [ExceptionEntry]

  /// The NSPinnedDomains entries that are dictionaries, in the order of the file, with distinct keys.
  public package(set) var pinnedDomains: [PinnedDomain]

  /// NSRequiresNIAPTLSPackageVersion; nil if it is absent or has an unknown value.
  package var requiredNIAPPackage: NIAPPackage?

  /// Creates a dictionary; without arguments an empty one, which differs from none (B.10).
  package init(
    allowsArbitraryLoads: Bool? = nil, allowsArbitraryLoadsForMedia: Bool? = nil, allowsArbitraryLoadsInWebContent: Bool? = nil,
    allowsLocalNetworking: Bool? = nil, exceptionDomains: [ExceptionEntry] = [], pinnedDomains: [PinnedDomain] = [],
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

extension ATSDictionary {
  /// The keys whose presence cancels NSAllowsArbitraryLoads from iOS 10 and macOS 10.12, with their values; the first decides (B.6).
  package var arbitraryLoadsCancelers: [(key: String, value: Bool)] {
    [
      (ATSKeys.localNetworking, allowsLocalNetworking),
      (ATSKeys.arbitraryLoadsInWebContent, allowsArbitraryLoadsInWebContent),
      (ATSKeys.arbitraryLoadsForMedia, allowsArbitraryLoadsForMedia),
    ].compactMap { key, value in value.map { (key, $0) } }
  }
}

/// A NIAP TLS package that a key can require (policy text B.13).
package enum NIAPPackage: String, Hashable, Sendable, CaseIterable {
  /// No package; lifts a global requirement for one host.
  case none
  /// `FCP_v2.1`.
  case fcp2d1 = "FCP_v2.1"
  /// The system's recommendation, currently the same as `FCP_v2.1`.
  case recommended

  /// Whether the package requires anything.
  package var isDemand: Bool { self != .none }
}
