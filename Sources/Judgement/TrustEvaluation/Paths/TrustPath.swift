package import AppleTrust
package import SessionModel

/// A path from a leaf to an anchor.
package struct TrustPath: Hashable, Sendable {
  /// Where a certificate of a path is from.
  package enum Origin: Hashable, Sendable {
    /// The server sent it, at this index.
    case sent(Int)
    /// It was seen earlier in the capture, from another server.
    case earlier
    /// An earlier capture of this name showed it.
    case otherCapture(String)
    /// It is among those that the user gave for all chains.
    case given
    /// It is the anchor, and was not sent.
    case anchors
    /// It is a root that only other stores of Apple's contain, and was not sent.
    case otherStore
  }

  /// The certificates, the leaf first and the anchor last.
  package var certificates: [ObservedCertificate]

  /// Where each is from.
  package var origins: [Origin]

  /// The certificates whose signatures cannot be verified here, the one nearest to the leaf first.
  package var unverified: [UnverifiedSignature] = []

  package var anchorClass: AnchorClass
  /// Whether the leaf itself is among the anchors that were added.
  package var isLeafAnchor = false

  /// What breaks the name or policy constraints of its CAs; nil for nothing.
  package var constraintFault: PathFault?

  /// A CA that has critical name constraints which the system cannot compare, which newer releases refuse; nil for none.
  package var unsupportedConstraint: PathFault?

  /// The certificates that were seen earlier in the capture and complete the path.
  package var completedBy: [ObservedCertificate] {
    zip(certificates, origins).filter { $0.1 == .earlier }.map(\.0)
  }

  /// The certificates that the user gave for all chains and that complete the path.
  package var completedByGiven: [ObservedCertificate] {
    zip(certificates, origins).filter { $0.1 == .given }.map(\.0)
  }

  /// The certificates that other captures showed and that complete the path, each with the name of its capture.
  package var completedByOthers: [(certificate: ObservedCertificate, capture: String)] {
    zip(certificates, origins).compactMap { certificate, origin in
      if case .otherCapture(let capture) = origin { (certificate, capture) } else { nil }
    }
  }
}

/// A signature that cannot be verified here.
package struct UnverifiedSignature: Hashable, Sendable {
  /// The index of the certificate in its path; 0 is the leaf.
  package var index: Int

  package var reason: String

  /// Whether Apple's systems have no keys of the kind that made it, so that they cannot verify it either: DSA, and
  /// curves other than those of NIST.
  package var isBeyondApples: Bool
}

/// An attempt at a path that came to no anchor.
package struct PathFailure: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The leaf is signed with its own key and is not an anchor.
    case selfSignedLeaf
    /// It ends at a certificate signed with its own key, which is not an anchor.
    case unknownRoot
    /// No certificate of the issuer is available; whether there is an address where it can be fetched.
    case missingIssuer(canBeFetched: Bool)
    /// The signature does not verify with the key of the only issuers at hand; how, as a clause.
    case badSignature(String)
    /// The certificate is known to be distrusted.
    case distrusted
    /// The leaf has the name and the key of an anchor, and is another certificate that the key did not sign.
    case imitatedAnchor
    /// Its issuers lead in a circle.
    case circular
    /// Longer paths are not followed.
    case tooLong
  }

  /// The certificates up to the one that goes no further, the leaf first.
  package var certificates: [ObservedCertificate]

  package var reason: Reason
}

/// What was found of the chain that a server sent, whatever the host and the time.
///
/// Made once for each distinct chain and shared by all sessions that show it.
package final class ChainTrust: Sendable {
  /// The paths to anchors, in the order in which a device would look at them.
  package let paths: [TrustPath]

  /// The attempts that came to no anchor, the one that went furthest first.
  package let failures: [PathFailure]

  /// What the search spent its budget on before it came to an end, as a clause; nil where it came to its end.
  package let spentBudget: String?

  /// Where the system's roots are from.
  package let systemRoots: TrustStore.SystemRoots

  /// The version of Apple's store that the search used; nil where the system's roots are others.
  package let appleStore: AppleRootStore?

  package let anchorClasses: [AnchorClass]

  /// Whether there is no anchor at all, or those of the machine could not be found: then no chain can be refused for
  /// lack of one.
  package let hasNoAnchors: Bool

  init(
    paths: [TrustPath], failures: [PathFailure], spentBudget: String?, store: TrustStore,
    appleStore: AppleRootStore?
  ) {
    self.appleStore = appleStore
    self.paths = paths
    self.failures = failures
    self.spentBudget = spentBudget
    systemRoots = store.systemRoots
    anchorClasses =
      (store.system.isEmpty && store.systemRoots != .apple ? [] : [.system])
      + (store.added.isEmpty ? [] : [.added])
    hasNoAnchors = store.lacksAnchors
  }
}
