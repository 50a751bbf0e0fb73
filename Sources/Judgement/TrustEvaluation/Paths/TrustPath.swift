package import AppleTrust
package import SessionModel

/// A path from a leaf to an anchor.
package struct TrustPath: Hashable, Sendable {
  /// The origin of a certificate in a path.
  package enum Origin: Hashable, Sendable {
    /// The server sent it, at this index.
    case sent(Int)
    /// Another server sent it earlier in the capture.
    case earlier
    /// An earlier capture with this name contained it.
    case otherCapture(String)
    /// The user supplied it for all chains.
    case supplied
    /// It is the anchor and was not sent.
    case anchors
    /// It is a root that only other stores of Apple's contain, and was not sent.
    case otherStore
  }

  /// The certificates, from the leaf to the anchor.
  package var certificates: [ObservedCertificate]

  /// The origin of each certificate.
  package var origins: [Origin]

  /// The certificates whose signatures cannot be verified here, the one nearest to the leaf first.
  package var unverified: [UnverifiedSignature] = []

  package var anchorClass: AnchorClass
  /// Whether the leaf itself is among the anchors that were added.
  package var isLeafAnchor = false

  /// The violation of a CA's name or policy constraints; nil if there is none.
  package var constraintFault: PathFault?

  /// A CA with critical name constraints that the system cannot compare, which newer releases refuse; nil if there is none.
  package var unsupportedConstraint: PathFault?

  /// Creates a path.
  package init(
    certificates: [ObservedCertificate], origins: [Origin], unverified: [UnverifiedSignature] = [], anchorClass: AnchorClass,
    isLeafAnchor: Bool = false, constraintFault: PathFault? = nil, unsupportedConstraint: PathFault? = nil
  ) {
    self.certificates = certificates
    self.origins = origins
    self.unverified = unverified
    self.anchorClass = anchorClass
    self.isLeafAnchor = isLeafAnchor
    self.constraintFault = constraintFault
    self.unsupportedConstraint = unsupportedConstraint
  }

  /// The certificates that were seen earlier in the capture and complete the path.
  package var completedBy: [ObservedCertificate] {
    zip(certificates, origins).filter { $0.1 == .earlier }.map(\.0)
  }

  /// The certificates supplied by the user that complete the path.
  package var completedBySupplied: [ObservedCertificate] {
    zip(certificates, origins).filter { $0.1 == .supplied }.map(\.0)
  }

  /// The certificates from other captures that complete the path, each with the name of its capture.
  package var completedByOthers: [(certificate: ObservedCertificate, capture: String)] {
    zip(certificates, origins).compactMap { certificate, origin in
      if case .otherCapture(let capture) = origin { (certificate, capture) } else { nil }
    }
  }
}

/// A signature that cannot be verified here.
package struct UnverifiedSignature: Hashable, Sendable {
  /// The index of the signed certificate in its path; 0 is the leaf.
  package var index: Int

  package var reason: String

  /// Whether Apple's systems cannot verify the signature either, because they do not support its kind of key: DSA, and curves other than
  /// NIST's.
  package var isUnsupportedByApple: Bool
}

/// A failed attempt at a path, which reached no anchor.
package struct PathFailure: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The leaf is signed with its own key and is not an anchor.
    case selfSignedLeaf
    /// The path ends at a certificate that is signed with its own key and is not an anchor.
    case unknownRoot
    /// No certificate of the issuer is available; `canBeFetched` states whether there is a URL to fetch it from.
    case missingIssuer(canBeFetched: Bool)
    /// The signature does not verify with the key of the issuer; the clause states how.
    case badSignature(String)
    /// The signature does not verify with the key of any certificate that has the issuer's name, and without key identifiers the issuer may
    /// be another one. `ofAnchor` is whether an anchor has that name.
    case otherKey(ofAnchor: Bool)
    /// The certificate is explicitly distrusted.
    case distrusted
    /// The leaf has the name and the key of an anchor, but is a different certificate that this key did not sign.
    case imitatedAnchor
    /// The issuers form a cycle; `leadsToAnchor` is whether one of them also leads to an anchor.
    case circular(leadsToAnchor: Bool)
  }

  /// The certificates from the leaf to the one at which the search stopped.
  package var certificates: [ObservedCertificate]

  package var reason: Reason

  /// Creates a failure.
  package init(certificates: [ObservedCertificate], reason: Reason) {
    self.certificates = certificates
    self.reason = reason
  }
}

/// The evaluation of a certificate chain, regardless of host and time.
///
/// It is made once for each distinct chain and shared by all sessions with that chain.
package final class ChainTrust: Sendable {
  /// The paths to anchors, in the order in which a device would try them.
  package let paths: [TrustPath]

  /// The attempts that reached no anchor, the longest first.
  package let failures: [PathFailure]

  /// The limit that ended the search early, as a clause; nil if the search finished.
  package let spentBudget: String?

  /// The source of the system's roots.
  package let systemRoots: TrustStore.SystemRoots

  /// The version of Apple's store that was used; nil if the system's roots are not Apple's.
  package let appleStore: AppleRootStore?

  package let anchorClasses: [AnchorClass]

  /// Whether there is no anchor at all, or the machine's store could not be found. No chain can then be refused for lack of an anchor.
  package let hasNoAnchors: Bool

  /// Whether the store has all the files that the user named.
  package let isStoreComplete: Bool

  /// Creates an evaluation under a store of trust.
  package init(paths: [TrustPath], failures: [PathFailure], spentBudget: String?, store: TrustStore, appleStore: AppleRootStore?) {
    self.appleStore = appleStore
    self.paths = paths
    self.failures = failures
    self.spentBudget = spentBudget
    systemRoots = store.systemRoots
    anchorClasses = (store.system.isEmpty && store.systemRoots != .apple ? [] : [.system]) + (store.added.isEmpty ? [] : [.added])
    hasNoAnchors = store.lacksAnchors
    isStoreComplete = store.isComplete
  }
}
