package import ByteParsing
package import CertificateParsing
import TestBytes

/// An issuer of certificates, CRLs and OCSP responses: a name and a key.
package struct CertificateIssuer {
  package var commonName: String
  package var key: IssuingKey
  /// The string type of the issuer's name in the certificates that it issues.
  package var nameTag: UInt8

  package init(commonName: String = "issuer", key: IssuingKey = .newP256(), nameTag: UInt8 = 0x0C) {
    (self.commonName, self.key, self.nameTag) = (commonName, key, nameTag)
  }

  /// Issues a certificate for a key, with these dates and extensions.
  package func issue(
    _ subject: String, key subjectKey: IssuingKey, serial: Bytes = [5],
    from notBefore: String = "20260101000000Z", to notAfter: String = "20270101000000Z",
    extensions: [Bytes] = []
  ) throws -> Certificate {
    let tbs = DER.sequence(
      DER.element(0xA0, DER.element(0x02, [2])), DER.element(0x02, serial), key.algorithmIdentifier,
      DER.name(commonName, tag: nameTag), DER.sequence(DER.time(notBefore), DER.time(notAfter)),
      DER.name(subject), subjectKey.subjectPublicKeyInfo, DER.tagged(0xA3, extensions))
    let der = try key.signed(tbs)
    return Certificate(parsing: der.span)
  }

  /// The issuer's self-signed certificate.
  package func certificate() throws -> Certificate { try issue(commonName, key: key, serial: [1]) }
}

extension Certificate {
  /// Parses bytes that are borrowed for the duration of the call.
  package init(bytes: Bytes) { self.init(parsing: bytes.span) }
}
