import CertificateParsing
import CertificateSignatures

/// The status of a certificate in a CRL of its issuer (RFC 5280 §6.3.3).
struct ListEvaluation {
  let list: CertificateRevocationList

  /// The result of verifying the list's signature with the issuer's key.
  let signature: SignatureVerification

  /// The list's entry for the certificate; nil if there is none.
  let entry: Revocation?

  func evidence(of certificate: Certificate, issuer: IssuerKey) -> RevocationEvidence {
    guard issuer.isName(list.issuerDER, of: certificate) else { return nothing(.otherCertificate) }
    guard issuer.certificate.keyUsage?.contains(.cRLSign) ?? true else { return nothing(.mayNotSignLists) }
    if let obstacle = signature.obstacle { return nothing(obstacle) }
    guard !list.hasUnknownCriticalExtension, !list.hasUnknownCriticalEntryExtension else { return nothing(.unknownCriticalExtension) }
    var evidence = nothing(.outOfScope)
    evidence.thisUpdate = list.thisUpdate
    evidence.notBefore = list.thisUpdate
    evidence.notAfter = list.nextUpdate
    if let entry, entry.reason != CRLReason.removeFromCRL {
      // The entry counts whatever the scope of the list is.
      evidence.conclusion = .revoked(at: entry.date, reason: entry.reason)
    } else if entry != nil, list.isDelta {
      evidence.conclusion = .released
    } else if list.covers(certificate) {
      evidence.conclusion = .good
    }
    return evidence
  }

  private func nothing(_ obstacle: RevocationObstacle) -> RevocationEvidence {
    RevocationEvidence(kind: .list, conclusion: .nothing(obstacle))
  }
}

extension CertificateRevocationList {
  /// Whether a certificate of the list's issuer would be in the list if it were revoked.
  func covers(_ certificate: Certificate) -> Bool {
    if isDelta { return false }
    guard let point = issuingDistributionPoint else { return !hasEntriesOfOtherIssuers }
    // An indirect list also contains certificates of other issuers.
    if hasEntriesOfOtherIssuers && !point.isIndirect { return false }
    if point.hasOnlySomeReasons || point.onlyContainsAttributeCertificates { return false }
    if point.onlyContainsUserCertificates && certificate.isCA { return false }
    if point.onlyContainsCACertificates && !certificate.isCA { return false }
    // A list for one of several distribution points covers only the certificates that name that point.
    return !point.hasName || point.urls.contains { certificate.crlURLs.contains($0) }
  }
}
