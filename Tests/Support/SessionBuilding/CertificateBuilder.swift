import ByteParsing
import CertificateIssuing
import CertificateParsing
import Crypto
package import SessionModel
import TestBytes
package import Values

/// Writes the DER of a certificate for a test. Its signature does not verify.
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
  package var usages: [String]? = [CertificateBuilder.serverAuth]
  package var isCA: Bool?
  package var pathLength: Int?
  package var subjectKeyID: UInt8?
  package var authorityKeyID: UInt8?
  package var scts: [(log: UInt8, time: Timestamp)] = []
  package var ocspURL: String?
  package var caIssuersURL: String?
  package var mustStaple = false
  package var hasNameConstraints = false
  /// The dotted OIDs of further critical extensions, each with a NULL as its value.
  package var criticalExtensions: [String] = []
  package var repeatsFirstExtension = false

  package static let serverAuth = "1.3.6.1.5.5.7.3.1"
  package static let clientAuth = "1.3.6.1.5.5.7.3.2"
  package static let anyUsage = "2.5.29.37.0"

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
  var der: Bytes {
    let algorithm = DER.sequence(DER.oid(signatureOID), [5, 0])
    let list = extensions
    let tbs = DER.sequence(
      DER.element(0xA0, DER.integer(2)), DER.integer(7), algorithm, DER.name(issuer), DER.sequence(time(notBefore), time(notAfter)),
      DER.name(subject), publicKey, list.isEmpty ? [] : DER.element(0xA3, DER.sequence(list)))
    return DER.sequence(tbs, algorithm, DER.bits([1, 2, 3]))
  }

  private var extensions: Bytes {
    var list: [Bytes] = []
    if let isCA {
      let length = pathLength.map { DER.integer(UInt8($0)) } ?? []
      list.append(DER.certificateExtension("2.5.29.19", critical: true, DER.sequence(isCA ? DER.yes : [], length)))
    }
    if dnsNames != nil || !addresses.isEmpty {
      let names = (dnsNames ?? []).map { DER.string(0x82, $0) } + addresses.map { DER.element(0x87, Bytes($0.bytes)) }
      list.append(DER.certificateExtension("2.5.29.17", critical: subject.isEmpty, DER.sequence(Bytes(names.joined()))))
    }
    if let usages { list.append(DER.certificateExtension("2.5.29.37", DER.sequence(Bytes(usages.map(DER.oid).joined())))) }
    if let subjectKeyID { list.append(DER.certificateExtension("2.5.29.14", DER.octets([subjectKeyID]))) }
    if let authorityKeyID {
      list.append(DER.certificateExtension("2.5.29.35", DER.sequence(DER.element(0x80, [authorityKeyID]))))
    }
    if !scts.isEmpty {
      list.append(DER.certificateExtension("1.3.6.1.4.1.11129.2.4.2", DER.octets(CertificateForm.sctList(scts))))
    }
    let locations = [("1.3.6.1.5.5.7.48.1", ocspURL), ("1.3.6.1.5.5.7.48.2", caIssuersURL)].compactMap { method, url in
      url.map { DER.sequence(DER.oid(method), DER.string(0x86, $0)) }
    }
    if !locations.isEmpty {
      list.append(DER.certificateExtension("1.3.6.1.5.5.7.1.1", DER.sequence(Bytes(locations.joined()))))
    }
    if mustStaple { list.append(DER.certificateExtension("1.3.6.1.5.5.7.1.24", DER.sequence(DER.integer(5)))) }
    if hasNameConstraints {
      list.append(DER.certificateExtension("2.5.29.30", DER.sequence(CertificateForm.subtrees(0xA0, "example.com"))))
    }
    list += criticalExtensions.map { DER.certificateExtension($0, critical: true, [5, 0]) }
    if repeatsFirstExtension, let first = list.first { list.append(first) }
    return Bytes(list.joined())
  }

  private var publicKey: Bytes {
    switch key {
    case .rsa(let bits): IssuingKey.rsa(bits: bits).subjectPublicKeyInfo
    case .ec(let curve): IssuingKey.point(Self.point(curve), curve: curve).subjectPublicKeyInfo
    case .other(let algorithm): IssuingKey.other(algorithm).subjectPublicKeyInfo
    }
  }

  private func time(_ moment: Timestamp) -> Bytes { DER.time("\(moment.description.filter(\.isNumber))Z") }

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
