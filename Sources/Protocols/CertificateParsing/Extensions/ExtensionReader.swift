import ByteParsing

/// Reads `Extensions ::= SEQUENCE OF Extension` (RFC 5280 §4.1), one at a time.
struct ExtensionReader: ~Escapable {
  private var list: DERReader

  /// Creates a reader for the contents of the SEQUENCE.
  @_lifetime(copy contents)
  init(_ contents: ByteReader) { list = DERReader(contents) }

  var isAtEnd: Bool { list.isAtEnd }

  /// Throws if no extension is left: the list must not be empty.
  func requireSome() throws(ParseError) { try list.requireSome("extensions") }

  /// Reads the next extension.
  @_lifetime(copy self)
  mutating func next() throws(ParseError) -> ExtensionElement {
    let element = try list.next("Extension", Tag.sequence)
    var fields = DERReader(element.contents)
    let identifier = try fields.nextObjectIdentifier("extnID")
    var isCritical = false
    if let critical = try fields.nextIf("critical", Tag.boolean) { isCritical = critical.booleanValue }
    let value = try fields.next("extnValue", Tag.octetString)
    try fields.requireEnd(of: "Extension")
    let facts = CertificateExtension(
      objectIdentifier: identifier, isCritical: isCritical, encodedRange: element.range, valueRange: value.contentsRange)
    return ExtensionElement(facts: facts, value: value)
  }
}

extension ExtensionReader {
  /// The maximum number of extensions; certificates in use have up to fifteen.
  static let maximumCount = 512

  /// Throws if the maximum number of extensions has been read.
  static func requireRoom(_ count: Int) throws(ParseError) {
    guard count < maximumCount else { throw ParseError(.limitReached(maximumCount), in: "extensions", at: 0) }
  }

  /// Reads all remaining extensions.
  mutating func readAll() throws(ParseError) -> [CertificateExtension] {
    var all: [CertificateExtension] = []
    while !isAtEnd {
      try ExtensionReader.requireRoom(all.count)
      all.append(try next().facts)
    }
    return all
  }
}

/// An extension, and the OCTET STRING that contains its value.
struct ExtensionElement: ~Escapable {
  let facts: CertificateExtension
  let value: DERElement

  @_lifetime(copy value)
  init(facts: CertificateExtension, value: DERElement) {
    self.facts = facts
    self.value = value
  }
}
