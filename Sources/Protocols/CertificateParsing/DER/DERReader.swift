package import ByteParsing

/// The identifier octets in X.509 structures (X.690 §8.1.2).
enum Tag {
  static let boolean: UInt8 = 0x01
  static let integer: UInt8 = 0x02
  static let bitString: UInt8 = 0x03
  static let octetString: UInt8 = 0x04
  static let null: UInt8 = 0x05
  static let objectIdentifier: UInt8 = 0x06
  static let enumerated: UInt8 = 0x0A
  static let ia5String: UInt8 = 0x16
  static let utcTime: UInt8 = 0x17
  static let generalizedTime: UInt8 = 0x18
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31

  /// `[number]` in place of the tag of a primitive value.
  static func context(_ number: UInt8) -> UInt8 { 0x80 | number }

  /// `[number]` around a value, or in place of the tag of a constructed one.
  static func contextConstructed(_ number: UInt8) -> UInt8 { 0xA0 | number }
}

/// Reads elements one after the other, by their headers alone.
///
/// A fault affects only the following elements, and no memory is allocated.
package struct DERReader: ~Escapable {
  private var reader: ByteReader

  /// Reads the elements in the contents of another one.
  @_lifetime(copy contents)
  package init(_ contents: ByteReader) { reader = contents }

  /// Reads the elements in `bytes`, the first of which has the offset `base`.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, base: Int = 0) { reader = ByteReader(bytes, base: base) }

  package var isAtEnd: Bool { reader.remaining == 0 }

  /// The offset of the next element in the outermost input.
  var offset: Int { reader.offset }

  /// The next element's identifier octet; nil at the end.
  var nextTag: UInt8? { reader.remaining > 0 ? reader.rest[0] : nil }

  /// Reads the next element, of any kind.
  @_lifetime(copy self)
  package mutating func next(_ field: StaticString) throws(ParseError) -> DERElement {
    let element = try nextAvailable(field)
    try element.requireWhole(field)
    return element
  }

  /// Reads the next element, which must have this tag.
  @_lifetime(copy self)
  package mutating func next(_ field: StaticString, _ tag: UInt8) throws(ParseError) -> DERElement {
    try require(tag, field)
    return try next(field)
  }

  /// Reads the next element if it has this tag.
  @_lifetime(copy self)
  mutating func nextIf(_ field: StaticString, _ tag: UInt8) throws(ParseError) -> DERElement? {
    guard nextTag == tag else { return nil }
    return try next(field)
  }

  /// Reads the next element, which must have this tag but may be truncated.
  @_lifetime(copy self)
  mutating func nextAvailable(_ field: StaticString, _ tag: UInt8) throws(ParseError) -> DERElement {
    try require(tag, field)
    return try nextAvailable(field)
  }

  /// Throws if any element is left.
  func requireEnd(of structure: StaticString) throws(ParseError) { try reader.requireEnd(of: structure) }

  /// Throws if a list that must not be empty is at its end.
  func requireSome(_ field: StaticString) throws(ParseError) {
    if isAtEnd { throw ParseError(.truncated(needed: 1, available: 0), in: field, at: offset) }
  }

  private func require(_ tag: UInt8, _ field: StaticString) throws(ParseError) {
    guard let found = nextTag else { throw ParseError(.truncated(needed: 1, available: 0), in: field, at: offset) }
    guard found == tag else { throw ParseError(.unexpectedValue(UInt64(found)), in: field, at: offset) }
  }

  @_lifetime(copy self)
  private mutating func nextAvailable(_ field: StaticString) throws(ParseError) -> DERElement {
    var whole = reader
    let tag = try readTag(field)
    let lengthStart = reader.offset
    let length = try readLength(field)
    // Lengths from 128 on have a byte with the number of bytes before them.
    let shortest = length < 0x80 ? 1 : 1 + (Int.bitWidth - length.leadingZeroBitCount + 7) / 8
    let isShortest = reader.offset - lengthStart == shortest
    let available = min(length, reader.remaining)
    let contents = try reader.readBody(byteCount: available, field)
    let encoded = try whole.readBody(byteCount: reader.offset - whole.offset, field)
    return DERElement(tag: tag, encoded: encoded, contents: contents, missing: length - available, hasShortestLength: isShortest)
  }

  private mutating func readTag(_ field: StaticString) throws(ParseError) -> UInt8 {
    let tag = try reader.readUInt8(field)
    guard tag & 0x1F == 0x1F else { return tag }
    // X.509 has no tag numbers beyond 30; up to four octets are read so that the element can be skipped.
    for _ in 0..<4 {
      let octet = try reader.readUInt8(field)
      if octet & 0x80 == 0 { return tag }
    }
    throw ParseError(.limitReached(4), in: field, at: offset)
  }

  private mutating func readLength(_ field: StaticString) throws(ParseError) -> Int {
    let first = try reader.readUInt8(field)
    if first < 0x80 { return Int(first) }
    // 0x80 begins the indefinite form, which DER does not allow (X.690 §10.1).
    guard first > 0x80 else { throw ParseError(.unexpectedValue(UInt64(first)), in: field, at: offset - 1) }
    var length = 0
    for _ in 0..<Int(first & 0x7F) {
      length = length << 8 | Int(try reader.readUInt8(field))
      guard length < 1 << 40 else { throw ParseError(.lengthOutOfBounds(length, allowed: 0...(1 << 40)), in: field, at: offset) }
    }
    return length
  }
}

