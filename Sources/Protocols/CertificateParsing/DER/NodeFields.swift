import ByteParsing
import SwiftASN1

/// The fields of a SEQUENCE that swift-asn1 has parsed, in order.
struct NodeFields {
  private var iterator: ASN1NodeCollection.Iterator
  private var ahead: ASN1Node?

  /// The offset of the tree in the outermost input; its nodes count from 0.
  private let base: Int

  /// Creates the fields of a constructed node.
  init(_ node: ASN1Node, base: Int, _ field: StaticString) throws(ParseError) {
    guard case .constructed(let nodes) = node.content else { throw node.unexpected(field, base: base) }
    self.base = base
    iterator = nodes.makeIterator()
    ahead = iterator.next()
  }

  /// Returns the next field, which must have this identifier.
  mutating func next(_ field: StaticString, _ identifier: ASN1Identifier) throws(ParseError) -> ASN1Node {
    guard let node = ahead else { throw ParseError(.truncated(needed: 1, available: 0), in: field, at: base) }
    guard node.identifier == identifier else { throw node.unexpected(field, base: base) }
    ahead = iterator.next()
    return node
  }

  /// Returns the content of the explicit tag `[number]` if that is next.
  mutating func nextTagged(_ number: UInt, _ field: StaticString) throws(ParseError) -> ASN1Node? {
    guard let node = ahead,
      node.identifier == ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    else { return nil }
    guard case .constructed(let nodes) = node.content else { throw node.unexpected(field, base: base) }
    var inner = nodes.makeIterator()
    guard let value = inner.next(), inner.next() == nil else { throw node.unexpected(field, base: base) }
    ahead = iterator.next()
    return value
  }

  /// Returns the next field of any kind; nil at the end.
  mutating func nextIfAny() -> ASN1Node? {
    defer { ahead = ahead == nil ? nil : iterator.next() }
    return ahead
  }

  /// Throws if any field is left.
  func requireEnd(of structure: StaticString) throws(ParseError) {
    if let node = ahead { throw node.unexpected(structure, base: base) }
  }
}

extension ASN1Node {
  /// The error for a node of an unexpected kind.
  func unexpected(_ field: StaticString, base: Int) -> ParseError {
    ParseError(.unexpectedValue(UInt64(encodedBytes.first ?? 0)), in: field, at: base + encodedBytes.startIndex)
  }

  /// The contents of a primitive node, which must have this identifier.
  func primitive(_ field: StaticString, _ expected: ASN1Identifier, base: Int) throws(ParseError) -> Bytes {
    guard identifier == expected, case .primitive(let contents) = content else { throw unexpected(field, base: base) }
    return Bytes(contents)
  }

  /// The dotted text of an OBJECT IDENTIFIER.
  func objectIdentifier(_ field: StaticString, base: Int) throws(ParseError) -> String {
    let contents = try primitive(field, .objectIdentifier, base: base)
    return try dottedObjectIdentifier(contents.span, field, at: base + encodedBytes.startIndex)
  }
}
