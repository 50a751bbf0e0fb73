import ByteParsing
import CertificateParsing
import CertificateSignatures
import Crypto
import Values

/// What an OCSP response says of a certificate, under the certificate of its issuer (RFC 6960 §3.2, §4.2.2.2).
struct OCSPEvaluation {
  let response: OCSPResponse
  let kind: RevocationEvidence.Kind

  /// A response without `nextUpdate` counts for so many seconds; no device asks for an answer older than that.
  static let usualLifetime: Int64 = 86_400

  func evidence(of certificate: Certificate, issuer: IssuerKey) -> RevocationEvidence {
    guard response.status == .successful, response.responderID != nil else { return nothing(.unreadable) }
    // Several answers about one certificate do not happen; the newest would count, and of equals the worst.
    let answers = response.responses.filter { isAbout(certificate, issuer, $0.certificateID) }
    func rank(_ answer: SingleResponse) -> (Timestamp, Int) {
      let isRevoked = if case .revoked = answer.status { 1 } else { 0 }
      return (answer.thisUpdate ?? Timestamp(seconds: .min), isRevoked)
    }
    guard let answer = answers.max(by: { rank($0) < rank($1) }) else { return nothing(.otherCertificate) }
    let isKnown = (response.extensions + answer.extensions).allSatisfy { !$0.isCritical }
    guard isKnown else { return nothing(.unknownCriticalExtension) }
    var evidence = nothing(.notSignedByIssuer)
    switch signer(issuer) {
    case .nobody(let obstacle): return nothing(obstacle)
    case .issuer: break
    case .responder(let responder):
      evidence.signerNotBefore = responder.notBefore
      evidence.signerNotAfter = responder.notAfter
      guard responder.notBefore != nil, responder.notAfter != nil else { return nothing(.notSignedByIssuer) }
    }
    evidence.thisUpdate = answer.thisUpdate
    evidence.nextUpdate = answer.nextUpdate ?? answer.thisUpdate.flatMap(OCSPEvaluation.usualEnd)
    switch answer.status {
    case .good: evidence.answer = .good
    case .revoked(let time, let reason): evidence.answer = .revoked(at: time, reason: reason)
    case .unknown: evidence.answer = .nothing(.statusUnknown)
    }
    return evidence
  }

  private func nothing(_ obstacle: RevocationObstacle) -> RevocationEvidence {
    RevocationEvidence(kind: kind, answer: .nothing(obstacle))
  }

  private static func usualEnd(_ start: Timestamp) -> Timestamp? {
    let (end, overflows) = start.seconds.addingReportingOverflow(usualLifetime)
    return overflows ? nil : Timestamp(seconds: end, nanoseconds: start.nanoseconds)
  }

  private func isAbout(
    _ certificate: Certificate, _ issuer: IssuerKey, _ identifier: SingleResponse.CertificateID
  ) -> Bool {
    guard identifier.serial == certificate.serial else { return false }
    func matches(_ digest: (Bytes) -> Bytes) -> Bool {
      identifier.issuerNameHash == digest(certificate.issuerDER)
        && identifier.issuerKeyHash == digest(issuer.keyBits)
    }
    return switch identifier.hash {
    case "sha1": matches { Bytes(Insecure.SHA1.hash(data: $0)) }
    case "sha256": matches { Bytes(SHA256.hash(data: $0)) }
    case "sha384": matches { Bytes(SHA384.hash(data: $0)) }
    case "sha512": matches { Bytes(SHA512.hash(data: $0)) }
    default: false
    }
  }

  private enum Signer {
    case issuer
    case responder(Certificate)
    case nobody(RevocationObstacle)
  }

  /// Who signed: the issuer, or a responder whose certificate the issuer signed for this and that came along.
  private func signer(_ issuer: IssuerKey) -> Signer {
    if isResponder(issuer.certificate, keyBits: issuer.keyBits) {
      switch response.verifySignature(with: issuer.key) {
      case .valid: return .issuer
      case .invalid: return .nobody(.invalidSignature)
      case .notVerifiable: return .nobody(.notVerifiable)
      }
    }
    var obstacle = RevocationObstacle.notSignedByIssuer
    for der in response.certificates {
      let responder = Certificate(parsing: der.span)
      guard responder.decodingError == nil,
        isResponder(responder, keyBits: responder.bytes(responder.publicKey.keyRange)),
        responder.extendedKeyUsage?.contains("OCSPSigning") == true,
        responder.keyUsage?.contains(.digitalSignature) ?? true,
        responder.issuerDER == issuer.certificate.subjectDER
      else { continue }
      switch responder.verifySignature(with: issuer.key) {
      case .valid: break
      case .invalid: continue
      case .notVerifiable:
        obstacle = .notVerifiable
        continue
      }
      switch response.verifySignature(with: VerificationKey(of: responder)) {
      case .valid: return .responder(responder)
      case .invalid: obstacle = .invalidSignature
      case .notVerifiable: obstacle = .notVerifiable
      }
    }
    return .nobody(obstacle)
  }

  /// Whether a certificate is the one that `responderID` names.
  private func isResponder(_ certificate: Certificate, keyBits: Bytes) -> Bool {
    switch response.responderID {
    case .byName(let der, _): der == certificate.subjectDER
    case .byKey(let hash): hash == Bytes(Insecure.SHA1.hash(data: keyBits))
    case nil: false
    }
  }
}

/// The issuer's certificate with its key read.
struct IssuerKey {
  let certificate: Certificate
  let key: VerificationKey

  /// The bits of `subjectPublicKey`, which OCSP hashes.
  let keyBits: Bytes

  init(_ certificate: Certificate) {
    self.certificate = certificate
    key = VerificationKey(of: certificate)
    keyBits = certificate.bytes(certificate.publicKey.keyRange)
  }
}
