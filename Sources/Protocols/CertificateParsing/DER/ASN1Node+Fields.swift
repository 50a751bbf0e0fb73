import ByteParsing
import SwiftASN1

extension DERReader {
  /// Single fields longer than this are refused, so that the nodes of a hostile one stay within a few megabytes.
  static let nodeByteCountLimit = 1 << 16

  /// Reads the next element, of this kind, together with all that is in it.
  mutating func nextNode(_ field: StaticString, _ tag: UInt8) throws(ParseError) -> ASN1Node {
    try node(of: try next(field, tag), field)
  }

  /// Reads what is in an element: as DER, or else, noting that, as BER.
  mutating func node(of element: DERElement, _ field: StaticString) throws(ParseError) -> ASN1Node {
    guard element.encoded.count <= DERReader.nodeByteCountLimit else {
      throw ParseError(.limitReached(DERReader.nodeByteCountLimit), in: field, at: element.encoded.startIndex)
    }
    if let node = try? DER.parse(element.encoded) { return node }
    if let node = try? BER.parse(element.encoded) {
      noteOtherEncoding()
      return node
    }
    throw DERReader.fault(in: element, field)
  }

  /// The only element of `contents`, as a node.
  static func onlyNode(in contents: ArraySlice<UInt8>, _ field: StaticString) throws(ParseError) -> ASN1Node {
    var reader = DERReader(contents)
    let element = try reader.next(field)
    guard reader.isAtEnd else {
      throw ParseError(.trailingBytes(reader.rest.count), in: field, at: reader.rest.startIndex)
    }
    return try reader.node(of: element, field)
  }

  /// What is wrong in an element that swift-asn1 refuses, with the place, which its errors do not tell.
  private static func fault(in element: DERElement, _ field: StaticString) -> ParseError {
    var element = element
    for _ in 0..<50 {
      guard element.tag & 0x20 != 0 else { break }
      var reader = DERReader(element.contents)
      var last: DERElement?
      do throws(ParseError) {
        while !reader.isAtEnd {
          let next = try reader.next(field)
          if next.tag == 0 {
            return ParseError(.unexpectedValue(0), in: field, at: next.encoded.startIndex)
          }
          if next.tag & 0x20 != 0, (try? DER.parse(next.encoded)) == nil {
            last = next
            break
          }
        }
      } catch {
        return error
      }
      guard let inner = last else { break }
      element = inner
    }
    return ParseError(.unexpectedValue(UInt64(element.tag)), in: field, at: element.encoded.startIndex)
  }
}

/// The fields of a SEQUENCE or SET, in order.
struct NodeFields {
  private var iterator: ASN1NodeCollection.Iterator
  private var ahead: ASN1Node?
  private let end: Int

  /// Reads what is in a constructed node.
  init(_ node: ASN1Node, _ field: StaticString) throws(ParseError) {
    guard case .constructed(let nodes) = node.content else {
      throw ParseError(.unexpectedValue(UInt64(node.tag)), in: field, at: node.offset)
    }
    iterator = nodes.makeIterator()
    ahead = iterator.next()
    end = node.encodedBytes.endIndex
  }

  var isAtEnd: Bool { ahead == nil }

  /// The next field, whatever it is.
  mutating func next(_ field: StaticString) throws(ParseError) -> ASN1Node {
    guard let node = ahead else {
      throw ParseError(.truncated(needed: 1, available: 0), in: field, at: end)
    }
    ahead = iterator.next()
    return node
  }

  /// The next field, which must be of this kind.
  mutating func next(_ field: StaticString, _ tag: UInt8) throws(ParseError) -> ASN1Node {
    let node = try next(field)
    guard node.tag == tag else {
      throw ParseError(.unexpectedValue(UInt64(node.tag)), in: field, at: node.offset)
    }
    return node
  }

  /// The next field if it is of this kind.
  mutating func nextIf(_ tag: UInt8, _ field: StaticString) throws(ParseError) -> ASN1Node? {
    ahead?.tag == tag ? try next(field) : nil
  }
}

extension ASN1Node {
  /// The identifier octet.
  var tag: UInt8 { encodedBytes.first ?? 0 }

  /// Where the node begins in the outermost input.
  var offset: Int { encodedBytes.startIndex }

  /// The contents of a primitive node.
  func primitive(_ field: StaticString) throws(ParseError) -> ArraySlice<UInt8> {
    guard case .primitive(let contents) = content else {
      throw ParseError(.unexpectedValue(UInt64(tag)), in: field, at: offset)
    }
    return contents
  }

  /// The contents of a primitive node of this kind.
  func primitive(_ field: StaticString, _ expected: UInt8) throws(ParseError) -> ArraySlice<UInt8> {
    guard tag == expected else { throw ParseError(.unexpectedValue(UInt64(tag)), in: field, at: offset) }
    return try primitive(field)
  }

  /// The dotted text of an OBJECT IDENTIFIER.
  func objectIdentifier(_ field: StaticString) throws(ParseError) -> String {
    try dottedObjectIdentifier(try primitive(field, Tag.objectIdentifier), field)
  }

  /// The bytes of a BIT STRING whose bits fill whole bytes, as keys and signatures do.
  func wholeBits(_ field: StaticString) throws(ParseError) -> ArraySlice<UInt8> {
    try wholeBytes(ofBitString: try primitive(field, Tag.bitString), field)
  }
}
