import ByteParsing
import CertificateIssuing
import CertificateParsing
import Crypto
import Revocation
import TestBytes
import Values

/// Builds an OCSP response.
struct ResponseBuilder {
  var status: Bytes = DER.element(0x80)
  var thisUpdate = "20260201000000Z"
  var nextUpdate: String? = "20260208000000Z"
  var serial: Bytes = [5]
  var issuer: CertificateIssuer
  var hash = "1.3.14.3.2.26"
  var signer: IssuingKey?
  var responderID: Bytes?
  var certificates: [Certificate] = []
  var singleExtensions: [Bytes] = []
  var responseExtensions: [Bytes] = []
  /// The status and `thisUpdate` of another SingleResponse about the same certificate, which comes first.
  var further: (status: Bytes, thisUpdate: String)?
  var responseStatus: UInt8 = 0

  init(_ issuer: CertificateIssuer) { self.issuer = issuer }

  static func revoked(at time: String = "20260115000000Z", reason: UInt8? = 1) -> Bytes {
    let reason = reason.map { DER.element(0xA0, DER.element(0x0A, [$0])) } ?? []
    return DER.element(0xA1, DER.time(time), reason)
  }

  func der() throws -> Bytes {
    let issuerCertificate = try issuer.certificate()
    let keyBits = issuerCertificate.bytes(issuerCertificate.publicKey.keyRange)
    func digest(_ bytes: Bytes) -> Bytes {
      hash == "1.3.14.3.2.26"
        ? Bytes(Insecure.SHA1.hash(data: bytes)) : Bytes(SHA256.hash(data: bytes))
    }
    let certID = DER.sequence(
      DER.sequence(DER.oid(hash), [5, 0]), DER.octets(digest(DER.name(issuer.commonName))),
      DER.octets(digest(keyBits)), DER.element(0x02, serial))
    let next = nextUpdate.map { DER.element(0xA0, DER.time($0)) } ?? []
    let single = DER.sequence(certID, status, DER.time(thisUpdate), next, DER.tagged(0xA1, singleExtensions))
    let responder = responderID ?? DER.element(0xA1, DER.name(issuer.commonName))
    let first = further.map { DER.sequence(certID, $0.status, DER.time($0.thisUpdate), next) } ?? []
    let data = DER.sequence(responder, DER.time(thisUpdate), DER.sequence(first, single), DER.tagged(0xA1, responseExtensions))
    let basic = try (signer ?? issuer.key).signed(data, DER.tagged(0xA0, certificates.map(\.der)))
    return DER.sequence(
      DER.element(0x0A, [responseStatus]),
      DER.element(0xA0, DER.sequence(DER.oid("1.3.6.1.5.5.7.48.1.1"), DER.octets(basic))))
  }

  func source() throws -> RevocationSource {
    let der = try der()
    return .response(try OCSPResponse(parsing: der.span))
  }
}

/// Builds a CRL.
struct ListBuilder {
  var issuer: CertificateIssuer
  var thisUpdate = "20260201000000Z"
  var nextUpdate: String? = "20260208000000Z"
  var entries: [(serial: Bytes, time: String, reason: UInt8?)] = []
  /// The certificateIssuer of the first entry.
  var namedIssuer: String?
  var extensions: [Bytes] = []
  var signer: IssuingKey?

  init(_ issuer: CertificateIssuer) { self.issuer = issuer }

  func der() throws -> Bytes {
    var list = Bytes()
    for (index, entry) in entries.enumerated() {
      let reason = entry.reason.map { DER.certificateExtension("2.5.29.21", DER.element(0x0A, [$0])) } ?? []
      let named =
        namedIssuer.map {
          DER.certificateExtension(
            "2.5.29.29", critical: true, DER.sequence(DER.element(0xA4, DER.name($0))))
        } ?? []
      let extensions = reason + (index == 0 ? named : [])
      list += DER.sequence(
        DER.element(0x02, entry.serial), DER.time(entry.time),
        extensions.isEmpty ? [] : DER.sequence(extensions))
    }
    let tbs = DER.sequence(
      DER.element(0x02, [1]), issuer.key.algorithmIdentifier, DER.name(issuer.commonName), DER.time(thisUpdate),
      nextUpdate.map { DER.time($0) } ?? [], entries.isEmpty ? [] : DER.sequence(list),
      DER.tagged(0xA0, extensions))
    return try (signer ?? issuer.key).signed(tbs)
  }

  func source() throws -> RevocationSource {
    let der = try der()
    return .list(try CertificateRevocationList(parsing: der.span))
  }

  /// The extension issuingDistributionPoint with these contents.
  static func point(_ contents: Bytes...) -> Bytes {
    DER.certificateExtension("2.5.29.28", critical: true, DER.sequence(contents.reduce(Bytes(), +)))
  }

  /// `[0] DistributionPointName` with a URL.
  static func name(_ url: String) -> Bytes {
    DER.element(0xA0, DER.element(0xA0, DER.element(0x86, Bytes(url.utf8))))
  }
}

extension RevocationChecker {
  func status(
    of certificate: Certificate, issuer: CertificateIssuer, stapled: Bytes? = nil,
    at time: String? = "2026-02-03T00:00:00Z"
  ) throws -> RevocationStatus {
    let now = time.map { Timestamp($0) }
    return status(of: certificate, issuer: try issuer.certificate(), stapled: stapled) { other in
      now.map { $0 >= other }
    }
  }
}

func keyHash(_ bits: Bytes) -> Bytes { Bytes(Insecure.SHA1.hash(data: bits)) }
