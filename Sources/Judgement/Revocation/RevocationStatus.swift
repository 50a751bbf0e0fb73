package import Values

/// The revocation status of a certificate at a time.
package enum RevocationStatus: Hashable, Sendable {
  /// Not revoked, according to a response or list that covers the time.
  case good(by: RevocationEvidence.Kind)

  /// Revoked, with the time and the reason (RFC 5280 §5.3.1) if stated.
  case revoked(at: Timestamp?, reason: Int?, by: RevocationEvidence.Kind)

  /// No usable status, with the distinct reasons why the available data does not count. Empty if there is no data.
  case unknown([RevocationObstacle])
}

/// Why a response or list provides no status for a certificate.
package enum RevocationObstacle: Hashable, Sendable {
  /// It cannot be parsed, or contains no single response.
  case unreadable

  case otherCertificate

  /// Its signer is neither the issuer nor a responder that the issuer has authorized.
  case notSignedByIssuer

  /// The keyUsage of the issuer's certificate lacks cRLSign.
  case mayNotSignLists

  case invalidSignature

  /// Its signature cannot be verified here, or the issuer's certificate is missing.
  case notVerifiable

  /// It was issued after the time.
  case notYetCurrent

  /// Its validity ended before the time.
  case outdated

  /// It states no readable time of issue.
  case withoutTime

  case unknownCriticalExtension

  /// It does not cover the certificate: it is for other kinds of certificates, other distribution points or other reasons, or is a delta
  /// list.
  case outOfScope

  /// The responder does not know the certificate.
  case statusUnknown

  /// Not all supplied data was evaluated.
  case tooMany
}

extension RevocationObstacle: CustomStringConvertible {
  /// A clause for users.
  package var description: String {
    switch self {
    case .unreadable: "it cannot be read or has no status"
    case .otherCertificate: "it covers another certificate"
    case .notSignedByIssuer:
      "its signer's certificate is neither that of the issuer in the chain nor one that the issuer authorized to sign responses"
    case .mayNotSignLists: "the issuer's certificate does not allow its key to sign lists"
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

/// The status of one certificate in one response or list, regardless of the time.
package struct RevocationEvidence: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case stapledResponse

    case suppliedResponse

    case list
  }

  enum Conclusion: Hashable, Sendable {
    case good
    case revoked(at: Timestamp?, reason: Int?)
    /// An earlier hold is lifted; this says nothing about other revocations.
    case released
    case nothing(RevocationObstacle)
  }

  var kind: Kind
  var conclusion: Conclusion

  /// The time at which the status was known to be correct. Of several, the latest may end a hold.
  var thisUpdate: Timestamp?

  /// The earliest time at which the evidence counts; nil if there is no bound.
  var notBefore: Timestamp?

  /// The latest time at which the evidence counts, inclusive; nil if there is no bound.
  var notAfter: Timestamp?

  var countsAtAnyTime = false

  /// The start of the validity of the responder's own certificate; nil if the issuer signed.
  var signerNotBefore: Timestamp?

  /// The end of the validity of the responder's own certificate, inclusive; nil if the issuer signed.
  var signerNotAfter: Timestamp?
}

/// The reasons of revocations that are not permanent (RFC 5280 §5.3.1).
enum CRLReason {
  static let certificateHold = 6
  static let removeFromCRL = 8
}

extension RevocationEvidence {
  /// The conclusion at a time, if the evidence covers it.
  func conclusion(_ isAtOrAfter: (Timestamp) -> Bool?) -> Conclusion {
    if case .nothing = conclusion { return conclusion }
    if countsAtAnyTime { return conclusion }
    // A permanent revocation in a list counts from its date on, whenever the list was made.
    if kind == .list, case .revoked(let date?, let reason) = conclusion, reason != CRLReason.certificateHold, isAtOrAfter(date) == true {
      return conclusion
    }
    guard let notBefore else { return .nothing(.withoutTime) }
    guard isAtOrAfter(notBefore) == true else { return .nothing(.notYetCurrent) }
    for end in [notAfter, signerNotAfter] {
      guard let end else { continue }
      guard isAtOrAfter(end.successor ?? end) == false else { return .nothing(.outdated) }
    }
    if let signerNotBefore, isAtOrAfter(signerNotBefore) != true { return .nothing(.notSignedByIssuer) }
    // A certificate whose revocation takes effect later is not revoked yet.
    if case .revoked(let time?, _) = conclusion, isAtOrAfter(time) == false { return .good }
    return conclusion
  }
}
