import ATScope

/// An Info.plist with an executable and settings in XML.
func infoPlist(_ executable: String, _ settings: String = "") -> String {
  """
  <?xml version="1.0" encoding="UTF-8"?>
  <plist version="1.0"><dict>
  <key>CFBundleExecutable</key><string>\(executable)</string>
  <key>NSAppTransportSecurity</key><dict>\(settings)</dict>
  </dict></plist>
  """
}

let allowsAll = "<key>NSAllowsArbitraryLoads</key><true/>"

extension AppPolicies {
  /// Reads and assigns settings. Throws the first error of a file that cannot be used; what can be used is assigned.
  mutating func add(_ assigned: AssignedFile) throws {
    var faults: [AuditError] = []
    add(assigned, leavingOut: &faults)
    if let first = faults.first { throw first }
  }
}
