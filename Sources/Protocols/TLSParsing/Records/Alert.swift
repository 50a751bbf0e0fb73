package import ByteParsing

/// An alert in the clear (RFC 8446 §6).
package struct Alert: Hashable, Sendable {
  /// 1 is a warning, 2 is fatal.
  package var level: UInt8

  /// What it says.
  package var description: AlertDescription

  /// Whether it ends the connection.
  package var isFatal: Bool { level == 2 }

  /// Parses the fragment of an alert record.
  package init(parsing fragment: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(fragment)
    level = try reader.readUInt8("level")
    guard level == 1 || level == 2 else {
      // Anything else is an encrypted alert that happens to have two bytes.
      throw ParseError(.unexpectedValue(UInt64(level)), in: "level", at: 0)
    }
    description = AlertDescription(rawValue: try reader.readUInt8("description"))
    try reader.requireEnd(of: "Alert")
  }
}
