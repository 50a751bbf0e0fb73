import ByteParsing

/// Certificates by their bytes. Each is decoded once, and its digests are computed once.
package struct CertificateCache {
  /// The maximum number of certificates held.
  package static let maximumCount = 8192

  /// The maximum total size of the certificates held, in bytes.
  package static let maximumByteCount = 32 * 1024 * 1024

  private var certificates = RecentTable<[ByteKey: ObservedCertificate]>(
    entriesPerGeneration: maximumCount / 2, costPerGeneration: maximumByteCount / 2)

  /// The total size of the certificates decoded, in bytes.
  package private(set) var decodedBytes = 0

  package init() {}

  /// The certificate with these bytes, decoded if it is not known.
  package mutating func certificate(_ der: Span<UInt8>) -> ObservedCertificate {
    let key = ByteKey(copying: der)
    if let known = certificates.renewed(key, cost: der.count) { return known }
    let certificate = ObservedCertificate(parsing: der)
    decodedBytes &+= der.count
    certificates.insert(certificate, for: key, cost: der.count)
    return certificate
  }
}
