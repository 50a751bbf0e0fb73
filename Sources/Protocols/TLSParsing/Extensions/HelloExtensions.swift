import ByteParsing

/// A hello with a list of extensions (RFC 8446 §4.2).
protocol HelloExtensions {
  /// More extensions than any hello has.
  static var maximumExtensionCount: Int { get }

  /// The types of the extensions, in their order.
  var extensions: [ExtensionType] { get set }

  /// The types of the extensions that break their own rule.
  var malformedExtensions: [ExtensionType] { get set }

  /// Reads one body; assigns nothing unless it is well formed to its end.
  mutating func readExtension(_ type: ExtensionType, from body: inout ByteReader) throws(ParseError)
}

extension HelloExtensions {
  /// Reads the extensions up to the end of `block`; of one that occurs twice the first counts.
  mutating func readExtensions(from block: inout ByteReader) throws(ParseError) {
    while block.remaining > 0 {
      let start = block.offset
      let type = ExtensionType(rawValue: try block.readUInt16("extension_type"))
      var body = try block.readVector("extension_data", 0...0xFFFF)
      guard extensions.count < Self.maximumExtensionCount else {
        throw ParseError(.limitReached(Self.maximumExtensionCount), in: "extensions", at: start)
      }
      let isRepeated = extensions.contains(type)
      extensions.append(type)
      if isRepeated { continue }
      do throws(ParseError) {
        try readExtension(type, from: &body)
      } catch {
        malformedExtensions.append(type)
      }
    }
  }
}
