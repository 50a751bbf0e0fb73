import ByteParsing
import CertificateParsing

extension FuzzTarget {
  /// Any bytes either parse or throw; a CRL finds no more revocations than it has entries.
  static let crl = FuzzTarget("CRL") { bytes in
    guard let list = try? CertificateRevocationList(parsing: bytes) else { return }
    let found = ["01", "02", "00", ""].compactMap { list.revocation(ofSerial: $0) }
    precondition(found.count <= list.entryCount)
    precondition(list.tbsCertListRange.upperBound <= bytes.count)
  }
}
