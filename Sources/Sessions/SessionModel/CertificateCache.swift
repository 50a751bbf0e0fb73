import ByteParsing
import CertificateParsing

/// Certificates by their bytes: each is decoded once, and its digests are made once.
///
/// What is held is bounded: a cache that is full is emptied. That costs time and no correctness.
public struct CertificateCache {
  /// Certificates that are held at most.
  public static let maximumCount = 8192

  /// Bytes of certificates that are held at most.
  public static let maximumByteCount = 32 * 1024 * 1024

  private var certificates: [ObservedCertificate] = []
  private var places = HashedPlaces()
  private var byteCount = 0

  /// Bytes of the certificates that were decoded, all told.
  package private(set) var decodedBytes = 0

  /// Differs from run to run, so that no file can aim at the cache.
  private let seed = UInt64.random(in: .min ... .max)

  /// Creates an empty cache.
  public init() {}

  /// The certificate of these bytes.
  public mutating func certificate(_ der: Span<UInt8>) -> ObservedCertificate {
    let hash = Int(truncatingIfNeeded: seededHash(of: der, seed: seed))
    if let known = places.first(of: hash, where: { certificates[$0].has(der) }) { return certificates[known] }
    if certificates.count >= CertificateCache.maximumCount
      || byteCount + der.count > CertificateCache.maximumByteCount
    {
      certificates.removeAll()
      places.removeAll()
      byteCount = 0
    }
    let certificate = ObservedCertificate(parsing: der)
    certificates.append(certificate)
    places.append(hash)
    byteCount += der.count
    decodedBytes &+= der.count
    return certificate
  }
}

extension ObservedCertificate {
  fileprivate func has(_ bytes: Span<UInt8>) -> Bool {
    let der = certificate.der
    return isEqual(bytes, der.span)
  }
}
