package import ByteParsing

/// A cleartext alert (RFC 8446 §6).
package struct Alert: Hashable, Sendable {
  /// 1 is a warning, 2 is fatal.
  package var level: UInt8

  /// The alert description code.
  package var description: AlertDescription

  /// Parses the fragment of an alert record.
  package init(parsing fragment: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(fragment)
    level = try reader.readUInt8("level")
    guard level == 1 || level == 2 else {
      // Any other value is an encrypted alert of two bytes.
      throw ParseError(.unexpectedValue(UInt64(level)), in: "level", at: 0)
    }
    description = AlertDescription(rawValue: try reader.readUInt8("description"))
    try reader.requireEnd(of: "Alert")
  }
}
