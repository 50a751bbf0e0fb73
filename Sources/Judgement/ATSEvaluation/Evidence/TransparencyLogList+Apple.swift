import AppleTrust
package import CertificateTransparency
import Values

extension TransparencyLogList {
  /// Apple's own list, of the date that it was published; empty, so that every log is unknown, if the program's data cannot be read.
  package static var apple: TransparencyLogList {
    let json = AppleLogList.json
    guard var list = try? TransparencyLogList(parsing: json.span) else {
      return TransparencyLogList(logs: [])
    }
    let date = Int(AppleLogList.date)
    list.timestamp = Timestamp(year: date / 10_000, month: date / 100 % 100, day: date % 100)
    return list
  }
}
