import ByteParsing
import CertificateIssuing
import CertificateParsing
import Crypto
package import SessionModel
import TestBytes
package import Values

/// A certificate of a fixed hierarchy, whose signature does not verify.
package struct CertificateBuilder {
  package enum Key {
    case rsa(Int)
    case ec(String)
    case other(String)
  }

  package var subject = "CN"
  package var issuer = "Test CA"
  package var notBefore = Timestamp("2026-01-01T00:00:00Z")
  package var notAfter = Timestamp("2026-04-01T00:00:00Z")
  package var key = Key.rsa(2048)
  package var signatureOID = "1.2.840.113549.1.1.11"
  package var dnsNames: [String]? = ["www.example.com"]
  package var addresses: [IPAddress] = []
  package var usages: [String]? = [CertificateForm.serverAuth]
  package var isCA: Bool?
  package var pathLength: UInt8?
  package var subjectKeyID: UInt8?
  package var authorityKeyID: UInt8?
  package var scts: [(log: UInt8, time: Timestamp)] = []
  package var ocspURL: String?
  package var caIssuersURL: String?
  package var hasNameConstraints = false
  /// The dotted OIDs of further critical extensions, each with a NULL as its value.
  package var criticalExtensions: [String] = []

  /// A leaf for `www.example.com` with three SCTs, valid in the first quarter of 2026.
  package static func leaf(_ change: (inout CertificateBuilder) -> Void = { _ in }) -> ObservedCertificate {
    var builder = CertificateBuilder()
    builder.subject = "www.example.com"
    builder.authorityKeyID = 1
    builder.scts = (1...3).map { ($0, Timestamp("2026-01-01T01:00:00Z")) }
    change(&builder)
    return builder.observed
  }

  /// The CA that issued the leaf, itself issued by `Test Root`.
  package static func intermediate(_ change: (inout CertificateBuilder) -> Void = { _ in }) -> ObservedCertificate {
    var builder = CertificateBuilder()
    builder.subject = "Test CA"
    builder.issuer = "Test Root"
    builder.notBefore = Timestamp("2020-01-01T00:00:00Z")
    builder.notAfter = Timestamp("2030-01-01T00:00:00Z")
    builder.dnsNames = nil
    builder.usages = nil
    builder.isCA = true
    builder.subjectKeyID = 1
    change(&builder)
    return builder.observed
  }

  /// The root that issued the intermediate.
  package static func root(_ change: (inout CertificateBuilder) -> Void = { _ in }) -> ObservedCertificate {
    intermediate { builder in
      builder.subject = "Test Root"
      builder.subjectKeyID = 2
      change(&builder)
    }
  }

  var observed: ObservedCertificate {
    let der = self.der
    let certificate = Certificate(parsing: der.span)
    let digest = hexadecimal(SHA256.hash(data: der))
    return ObservedCertificate(certificate: certificate, sha256: digest, spkiSHA256: spkiSHA256)
  }

  /// A placeholder for the SHA-256 of SubjectPublicKeyInfo.
  package var spkiSHA256 = String(repeating: "ab", count: 32)
}

extension CertificateBuilder {
  private var der: Bytes {
    var form = CertificateForm()
    form.signatureAlgorithm = signatureOID
    (form.subject, form.notBefore, form.notAfter) = (subject, notBefore, notAfter)
    (form.dnsNames, form.addresses, form.usages, form.scts) = (dnsNames, addresses, usages, scts)
    (form.isCA, form.pathLength, form.ocspURL, form.caIssuersURL) = (isCA, pathLength, ocspURL, caIssuersURL)
    form.subjectKeyIdentifier = subjectKeyID.map { [$0] }
    form.moreExtensions = criticalExtensions.map { DER.certificateExtension($0, critical: true, [5, 0]) }
    if hasNameConstraints {
      form.moreExtensions.append(
        DER.certificateExtension("2.5.29.30", DER.sequence(CertificateForm.subtrees(0xA0, "example.com"))))
    }
    return Issued(form, key: publicKey, issuer: issuer, keyIdentifier: authorityKeyID.map { [$0] }).der
  }

  private var publicKey: IssuingKey {
    switch key {
    case .rsa(let bits): .rsa(bits: bits)
    case .ec(let curve): .point(Self.point(curve), curve: curve)
    case .other(let algorithm): .other(algorithm)
    }
  }

  /// A point on a curve, or bytes of the right length for a curve that CryptoKit lacks.
  private static func point(_ curve: String) -> Bytes {
    switch curve {
    case "1.2.840.10045.3.1.7": points.p256
    case "1.3.132.0.34": points.p384
    case "1.3.132.0.35": points.p521
    default: [4] + Bytes(repeating: 1, count: curve == "1.3.132.0.33" ? 56 : 48)
    }
  }

  private static let points = (
    p256: Bytes(P256.Signing.PrivateKey().publicKey.x963Representation),
    p384: Bytes(P384.Signing.PrivateKey().publicKey.x963Representation),
    p521: Bytes(P521.Signing.PrivateKey().publicKey.x963Representation)
  )
}
