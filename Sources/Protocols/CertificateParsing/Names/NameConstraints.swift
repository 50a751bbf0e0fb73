public import ByteParsing

/// The tags of GeneralName (RFC 5280 §4.2.1.6).
enum GeneralNameTag {
  static let rfc822Name = Tag.context(1)
  static let dnsName = Tag.context(2)
  static let directoryName = Tag.contextConstructed(4)
  static let uniformResourceIdentifier = Tag.context(6)
  static let ipAddress = Tag.context(7)
}

/// nameConstraints (RFC 5280 §4.2.1.10): the names that certificates below may have.
public struct NameConstraints: Hashable, Sendable {
  /// More subtrees than this are refused; certificates in use have some hundred.
  public static let subtreeCountLimit = 4096

  /// A part of a space of names.
  public enum Subtree: Hashable, Sendable {
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
  public var permitted: [Subtree] = []

  /// What names must not be in.
  public var excluded: [Subtree] = []

  /// Whether a subtree has a `minimum` or `maximum`, which RFC 5280 does not use.
  public var hasDistances = false

  /// Reads the value of the extension.
  public init(parsing value: Span<UInt8>) throws(ParseError) {
    try self.init([UInt8](Bytes(copying: value))[...])
  }

  init(_ value: ArraySlice<UInt8>) throws(ParseError) {
    var fields = DERReader(try DERReader.only("nameConstraints", Tag.sequence, in: value))
    if let list = try fields.nextIf(Tag.contextConstructed(0), "permittedSubtrees") {
      permitted = try readSubtrees(list.contents)
    }
    if let list = try fields.nextIf(Tag.contextConstructed(1), "excludedSubtrees") {
      excluded = try readSubtrees(list.contents)
    }
    try fields.requireEnd("nameConstraints")
  }

  private mutating func readSubtrees(_ contents: ArraySlice<UInt8>) throws(ParseError) -> [Subtree] {
    var list = DERReader(contents)
    var subtrees: [Subtree] = []
    while !list.isAtEnd {
      guard subtrees.count < NameConstraints.subtreeCountLimit else {
        throw ParseError(
          .limitReached(NameConstraints.subtreeCountLimit), in: "GeneralSubtrees", at: contents.startIndex)
      }
      var fields = DERReader(try list.next("GeneralSubtree", Tag.sequence).contents)
      let base = try fields.next("base")
      if !fields.isAtEnd { hasDistances = true }
      switch base.tag {
      case GeneralNameTag.dnsName: subtrees.append(.dnsName(text(ofBytes: base.contents)))
      case GeneralNameTag.ipAddress: subtrees.append(.ipAddress(Bytes(base.contents)))
      case GeneralNameTag.directoryName: subtrees.append(.directoryName(Bytes(base.contents)))
      case GeneralNameTag.rfc822Name: subtrees.append(.rfc822Name(text(ofBytes: base.contents)))
      case GeneralNameTag.uniformResourceIdentifier:
        subtrees.append(.uniformResourceIdentifier(text(ofBytes: base.contents)))
      default: subtrees.append(.other(tag: base.tag))
      }
    }
    return subtrees
  }
}
