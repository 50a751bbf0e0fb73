import ByteParsing

/// Reads elements of BER with definite lengths one behind the other, by their headers.
///
/// For what `Certificate` has checked already and does not keep: names and general names.
struct ElementReader: ~Escapable {
  private var reader: ByteReader

  @_lifetime(copy contents)
  init(_ contents: ByteReader) { reader = contents }

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { reader = ByteReader(bytes) }

  var isAtEnd: Bool { reader.remaining == 0 }

  /// Reads the next element: its identifier octet and its contents.
  @_lifetime(copy self)
  mutating func next() throws(ParseError) -> Element {
    let tag = try reader.readUInt8("identifier")
    let first = try reader.readUInt8("length")
    var length = Int(first)
    if first & 0x80 != 0 {
      let count = Int(first & 0x7F)
      guard (1...4).contains(count) else {
        throw ParseError(.unexpectedValue(UInt64(first)), in: "length", at: reader.offset)
      }
      length = Int(try reader.readInteger(byteCount: count, "length"))
    }
    return Element(tag: tag, contents: try reader.readBody(byteCount: length, "contents"))
  }

  /// Reads the next element, which has to be of this kind.
  @_lifetime(copy self)
  mutating func next(_ tag: UInt8) throws(ParseError) -> Element {
    let element = try next()
    guard element.tag == tag else {
      throw ParseError(.unexpectedValue(UInt64(element.tag)), in: "identifier", at: reader.offset)
    }
    return element
  }

  /// An element.
  struct Element: ~Escapable {
    let tag: UInt8
    let contents: ByteReader

    @_lifetime(copy contents)
    init(tag: UInt8, contents: ByteReader) {
      self.tag = tag
      self.contents = contents
    }

    /// A copy of the contents.
    var bytes: Bytes { Bytes(copying: contents.rest) }
  }
}
