package import ByteParsing

/// The tags of GeneralName (RFC 5280 §4.2.1.6).
enum GeneralNameTag {
  static let rfc822Name = Tag.context(1)
  static let dnsName = Tag.context(2)
  static let directoryName = Tag.contextConstructed(4)
  static let uniformResourceIdentifier = Tag.context(6)
  static let ipAddress = Tag.context(7)

  /// The tags. A constructed address (6) is a common old mistake, and is accepted.
  private static let all: [UInt8] = [
    Tag.contextConstructed(0), rfc822Name, dnsName, Tag.contextConstructed(3), directoryName, Tag.contextConstructed(5),
    uniformResourceIdentifier, Tag.contextConstructed(6), ipAddress, Tag.context(8),
  ]

  /// Throws if the element is not a GeneralName. A constructed address contains an IA5String.
  static func check(_ name: borrowing DERElement, _ field: StaticString) throws(ParseError) {
    guard all.contains(name.tag) else { throw name.unexpected(field) }
    guard name.tag == Tag.contextConstructed(6) else { return }
    var contents = DERReader(name.contents)
    _ = try contents.next(field, Tag.ia5String)
  }
}

/// nameConstraints (RFC 5280 §4.2.1.10): the names that certificates below may contain.
package struct NameConstraints: Hashable, Sendable {
  /// The maximum number of subtrees; certificates in use have about a hundred.
  package static let maximumSubtreeCount = 4096

  /// A subtree of a name space.
  package enum Subtree: Hashable, Sendable {
    /// A domain, as encoded: `example.com`, or `.example.com`.
    case dnsName(String)

    /// An address and a mask: 8 or 32 bytes; other lengths as encoded.
    case ipAddress(Bytes)

    /// The DER of a Name that is a prefix of the names in the subtree.
    case directoryName(Bytes)

    /// A mailbox, host or domain, as encoded.
    case rfc822Name(String)

    /// A host or domain, as encoded.
    case uniformResourceIdentifier(String)

    /// Another type of name, by its identifier octet.
    case other(tag: UInt8)
  }

  /// The subtrees in which names must be, for each type of name; empty without restrictions.
  package var permitted: [Subtree] = []

  /// The subtrees in which names must not be.
  package var excluded: [Subtree] = []

  /// Decodes the value of the extension.
  package init(parsing value: Span<UInt8>) throws(ParseError) {
    var outer = DERReader(value)
    var fields = DERReader(try outer.next("nameConstraints", Tag.sequence).contents)
    try outer.requireEnd(of: "nameConstraints")
    if let list = try fields.nextIf("permittedSubtrees", Tag.contextConstructed(0)) {
      permitted = try readSubtrees(list)
    }
    if let list = try fields.nextIf("excludedSubtrees", Tag.contextConstructed(1)) {
      excluded = try readSubtrees(list)
    }
    try fields.requireEnd(of: "nameConstraints")
  }

  private func readSubtrees(_ element: borrowing DERElement) throws(ParseError) -> [Subtree] {
    var list = DERReader(element.contents)
    var subtrees: [Subtree] = []
    while !list.isAtEnd {
      guard subtrees.count < NameConstraints.maximumSubtreeCount else {
        throw ParseError(.limitReached(NameConstraints.maximumSubtreeCount), in: "GeneralSubtrees", at: list.offset)
      }
      var fields = DERReader(try list.next("GeneralSubtree", Tag.sequence).contents)
      let base = try fields.next("base")
      // The minimum must be 0, and a maximum must be absent (RFC 5280 §4.2.1.10).
      if let minimum = try fields.nextIf("minimum", Tag.context(0)), try minimum.smallNumber("minimum") != 0 {
        throw minimum.unexpected("minimum")
      }
      try fields.requireEnd(of: "GeneralSubtree")
      let subtree: Subtree =
        switch base.tag {
        case GeneralNameTag.dnsName: .dnsName(text(ofBytes: base.bytes))
        case GeneralNameTag.ipAddress: .ipAddress(Bytes(copying: base.bytes))
        case GeneralNameTag.directoryName: .directoryName(Bytes(copying: base.bytes))
        case GeneralNameTag.rfc822Name: .rfc822Name(text(ofBytes: base.bytes))
        case GeneralNameTag.uniformResourceIdentifier: .uniformResourceIdentifier(text(ofBytes: base.bytes))
        default: .other(tag: base.tag)
        }
      subtrees.append(subtree)
    }
    return subtrees
  }
}
