import ByteParsing

/// Certificates by their bytes: each is decoded once, and its digests are computed once.
package struct CertificateCache {
  /// Certificates that are held at most.
  package static let maximumCount = 8192

  /// Bytes of certificates that are held at most.
  package static let maximumByteCount = 32 * 1024 * 1024

  private var certificates = RecentTable<[ByteKey: ObservedCertificate]>(
    maximumCount: maximumCount / 2, maximumCost: maximumByteCount / 2)

  /// Bytes of the certificates that were decoded, all told.
  package private(set) var decodedBytes = 0

  /// Creates an empty cache.
  package init() {}

  /// The certificate of these bytes.
  package mutating func certificate(_ der: Span<UInt8>) -> ObservedCertificate {
    let key = ByteKey(copying: der)
    if let known = certificates.renewed(key, cost: der.count) { return known }
    let certificate = ObservedCertificate(parsing: der)
    decodedBytes &+= der.count
    certificates.insert(certificate, for: key, cost: der.count)
    return certificate
  }
}
