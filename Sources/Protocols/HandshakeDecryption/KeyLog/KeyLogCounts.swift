/// What became of the lines of key logs. Counts only: no key material is in here.
package struct KeyLogCounts: Hashable, Sendable {
  /// Lines that are neither empty nor a comment.
  package var lines: UInt64 = 0

  /// Secrets taken, of handshakes and of inner hellos.
  package var taken: UInt64 = 0

  /// Handshake secrets that were there already, the same.
  package var repeated: UInt64 = 0

  /// Handshake secrets of a session that has another one already, of which both are tried; of inner hellos the first is.
  package var conflicting: UInt64 = 0

  /// Secrets that would open application data: dropped on reading.
  package var application: UInt64 = 0

  /// Known secrets of other kinds: dropped on reading.
  package var other: UInt64 = 0

  /// Lines whose first word is not a label that is known.
  package var unknownLabels: UInt64 = 0

  /// Lines that break the format: too long, not in hexadecimal digits, of a length that no secret has.
  package var malformed: UInt64 = 0

  /// Handshake secrets left out because `SecretStore` is full.
  package var leftOut: UInt64 = 0

  /// Creates empty counts.
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
