import CertificateParsing
package import SessionModel
package import TrustEvaluation

/// The result of trust evaluation for a session (policy text D.6).
package enum TrustDecision {
  case trusted(TrustPath)

  case refused(PathFailure)

  /// A device may find a path, for this reason.
  case undecided(Doubt)

  /// Why a device may find a path although none was found here.
  package enum Doubt {
    case noAnchors
    /// A file of anchors or intermediates could not be used.
    case storeIsIncomplete
    /// An issuer was not sent, and the certificate below states where to fetch it.
    case canBeFetched(ObservedCertificate)
    /// The capture does not contain the complete certificate list.
    case notAllSeen
    /// The search stopped at the limit that the clause names.
    case abandoned(String)
  }

  /// Returns the decision about the evaluation of a chain; `path` is the one that a device would use.
  static func decide(_ trust: ChainTrust, path: TrustPath?, isComplete: Bool, fetchesIssuers: Bool) -> TrustDecision {
    if let path {
      guard !fetchesIssuers, let below = path.certificatesBelowFetched else { return .trusted(path) }
      return isComplete
        ? .refused(PathFailure(certificates: below, reason: .missingIssuer(canBeFetched: true))) : .undecided(.notAllSeen)
    }
    if let spent = trust.spentBudget { return .undecided(.abandoned(spent)) }
    guard let first = trust.failures.first else { return .undecided(.noAnchors) }
    // A root may also be the leaf; any other certificate signed with its own key cannot chain to a root.
    let isNoRoot = first.reason == .selfSignedLeaf && first.certificates.first?.certificate.isCA == false
    if first.reason == .distrusted || isNoRoot { return .refused(first) }
    if trust.hasNoAnchors { return .undecided(.noAnchors) }
    if !isComplete { return .undecided(.notAllSeen) }
    let fetched = trust.failures.first { $0.reason == .missingIssuer(canBeFetched: true) }
    if fetchesIssuers, let last = fetched?.certificates.last { return .undecided(.canBeFetched(last)) }
    return trust.isStoreComplete ? .refused(first) : .undecided(.storeIsIncomplete)
  }

  /// The findings for rules; nil if trust is undecided.
  var findings: TrustFindings? {
    switch self {
    case .trusted(let path):
      TrustFindings(path: path.certificates, anchorClass: path.anchorClass, isLeafAnchor: path.isLeafAnchor, details: path)
    case .refused: TrustFindings(path: [], anchorClass: .none)
    case .undecided: nil
    }
  }
}

extension TrustPath {
  /// The certificates below the first one that only other sessions showed, which a device would have to fetch; nil if there is none.
  fileprivate var certificatesBelowFetched: [ObservedCertificate]? {
    let index = origins.firstIndex { origin in
      switch origin {
      case .earlier, .otherCapture: true
      case .sent, .supplied, .anchors, .otherStore: false
      }
    }
    return index.map { Array(certificates.prefix($0)) }
  }
}
