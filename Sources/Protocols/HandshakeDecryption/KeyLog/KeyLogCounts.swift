/// Counts of the lines of key logs by result. It contains no key material.
package struct KeyLogCounts: Hashable, Sendable {
  /// Lines that are neither empty nor a comment.
  package var lines: UInt64 = 0

  /// Secrets stored, of handshakes and of inner hellos.
  package var taken: UInt64 = 0

  /// Handshake secrets that were already stored with the same value.
  package var repeated: UInt64 = 0

  /// Handshake secrets of a session with a different secret. Both are tried; for inner hellos, only the first is.
  package var conflicting: UInt64 = 0

  /// Secrets that would decrypt application data; they are dropped on reading.
  package var application: UInt64 = 0

  /// Known secrets of other kinds; they are dropped on reading.
  package var other: UInt64 = 0

  /// Lines whose first word is not a known label.
  package var unknownLabels: UInt64 = 0

  /// Malformed lines: too long, not hexadecimal, or with a value of an impossible length.
  package var malformed: UInt64 = 0

  /// Handshake secrets dropped because `SecretStore` is full.
  package var leftOut: UInt64 = 0

  package init() {}

  /// Whether any line has a label that key logs use.
  package var hasKnownLabels: Bool { lines > unknownLabels }

  /// Adds the counts of another log.
  package mutating func add(_ more: KeyLogCounts) {
    lines &+= more.lines
    taken &+= more.taken
    repeated &+= more.repeated
    conflicting &+= more.conflicting
    application &+= more.application
    other &+= more.other
    unknownLabels &+= more.unknownLabels
    malformed &+= more.malformed
    leftOut &+= more.leftOut
  }
}
