package import AppleTrust
package import ByteParsing
import Crypto

/// The certificates that are trusted as such: the system's roots, and those that a user or administrator added.
package struct TrustStore: Sendable {
  /// The source of the system's roots.
  package enum SystemRoots: Hashable, Sendable {
    /// Apple's store of the release that is judged.
    case apple
    /// The machine's own store, which on systems other than Apple's is not Apple's list.
    case machine(isApples: Bool)
    /// A file that the user named, whose roots count as the system's.
    case file
    case none
  }

  /// The source of the system's roots.
  package let systemRoots: SystemRoots

  /// The system's roots in DER, in the order of their source; empty for Apple's stores, because each release has its own.
  package let system: [Bytes]

  package let added: [Bytes]

  /// Intermediates in DER that may complete any chain.
  package let intermediates: [Bytes]

  /// Whether intermediates from other chains may also complete a chain.
  package let takesShownIntermediates: Bool

  /// Whether all files of anchors and intermediates that the user named are in the store. If not, no chain is refused for want of one.
  package let isComplete: Bool

  /// The SHA-256 digests of certificates that must not be in any path, 64 hexadecimal digits each.
  package let distrusted: Set<String>

  /// The certificates that Apple's systems explicitly distrust: DigiNotar's root (Security Update 2011-005).
  package static let knownDistrusted: Set<String> = ["0d136e439f0ab6e97f3a02a540da9f0641aa554e1d66ea51ae2920d51b2f7217"]

  /// The maximum number of anchors of both kinds together; stores in use have about 150.
  package static let maximumCount = 16_384

  /// Creates a store. The certificates are decoded when a chain first needs them.
  package init(
    systemRoots: SystemRoots, system: [Bytes] = [], added: [Bytes] = [], intermediates: [Bytes] = [], takesShownIntermediates: Bool = true,
    isComplete: Bool = true, distrusted: Set<String> = TrustStore.knownDistrusted
  ) {
    self.isComplete = isComplete
    self.distrusted = distrusted
    self.systemRoots = systemRoots
    self.system = systemRoots == .none || systemRoots == .apple ? [] : system
    self.added = added
    self.intermediates = intermediates
    self.takesShownIntermediates = takesShownIntermediates
  }

  /// Whether there is no anchor at all, or the machine's store could not be found.
  package var lacksAnchors: Bool {
    if systemRoots == .apple { return false }
    if case .machine = systemRoots, system.isEmpty { return true }
    return system.isEmpty && added.isEmpty
  }

  /// The SHA-256 digests of the system's distinct roots, sorted, 64 hexadecimal digits each. If the roots are Apple's, `store` selects the
  /// store; nil selects all of them together.
  package func systemDigests(of store: AppleRootStore?) -> [String] {
    if systemRoots == .apple { return store?.digests ?? AppleRootStore.allDigests }
    return Set(system.map { hexadecimal(SHA256.hash(data: $0)) }).sorted()
  }

  /// The SHA-256 digest over the digests of roots; nil if there are none.
  package static func sha256(of digests: [String]) -> String? {
    if digests.isEmpty { return nil }
    var hash = SHA256()
    for digest in digests { hash.update(data: Bytes(digest.utf8)) }
    return hexadecimal(hash.finalize())
  }
}

/// The kind of anchor at which a path ends (policy text D.6).
package enum AnchorClass: String, Hashable, Sendable, CaseIterable {
  /// A root that is part of the system.
  case system
  /// A root that is part of the system and Apple's own.
  case apple
  /// A root that a user or administrator installed.
  case added
  case none
}
