package import ATSRules

/// The lines of the NSAppTransportSecurity keys in an Info.plist.
package struct SettingLines: Sendable {
  package let file: String

  private var lines: [String: Int] = [:]

  package init(file: String) { self.file = file }

  /// Records the line of a key, counted from 1.
  package mutating func note(_ reference: KeyReference, at line: Int) {
    lines[SettingLines.name(reference)] = line
  }

  /// Returns the line of a key; nil if it is not known, as in the binary format.
  package func line(of reference: KeyReference) -> Int? { lines[SettingLines.name(reference)] }

  /// Returns the file and line of a key; nil without a key, or if its line is not known.
  func location(of reference: KeyReference?) -> (file: String, line: Int)? {
    reference.flatMap(line).map { (file, $0) }
  }

  /// Returns a unique name of a key: keys contain no line feed.
  private static func name(_ reference: KeyReference) -> String {
    reference.key + "\n" + (reference.entry?.lowercased() ?? "")
  }
}
