import ByteParsing
import CertificateParsing
import Values

extension FuzzTarget {
  /// Any bytes either parse or throw; the list has no more timestamps than it claims and the limit allows.
  static let sctList = FuzzTarget("SCTList") { bytes in
    guard let list = try? SignedCertificateTimestampList(parsing: bytes) else { return }
    precondition(list.timestamps.count <= min(list.count, SignedCertificateTimestampList.maximumCount))
    for timestamp in list.timestamps { precondition(timestamp.time.nanoseconds < 1_000_000_000) }
  }
}
