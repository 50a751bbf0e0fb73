import ByteParsing

/// A hello with a list of extensions (RFC 8446 §4.2).
protocol HelloExtensions {
  /// The types of the extensions, in their order.
  var extensions: [ExtensionType] { get set }

  /// Reads one body; assigns nothing unless it is well formed to its end.
  mutating func readExtension(_ type: ExtensionType, from body: inout ByteReader) throws(ParseError)
}

extension HelloExtensions {
  /// Reads the extensions of a hello; of one that occurs twice the first counts.
  mutating func readExtensions(_ fields: HelloFields, of hello: Span<UInt8>) {
    for (type, range) in fields.extensions {
      let isRepeated = extensions.contains(type)
      extensions.append(type)
      if isRepeated { continue }
      var body = ByteReader(hello.extracting(range), base: range.lowerBound)
      try? readExtension(type, from: &body)
    }
  }
}
