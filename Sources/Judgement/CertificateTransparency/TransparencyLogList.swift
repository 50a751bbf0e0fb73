package import ByteParsing
package import Values

/// A log list in version 3 of the format, which Apple and Google publish.
package struct TransparencyLogList: Sendable {
  /// The maximum size of a list; Apple's has about 150 kB.
  package static let maximumByteCount = 16 * 1024 * 1024

  /// The maximum number of logs in a list; Apple's has about 200.
  package static let maximumLogCount = 10_000

  package internal(set) var logs: [Bytes: TransparencyLog] = [:]

  /// The list's version as text (Google's `version`, Apple's `assetVersion`); nil if there is none.
  package internal(set) var version: String?

  /// The time at which the list was made; nil if it states none.
  package var timestamp: Timestamp?

  package init(logs: [TransparencyLog]) {
    for log in logs { self.logs[log.identifier] = log }
  }
}

/// The error of a log list that cannot be used: the fault, and the log that has it.
package struct TransparencyLogListError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
