import ByteParsing
import CertificateIssuing
import CertificateParsing
import Crypto
package import SessionModel
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
    let der = Bytes(self.der)
    let certificate = Certificate(parsing: der.span)
    let digest = hexadecimal(SHA256.hash(data: der))
    return ObservedCertificate(certificate: certificate, sha256: digest, spkiSHA256: spkiSHA256)
  }

  /// A placeholder for the SHA-256 of SubjectPublicKeyInfo.
  package var spkiSHA256 = String(repeating: "ab", count: 32)
}

extension CertificateBuilder {
  var der: [UInt8] {
    let algorithm = sequence(oid(signatureOID) + [5, 0])
    var tbs = tlv(0xA0, [2, 1, 2]) + [2, 1, 7] + algorithm + name(issuer)
    tbs += sequence(time(notBefore) + time(notAfter)) + name(subject) + publicKey
    let list = extensions
    if !list.isEmpty { tbs += tlv(0xA3, sequence(list)) }
    return sequence(sequence(tbs) + algorithm + tlv(3, [0, 1, 2, 3]))
  }

  private var extensions: [UInt8] {
    var list: [[UInt8]] = []
    if let isCA {
      let content = (isCA ? [1, 1, 0xFF] : []) + (pathLength.map { [2, 1, UInt8($0)] } ?? [])
      list.append(extensionOf("2.5.29.19", critical: true, sequence(content)))
    }
    if dnsNames != nil || !addresses.isEmpty {
      let names =
        (dnsNames ?? []).flatMap { tlv(0x82, Array($0.utf8)) }
        + addresses.flatMap { tlv(0x87, Array($0.bytes)) }
      list.append(extensionOf("2.5.29.17", critical: subject.isEmpty, sequence(names)))
    }
    if let usages { list.append(extensionOf("2.5.29.37", sequence(usages.flatMap(oid)))) }
    if let subjectKeyID { list.append(extensionOf("2.5.29.14", tlv(4, [subjectKeyID]))) }
    if let authorityKeyID { list.append(extensionOf("2.5.29.35", sequence(tlv(0x80, [authorityKeyID])))) }
    if !scts.isEmpty { list.append(extensionOf("1.3.6.1.4.1.11129.2.4.2", tlv(4, Self.sctList(scts)))) }
    let locations = [("1.3.6.1.5.5.7.48.1", ocspURL), ("1.3.6.1.5.5.7.48.2", caIssuersURL)].flatMap { method, url in
      url.map { sequence(oid(method) + tlv(0x86, Array($0.utf8))) } ?? []
    }
    if !locations.isEmpty { list.append(extensionOf("1.3.6.1.5.5.7.1.1", sequence(locations))) }
    if mustStaple { list.append(extensionOf("1.3.6.1.5.5.7.1.24", sequence([2, 1, 5]))) }
    if hasNameConstraints {
      list.append(
        extensionOf("2.5.29.30", sequence(tlv(0xA0, sequence(tlv(0x82, Array("example.com".utf8)))))))
    }
    list += criticalExtensions.map { extensionOf($0, critical: true, [5, 0]) }
    if repeatsFirstExtension, let first = list.first { list.append(first) }
    return list.flatMap { $0 }
  }

  /// A SignedCertificateTimestampList.
  package static func sctList(_ scts: [(log: UInt8, time: Timestamp)]) -> [UInt8] {
    let entries = scts.flatMap { sct -> [UInt8] in
      let milliseconds = UInt64(sct.time.seconds) * 1000
      let time = (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64(56 - 8 * $0)) }
      let body = [0] + [UInt8](repeating: sct.log, count: 32) + time + [0, 0, 4, 3, 0, 2, 1, 1]
      return [UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }
    return [UInt8(entries.count >> 8), UInt8(entries.count & 0xFF)] + entries
  }

  private var publicKey: [UInt8] {
    switch key {
    case .rsa(let bits):
      let byteCount = (bits + 7) / 8
      var modulus = [UInt8](repeating: 0xAA, count: byteCount)
      modulus[0] = UInt8(truncatingIfNeeded: 1 << ((bits - 1) % 8))
      let contents = sequence(tlv(2, [0] + modulus) + [2, 3, 1, 0, 1])
      return sequence(sequence(oid("1.2.840.113549.1.1.1") + [5, 0]) + tlv(3, [0] + contents))
    case .ec(let curve):
      return sequence(sequence(oid("1.2.840.10045.2.1") + oid(curve)) + tlv(3, [0] + Self.point(curve)))
    case .other(let algorithm): return sequence(sequence(oid(algorithm)) + tlv(3, [0, 1, 2]))
    }
  }

  /// A point on a curve, or bytes of the right length for a curve that CryptoKit lacks.
  private static func point(_ curve: String) -> [UInt8] {
    switch curve {
    case "1.2.840.10045.3.1.7": points.p256
    case "1.3.132.0.34": points.p384
    case "1.3.132.0.35": points.p521
    default: [4] + [UInt8](repeating: 1, count: curve == "1.3.132.0.33" ? 56 : 48)
    }
  }

  private static let points = (
    p256: [UInt8](P256.Signing.PrivateKey().publicKey.x963Representation),
    p384: [UInt8](P384.Signing.PrivateKey().publicKey.x963Representation),
    p521: [UInt8](P521.Signing.PrivateKey().publicKey.x963Representation)
  )

  private func name(_ commonName: String) -> [UInt8] {
    if commonName.isEmpty { return sequence([]) }
    return sequence(tlv(0x31, sequence(oid("2.5.4.3") + tlv(12, Array(commonName.utf8)))))
  }

  private func time(_ moment: Timestamp) -> [UInt8] {
    let text = moment.description.filter { $0.isNumber }
    return tlv(0x18, Array("\(text)Z".utf8))
  }

  private func extensionOf(_ identifier: String, critical: Bool = false, _ value: [UInt8]) -> [UInt8] {
    sequence(oid(identifier) + (critical ? [1, 1, 0xFF] : []) + tlv(4, value))
  }

  private func sequence(_ contents: [UInt8]) -> [UInt8] { tlv(0x30, contents) }

  private func tlv(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    let count = contents.count
    if count < 128 { return [tag, UInt8(count)] + contents }
    if count < 256 { return [tag, 0x81, UInt8(count)] + contents }
    return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + contents
  }

  private func oid(_ dotted: String) -> [UInt8] {
    let parts = dotted.split(separator: ".").compactMap { Int($0) }
    var bytes: [UInt8] = []
    for part in [parts[0] * 40 + parts[1]] + parts[2...] {
      var groups = [UInt8(part & 0x7F)]
      var rest = part >> 7
      while rest > 0 {
        groups.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      bytes += groups
    }
    return tlv(6, bytes)
  }
}
