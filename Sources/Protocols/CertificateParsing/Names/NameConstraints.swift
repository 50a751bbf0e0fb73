package import ByteParsing

/// The tags of GeneralName (RFC 5280 §4.2.1.6).
enum GeneralNameTag {
  static let rfc822Name = Tag.context(1)
  static let dnsName = Tag.context(2)
  static let directoryName = Tag.contextConstructed(4)
  static let uniformResourceIdentifier = Tag.context(6)
  static let ipAddress = Tag.context(7)

  /// The forms there are. A constructed address (6) is an old mistake that is read all the same.
  static let all: [UInt8] = [
    Tag.contextConstructed(0), rfc822Name, dnsName, Tag.contextConstructed(3), directoryName,
    Tag.contextConstructed(5), uniformResourceIdentifier, Tag.contextConstructed(6), ipAddress,
    Tag.context(8),
  ]
}

/// nameConstraints (RFC 5280 §4.2.1.10): the names that certificates below may have.
package struct NameConstraints: Hashable, Sendable {
  /// More subtrees than this are refused; certificates in use have some hundred.
  package static let maximumSubtreeCount = 4096

  /// A part of a space of names.
  package enum Subtree: Hashable, Sendable {
    /// A domain, as it stands: `example.com`, or `.example.com`.
    case dnsName(String)

    /// An address and a mask: 8 or 32 bytes, other counts as they stand.
    case ipAddress(Bytes)

    /// The DER of a Name whose parts the others begin with.
    case directoryName(Bytes)

    /// A mailbox, host or domain, as it stands.
    case rfc822Name(String)

    /// A host or domain, as it stands.
    case uniformResourceIdentifier(String)

    /// Another form of name, by its identifier octet.
    case other(tag: UInt8)
  }

  /// What names have to be in, form by form; empty where nothing is said.
  package var permitted: [Subtree] = []

  /// What names must not be in.
  package var excluded: [Subtree] = []

  /// Reads the value of the extension.
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
        throw ParseError(
          .limitReached(NameConstraints.maximumSubtreeCount), in: "GeneralSubtrees", at: list.offset)
      }
      var fields = DERReader(try list.next("GeneralSubtree", Tag.sequence).contents)
      let base = try fields.next("base")
      // A minimum is 0, and there is no maximum (RFC 5280 §4.2.1.10).
      if let minimum = try fields.nextIf("minimum", Tag.context(0)),
        try minimum.smallNumber("minimum") != 0
      {
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
