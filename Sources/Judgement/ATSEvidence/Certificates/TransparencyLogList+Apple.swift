import AppleTrust
package import CertificateTransparency
import Values

extension TransparencyLogList {
  /// Apple's log list, with its publication date. If the embedded data cannot be read, it is empty and every log is unknown.
  package static var apple: TransparencyLogList {
    let json = AppleLogList.json
    guard var list = try? TransparencyLogList(parsing: json.span) else { return TransparencyLogList(logs: []) }
    list.timestamp = Timestamp(day: Int(AppleLogList.date))
    return list
  }
}
