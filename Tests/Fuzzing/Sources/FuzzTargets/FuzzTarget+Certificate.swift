import ByteParsing
import CertificateParsing

extension FuzzTarget {
  /// Any bytes give facts; every range is within the bytes, and a certificate without a decoding error has all its parts.
  static let certificate = FuzzTarget("Certificate") { bytes in
    let certificate = Certificate(parsing: bytes)
    var ranges = [
      certificate.tbsCertificateRange, certificate.issuerRange, certificate.subjectRange,
      certificate.subjectPublicKeyInfoRange, certificate.signatureValueRange, certificate.publicKey.keyRange,
    ]
    for range in ranges.dropLast(2) where certificate.decodingError == nil { precondition(!range.isEmpty) }
    ranges += certificate.extensions.flatMap { [$0.encodedRange, $0.valueRange] }
    ranges += [
      certificate.sctListRange, certificate.nameConstraintsRange, certificate.publicKey.modulusRange,
      certificate.publicKey.exponentRange,
    ].compactMap { $0 }
    for range in ranges { precondition(range.upperBound <= bytes.count) }
    precondition(certificate.dnsNames.count <= certificate.dnsNameCount)
    precondition(Set(certificate.quirks).count == certificate.quirks.count)
    _ = try? NameConstraints(parsing: bytes)
  }
}
