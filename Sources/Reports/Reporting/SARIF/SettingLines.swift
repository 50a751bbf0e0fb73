package import ATSEvaluation

/// The lines of an Info.plist that contain keys of NSAppTransportSecurity.
package struct SettingLines: Sendable {
  package let file: String

  private var lines: [String: Int] = [:]

  package init(file: String) { self.file = file }

  /// Notes the line of a key, from 1.
  package mutating func note(_ reference: KeyReference, at line: Int) {
    lines[SettingLines.name(reference)] = line
  }

  /// The line of a key; nil where it is not known, as in the binary format.
  package func line(of reference: KeyReference) -> Int? { lines[SettingLines.name(reference)] }

  /// The file and line of a key; nil where there is no key or its line is not known.
  func location(of reference: KeyReference?) -> (file: String, line: Int)? {
    reference.flatMap(line).map { (file, $0) }
  }

  /// No key holds a line feed, so that two references have one name only where they are the same.
  private static func name(_ reference: KeyReference) -> String {
    reference.key + "\n" + (reference.entry?.lowercased() ?? "")
  }
}
