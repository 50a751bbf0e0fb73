package import ByteParsing
package import Values

/// A list of logs in version 3 of the format, as Apple and Google publish it.
package struct TransparencyLogList: Sendable {
  /// Longer files are refused: Apple's has some 150 kB.
  package static let maximumByteCount = 16 * 1024 * 1024

  /// Logs in a list beyond this many are refused; Apple's has some 200.
  package static let maximumLogCount = 10_000

  package internal(set) var logs: [Bytes: TransparencyLog] = [:]

  /// The list's version as it stands (Google's `version`, Apple's `assetVersion`); nil where there is none.
  package internal(set) var version: String?

  /// When the list was made; nil where it does not say.
  package var timestamp: Timestamp?

  package init(logs: [TransparencyLog]) {
    for log in logs { self.logs[log.identifier] = log }
  }
}

/// A list of logs cannot be used: what is the matter, in which log.
package struct TransparencyLogListError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