/// One element: its identifier octet, its bytes, and their range in the outermost input.
package struct DERElement: ~Escapable {
  /// The identifier octet; for tag numbers from 31 on, only the first one.
  package let tag: UInt8

  /// Header and contents.
  let encoded: ByteReader

  /// The contents, as far as they are present.
  package let contents: ByteReader

  /// The number of bytes that the contents lack.
  let missing: Int

  /// Whether the length is in its shortest form, as DER requires.
  package let hasShortestLength: Bool

  @_lifetime(copy encoded, copy contents)
  init(tag: UInt8, encoded: ByteReader, contents: ByteReader, missing: Int, hasShortestLength: Bool) {
    self.tag = tag
    self.encoded = encoded
    self.contents = contents
    self.missing = missing
    self.hasShortestLength = hasShortestLength
  }

  package var bytes: Span<UInt8> {
    @_lifetime(copy self)
    get { contents.rest }
  }

  /// The range of header and contents.
  var range: Range<Int> { encoded.remainingRange }

  var contentsRange: Range<Int> { contents.remainingRange }

  /// Throws if the contents are truncated.
  func requireWhole(_ field: StaticString) throws(ParseError) {
    guard missing == 0 else {
      throw ParseError(.truncated(needed: contents.remaining + missing, available: contents.remaining), in: field, at: contents.offset)
    }
  }

  /// The error for an element of an unexpected kind.
  func unexpected(_ field: StaticString) -> ParseError {
    ParseError(.unexpectedValue(UInt64(tag)), in: field, at: encoded.offset)
  }

  /// The only element in the contents, which must have this tag.
  @_lifetime(copy self)
  func only(_ field: StaticString, _ tag: UInt8) throws(ParseError) -> DERElement {
    var reader = DERReader(contents)
    let element = try reader.next(field, tag)
    try reader.requireEnd(of: field)
    return element
  }

  /// The fields of the parameters of an algorithm, which have to be DER throughout.
  @_lifetime(copy self)
  func parameterFields(_ field: StaticString) throws(ParseError) -> DERReader {
    // Far more than any parameters in use: explicit curves have about 300 bytes, DSA parameters up to 800.
    let limit = 1 << 14
    guard encoded.remaining <= limit else { throw ParseError(.limitReached(limit), in: field, at: encoded.offset) }
    guard tag == Tag.sequence, isDistinguished(encoded.rest, ifUnreadable: false) else { throw unexpected(field) }
    return DERReader(contents)
  }
}
