package import Values

/// What is known of a certificate's revocation at a time.
package enum RevocationStatus: Hashable, Sendable {
  /// A response or list that covers the time says that it is not revoked.
  case good(by: RevocationEvidence.Kind)

  /// Revoked, with the time and reason (RFC 5280 §5.3.1) if given.
  case revoked(at: Timestamp?, reason: Int?, by: RevocationEvidence.Kind)

  /// No usable status: the reasons why the available data does not count, each once. Empty without data.
  case unknown([RevocationObstacle])
}

/// Why a response or list gives no status for a certificate.
package enum RevocationObstacle: Hashable, Sendable {
  /// It cannot be read, or has no single response.
  case unreadable

  case otherCertificate

  /// It is not signed by the issuer, or by whom the issuer has made a responder.
  case notSignedByIssuer

  /// Its signature is not valid.
  case invalidSignature

  /// The signature cannot be verified here, or the issuer's certificate is missing.
  case notVerifiable

  /// It was issued after the time.
  case notYetCurrent

  /// It was to be replaced before the time.
  case outdated

  /// It has no readable time of issue.
  case withoutTime

  /// It has a critical extension that is not known here.
  case unknownCriticalExtension

  /// It does not cover the certificate: for other kinds, other addresses, other reasons, or for changes only.
  case outOfScope

  /// The responder says that it does not know the certificate.
  case statusUnknown

  /// Not all that was supplied was looked into.
  case tooMany
}

extension RevocationObstacle: CustomStringConvertible {
  /// A clause for people.
  package var description: String {
    switch self {
    case .unreadable: "it cannot be read or has no status"
    case .otherCertificate: "it covers another certificate"
    case .notSignedByIssuer: "it is not signed by the issuer or its responder"
    case .invalidSignature: "its signature is not valid"
    case .notVerifiable: "its signature cannot be verified here"
    case .notYetCurrent: "it was issued after the judged time"
    case .outdated: "it was out of date at the judged time"
    case .withoutTime: "it does not say when it was issued"
    case .unknownCriticalExtension: "it has an unknown critical extension"
    case .outOfScope: "it does not cover this certificate"
    case .statusUnknown: "the responder does not know the certificate"
    case .tooMany: "there is more than is checked for one certificate"
    }
  }
}

/// The status of one certificate in one response or list, at any time.
package struct RevocationEvidence: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case stapledResponse

    case suppliedResponse

    case list
  }

  enum Conclusion: Hashable, Sendable {
    case good
    case revoked(at: Timestamp?, reason: Int?)
    /// An earlier hold is taken back; of what else may have happened to the certificate it says nothing.
    case released
    case nothing(RevocationObstacle)
  }

  var kind: Kind
  var conclusion: Conclusion

  /// When it was known to be right: of several, the latest may end a hold.
  var thisUpdate: Timestamp?

  /// From when on it counts.
  var notBefore: Timestamp?

  /// Until when it counts, inclusive; nil for no bound.
  var notAfter: Timestamp?

  /// Whether it counts whatever the time is.
  var countsAtAnyTime = false

  /// When the responder's own certificate becomes valid; nil where the issuer signed.
  var signerNotBefore: Timestamp?

  /// When it expires, inclusive.
  var signerNotAfter: Timestamp?
}

/// The reasons of a revocation that is not permanent (RFC 5280 §5.3.1).
enum CRLReason {
  static let certificateHold = 6
  static let removeFromCRL = 8
}

extension RevocationEvidence {
  /// What the evidence says at a time: nothing where it does not cover it.
  func conclusion(_ isAtOrAfter: (Timestamp) -> Bool?) -> Conclusion {
    if case .nothing = conclusion { return conclusion }
    if countsAtAnyTime { return conclusion }
    guard let notBefore else { return .nothing(.withoutTime) }
    guard isAtOrAfter(notBefore) == true else { return .nothing(.notYetCurrent) }
    for end in [notAfter, signerNotAfter] {
      guard let end else { continue }
      guard isAtOrAfter(end.successor ?? end) == false else { return .nothing(.outdated) }
    }
    if let signerNotBefore, isAtOrAfter(signerNotBefore) != true { return .nothing(.notSignedByIssuer) }
    // What is revoked as of later is not revoked yet.
    if case .revoked(let time?, _) = conclusion, isAtOrAfter(time) == false { return .good }
    return conclusion
  }
}
