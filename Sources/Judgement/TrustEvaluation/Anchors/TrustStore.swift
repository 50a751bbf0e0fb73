package import AppleTrust
package import ByteParsing
import Crypto

/// The certificates that are trusted in themselves: the system's roots, and those that a user or administrator
/// added.
package struct TrustStore: Sendable {
  /// Where the system's roots are from.
  package enum SystemRoots: Hashable, Sendable {
    /// Apple's store of the release that is judged.
    case apple
    /// The store of the machine; on systems other than Apple's it is not Apple's list.
    case machine(isApples: Bool)
    /// A file that was named, taken as the system's.
    case file
    case none
  }

  /// Where the system's roots are from.
  package let systemRoots: SystemRoots

  /// The system's roots in DER, in the order of their source; empty for Apple's stores, of which each release has its own.
  package let system: [Bytes]

  package let added: [Bytes]

  /// Intermediates that every chain may be completed with, in DER.
  package let intermediates: [Bytes]

  /// Whether chains may also be completed with intermediates that others showed.
  package let takesShownIntermediates: Bool

  /// SHA-256 of certificates that no path may hold, 64 hexadecimal digits each.
  package let distrusted: Set<String>

  /// The certificates that Apple's systems distrust by name: DigiNotar's root (Security Update 2011-005).
  package static let knownDistrusted: Set<String> = [
    "0d136e439f0ab6e97f3a02a540da9f0641aa554e1d66ea51ae2920d51b2f7217"
  ]

  /// Anchors beyond this many, of both kinds together, are not used; stores in use have some 150.
  package static let maximumCount = 16_384

  /// Creates a store. The certificates are decoded when a chain first requests them.
  package init(
    systemRoots: SystemRoots, system: [Bytes] = [], added: [Bytes] = [], intermediates: [Bytes] = [],
    takesShownIntermediates: Bool = true, distrusted: Set<String> = TrustStore.knownDistrusted
  ) {
    self.distrusted = distrusted
    self.systemRoots = systemRoots
    self.system = systemRoots == .none || systemRoots == .apple ? [] : system
    self.added = added
    self.intermediates = intermediates
    self.takesShownIntermediates = takesShownIntermediates
  }

  /// Whether there is no anchor at all, or those of the machine could not be found.
  package var lacksAnchors: Bool {
    if systemRoots == .apple { return false }
    if case .machine = systemRoots, system.isEmpty { return true }
    return system.isEmpty && added.isEmpty
  }

  /// The SHA-256 digests of the distinct roots of the system, sorted, 64 hexadecimal digits each. `store` applies where the roots are
  /// Apple's; nil is all of Apple's stores together.
  package func systemDigests(of store: AppleRootStore?) -> [String] {
    if systemRoots == .apple { return store?.digests ?? AppleRootStore.allDigests }
    return Set(system.map { hexadecimal(SHA256.hash(data: $0)) }).sorted()
  }

  /// SHA-256 over digests of roots; nil where there are none.
  package static func sha256(of digests: [String]) -> String? {
    if digests.isEmpty { return nil }
    var hash = SHA256()
    for digest in digests { hash.update(data: Bytes(digest.utf8)) }
    return hexadecimal(hash.finalize())
  }
}

/// What kind of anchor a path ends at (policy text D.6).
package enum AnchorClass: String, Hashable, Sendable, CaseIterable {
  /// A root that comes with the system.
  case system
  /// A root that comes with the system and is Apple's own.
  case apple
  /// A root that a user or administrator installed.
  case added
  case none
}
