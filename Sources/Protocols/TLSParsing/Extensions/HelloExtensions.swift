import ByteParsing

/// A hello with a list of extensions (RFC 8446 §4.2).
protocol HelloExtensions {
  /// The types of the extensions in order.
  var extensions: [ExtensionType] { get set }

  /// Decodes one body; assigns nothing unless all of it is well-formed.
  mutating func readExtension(_ type: ExtensionType, from body: inout ByteReader) throws(ParseError)
}

extension HelloExtensions {
  /// Decodes the extensions of a hello; of a repeated one the first counts.
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
