import ByteParsing

/// Reads `SEQUENCE OF Extension`, one at a time.
struct ExtensionReader {
  private var list: DERReader
  private var innerIsDistinguished = true

  /// Reads what is in the SEQUENCE.
  init(_ contents: ArraySlice<UInt8>) { list = DERReader(contents) }

  var isDistinguished: Bool { list.isDistinguished && innerIsDistinguished }

  /// The next extension with its value; nil at the end.
  mutating func next() throws(ParseError) -> (extension: CertificateExtension, value: ArraySlice<UInt8>)? {
    guard !list.isAtEnd else { return nil }
    let element = try list.next("Extension", Tag.sequence)
    var fields = DERReader(element.contents)
    defer { if !fields.isDistinguished { innerIsDistinguished = false } }
    let identifier = try dottedObjectIdentifier(
      try fields.next("extnID", Tag.objectIdentifier).contents, "extnID")
    let critical = try fields.nextIf(Tag.boolean, "critical")
    let value = try fields.next("extnValue", Tag.octetString).contents
    try fields.requireEnd("Extension")
    let result = CertificateExtension(
      objectIdentifier: identifier, isCritical: critical?.contents.contains { $0 != 0 } ?? false,
      encodedRange: element.encoded.indices, valueRange: value.indices)
    return (result, value)
  }
}

extension DERReader {
  /// Throws if anything is left.
  func requireEnd(_ structure: StaticString) throws(ParseError) {
    guard isAtEnd else {
      throw ParseError(.trailingBytes(rest.count), in: structure, at: rest.startIndex)
    }
  }

  /// The contents of the one element, of this kind, that `bytes` hold.
  static func only(
    _ field: StaticString, _ tag: UInt8, in bytes: ArraySlice<UInt8>
  ) throws(ParseError) -> ArraySlice<UInt8> {
    var reader = DERReader(bytes)
    let element = try reader.next(field, tag)
    try reader.requireEnd(field)
    return element.contents
  }
}
