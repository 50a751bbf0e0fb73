import ByteParsing
import CertificateParsing
import SessionModel
import Testing

@Suite struct CertificateCacheTests {
  /// Bytes that are not a certificate, different for each number.
  private func bytes(_ number: UInt8, count: Int = 64) -> Bytes { Bytes(repeating: number, count: count) }

  @Test func `equal certificates are decoded once`() {
    var cache = CertificateCache()
    let first = cache.certificate(bytes(1).span)
    #expect(cache.certificate(bytes(1).span) === first)
    #expect(first.certificate.der == bytes(1))
    #expect(cache.decodedBytes == 64)
  }

  @Test func `distinct bytes are distinct certificates`() {
    var cache = CertificateCache()
    let certificates = (0...255).map { cache.certificate(bytes($0).span) }
    #expect(Set(certificates.map(\.sha256)).count == 256)
    #expect(cache.certificate(bytes(1, count: 63).span) != certificates[1])
    for number in 0...255 { #expect(cache.certificate(bytes(UInt8(number)).span) === certificates[number]) }
  }

  @Test func `a full cache evicts the oldest certificate and decodes it again`() {
    var cache = CertificateCache()
    let first = cache.certificate(bytes(1).span)
    let byteCount = CertificateCache.maximumByteCount / 16
    for number in 2...40 { _ = cache.certificate(bytes(UInt8(number), count: byteCount).span) }
    let again = cache.certificate(bytes(1).span)
    #expect(again !== first)
    #expect(again == first)
  }
}
