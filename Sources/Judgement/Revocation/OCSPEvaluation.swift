import ByteParsing
import CertificateParsing
import CertificateSignatures
import Crypto
import Values

/// The status of a certificate in an OCSP response, under the certificate of its issuer (RFC 6960 §3.2, §4.2.2.2).
struct OCSPEvaluation {
  let response: OCSPResponse
  let kind: RevocationEvidence.Kind

  /// The validity of a response without `nextUpdate`, in seconds (`kSecDefaultOCSPResponseTTL`).
  static let defaultLifetime: Int64 = 86_400

  /// The tolerated difference between clocks, in seconds (`TRUST_TIME_LEEWAY`).
  static let leeway: Int64 = 75 * 60

  /// The evidence of the first single response about the certificate; further ones do not count (`SecOCSPResponseCopySingleResponse`).
  func evidence(of certificate: Certificate, issuer: IssuerKey) -> RevocationEvidence {
    guard response.status == .successful, response.responderID != nil else { return nothing(.unreadable) }
    guard let single = response.responses.first(where: { isAbout(certificate, issuer, $0.certificateID) }) else {
      return nothing(.otherCertificate)
    }
    return switch signer(of: certificate, issuer) {
    case .nobody(let obstacle): nothing(obstacle)
    case .issuer: evidence(of: single, signedBy: nil)
    case .responder(let found): evidence(of: single, signedBy: found)
    }
  }

  /// The evidence of a single response: "good" counts within its times, "revoked" at any time (`SecORVCConsumeOCSPResponse`). Critical
  /// extensions are not checked.
  private func evidence(of single: SingleResponse, signedBy responder: Certificate?) -> RevocationEvidence {
    guard let thisUpdate = single.thisUpdate, let producedAt = response.producedAt else { return nothing(.withoutTime) }
    var evidence = nothing(.statusUnknown)
    evidence.thisUpdate = thisUpdate
    switch single.status {
    case .unknown: break
    case .good:
      evidence.conclusion = .good
      // Neither the response nor any of its single responses may be later.
      let latest = response.responses.compactMap(\.thisUpdate).reduce(producedAt, max)
      evidence.notBefore = OCSPEvaluation.shifted(latest, by: -OCSPEvaluation.leeway)
      let end = single.nextUpdate ?? OCSPEvaluation.shifted(thisUpdate, by: OCSPEvaluation.defaultLifetime)
      evidence.notAfter = OCSPEvaluation.shifted(end, by: OCSPEvaluation.leeway)
      if let responder {
        evidence.signerNotBefore = responder.notBefore
        evidence.signerNotAfter = responder.notAfter
      }
    case .revoked(let time, let reason):
      if let responder, let first = responder.notBefore, let last = responder.notAfter, producedAt < first || producedAt > last {
        return nothing(.notSignedByIssuer)
      }
      evidence.conclusion = .revoked(at: time, reason: reason)
      evidence.countsAtAnyTime = true
    }
    return evidence
  }

  private func nothing(_ obstacle: RevocationObstacle) -> RevocationEvidence {
    RevocationEvidence(kind: kind, conclusion: .nothing(obstacle))
  }

  private static func shifted(_ time: Timestamp, by seconds: Int64) -> Timestamp { time.advanced(bySeconds: seconds) ?? time }

  private func isAbout(_ certificate: Certificate, _ issuer: IssuerKey, _ identifier: SingleResponse.CertificateID) -> Bool {
    guard identifier.serial == certificate.serial else { return false }
    func matches(_ digest: (Bytes) -> Bytes) -> Bool {
      identifier.issuerKeyHash == digest(issuer.keyBits)
        && [certificate.issuerDER, issuer.certificate.subjectDER].contains {
          identifier.issuerNameHash == digest($0)
        }
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

  /// The signer: the first certificate in the response with the name or key of responderID whose key signed it, otherwise the issuer
  /// (`SecOCSPResponseCopySigner`). Except for the issuer's very certificate, the issuer must have signed it for this purpose: another
  /// certificate of the issuer with the same key does not count.
  private func signer(of certificate: Certificate, _ issuer: IssuerKey) -> Signer {
    var obstacle = RevocationObstacle.notSignedByIssuer
    for der in response.certificates {
      let responder = Certificate(parsing: der.span)
      guard responder.decodingError == nil,
        isResponder(keyBits: responder.bytes(responder.publicKey.keyRange), isName: { $0 == responder.subjectDER })
      else { continue }
      if let fault = response.verifySignature(with: VerificationKey(of: responder)).obstacle {
        obstacle = fault
        continue
      }
      if der == issuer.certificate.der { return .issuer }
      guard OCSPEvaluation.maySign(responder), issuer.isName(responder.issuerDER, of: certificate) else {
        return .nobody(.notSignedByIssuer)
      }
      return switch responder.verifySignature(with: issuer.key) {
      case .valid: .responder(responder)
      case .invalid: .nobody(.notSignedByIssuer)
      case .notVerifiable: .nobody(.notVerifiable)
      }
    }
    guard isResponder(keyBits: issuer.keyBits, isName: { issuer.isName($0, of: certificate) }) else { return .nobody(obstacle) }
    return response.verifySignature(with: issuer.key).obstacle.map { .nobody($0) } ?? .issuer
  }

  /// Whether a certificate may sign responses (`SecPolicyCreateOCSPSigner`): extended usage OCSPSigning, digitalSignature in keyUsage, and
  /// not a CA.
  private static func maySign(_ responder: Certificate) -> Bool {
    responder.extendedKeyUsage?.contains("OCSPSigning") == true && responder.keyUsage?.contains(.digitalSignature) == true
      && !responder.isCA && responder.notBefore != nil && responder.notAfter != nil
  }

  /// Whether `responderID` denotes the owner of this key and name.
  private func isResponder(keyBits: Bytes, isName: (Bytes) -> Bool) -> Bool {
    switch response.responderID {
    case .byName(let der, _): isName(der)
    case .byKey(let hash): hash == Bytes(Insecure.SHA1.hash(data: keyBits))
    case nil: false
    }
  }
}

extension SignatureVerification {
  /// Why evidence with this signature does not count; nil if it does.
  var obstacle: RevocationObstacle? {
    switch self {
    case .valid: nil
    case .invalid: .invalidSignature
    case .notVerifiable: .notVerifiable
    }
  }
}

/// A CA certificate and its key, which verify the CRLs and OCSP responses about what it issued.
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

  /// Whether a Name is the issuer's, as encoded in its own certificate or in the one that it issued; the encodings may differ.
  func isName(_ der: Bytes, of certificate: Certificate) -> Bool {
    der == certificate.issuerDER || der == self.certificate.subjectDER
  }
}
