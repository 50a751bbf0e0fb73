import ByteParsing
import CertificateTransparency

extension FuzzTarget {
  /// Any bytes either parse or throw.
  static let logList = FuzzTarget("LogList") { bytes in
    guard let list = try? TransparencyLogList(parsing: bytes) else { return }
    precondition(list.logs.allSatisfy { $0.key == $0.value.identifier && $0.key.count == 32 })
  }
}
