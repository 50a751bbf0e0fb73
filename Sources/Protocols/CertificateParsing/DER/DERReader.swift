import ByteParsing

/// The identifier octets that X.509 structures are made of (X.690 §8.1.2).
enum Tag {
  static let boolean: UInt8 = 0x01
  static let integer: UInt8 = 0x02
  static let bitString: UInt8 = 0x03
  static let octetString: UInt8 = 0x04
  static let objectIdentifier: UInt8 = 0x06
  static let enumerated: UInt8 = 0x0A
  static let utcTime: UInt8 = 0x17
  static let generalizedTime: UInt8 = 0x18
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31

  /// `[number]` around or instead of a primitive value.
  static func context(_ number: UInt8) -> UInt8 { 0x80 | number }

  /// `[number]` around or instead of a constructed value.
  static func contextConstructed(_ number: UInt8) -> UInt8 { 0xA0 | number }
}

/// One element: its identifier octet, and where it lies in the input.
struct DERElement {
  /// The identifier octet; for tag numbers from 31 on just its first one.
  var tag: UInt8

  /// Header and contents. The indices are offsets in the outermost input.
  var encoded: ArraySlice<UInt8>

  /// The contents alone.
  var contents: ArraySlice<UInt8>
}

/// Reads elements one behind the other, by their headers alone.
///
/// The containers whose size the input decides (the certificate, its extensions, lists of names, revocations) are
/// read with this, for two reasons: a fault costs only what stands behind it, and nothing is allocated for an element.
/// `DER.parse` refuses a container as a whole, and builds nodes of some fifty times the size of the smallest elements.
/// Single fields go through `nextNode`, which hands them to it.
struct DERReader {
  /// What has not been read.
  private(set) var rest: ArraySlice<UInt8>

  /// Whether everything read so far was encoded as DER asks; lengths in longer forms than needed are read all the same.
  private(set) var isDistinguished = true

  /// Reads the elements in the contents of another one.
  init(_ contents: ArraySlice<UInt8>) { rest = contents }

  var isAtEnd: Bool { rest.isEmpty }

  /// Notes that something read was not encoded as DER asks.
  mutating func noteOtherEncoding() { isDistinguished = false }

  /// The next element's identifier octet; nil at the end.
  var nextTag: UInt8? { rest.first }

  /// Reads the next element, whatever it is.
  mutating func next(_ field: StaticString) throws(ParseError) -> DERElement {
    let (element, missing) = try nextAvailable(field)
    guard missing == 0 else {
      let available = element.contents.count
      throw ParseError(
        .truncated(needed: available + missing, available: available), in: field,
        at: element.contents.startIndex)
    }
    return element
  }

  /// Reads the next element, which must be of this kind.
  mutating func next(_ field: StaticString, _ tag: UInt8) throws(ParseError) -> DERElement {
    try require(tag, field)
    return try next(field)
  }

  /// Reads the next element if it is of this kind.
  mutating func nextIf(_ tag: UInt8, _ field: StaticString) throws(ParseError) -> DERElement? {
    nextTag == tag ? try next(field) : nil
  }

  /// Reads a container that may be longer than what is there; `missing` says by how many bytes.
  mutating func nextAvailable(
    _ field: StaticString, _ tag: UInt8
  ) throws(ParseError) -> (element: DERElement, missing: Int) {
    try require(tag, field)
    return try nextAvailable(field)
  }

  private func require(_ tag: UInt8, _ field: StaticString) throws(ParseError) {
    guard let found = rest.first else {
      throw ParseError(.truncated(needed: 1, available: 0), in: field, at: rest.startIndex)
    }
    guard found == tag else {
      throw ParseError(.unexpectedValue(UInt64(found)), in: field, at: rest.startIndex)
    }
  }

  private mutating func nextAvailable(
    _ field: StaticString
  ) throws(ParseError) -> (element: DERElement, missing: Int) {
    let start = rest.startIndex
    var header = DERHeader(at: start)
    let tag = try header.readTag(from: rest, field)
    let length = try header.readLength(from: rest, field)
    if !header.isDistinguished { isDistinguished = false }
    let available = min(length, rest.endIndex - header.index)
    let end = header.index + available
    let element = DERElement(tag: tag, encoded: rest[start..<end], contents: rest[header.index..<end])
    rest = rest[end...]
    return (element, length - available)
  }
}

/// Reads the tag and the length of one element.
private struct DERHeader {
  var index: Int
  var isDistinguished = true

  init(at start: Int) { index = start }

  private mutating func byte(
    from bytes: ArraySlice<UInt8>, _ field: StaticString
  ) throws(ParseError) -> UInt8 {
    guard index < bytes.endIndex else {
      throw ParseError(.truncated(needed: 1, available: 0), in: field, at: index)
    }
    defer { index += 1 }
    return bytes[index]
  }

  mutating func readTag(from bytes: ArraySlice<UInt8>, _ field: StaticString) throws(ParseError) -> UInt8 {
    let tag = try byte(from: bytes, field)
    guard tag & 0x1F == 0x1F else { return tag }
    // Nothing in X.509 has a tag number beyond 30; four octets of it are read so that it can be skipped.
    for _ in 0..<4 {
      let next = try byte(from: bytes, field)
      if next & 0x80 == 0 { return tag }
    }
    throw ParseError(.limitReached(4), in: field, at: index)
  }

  mutating func readLength(from bytes: ArraySlice<UInt8>, _ field: StaticString) throws(ParseError) -> Int {
    let first = try byte(from: bytes, field)
    if first < 0x80 { return Int(first) }
    // 0x80 begins the indefinite form, which DER has not (X.690 §10.1).
    guard first > 0x80 else {
      throw ParseError(.unexpectedValue(UInt64(first)), in: field, at: index - 1)
    }
    var length = 0
    for position in 0..<Int(first & 0x7F) {
      let next = Int(try byte(from: bytes, field))
      guard length < 1 << 40 else {
        throw ParseError(.lengthOutOfBounds(length, allowed: 0...(1 << 40)), in: field, at: index - 1)
      }
      if position == 0, next == 0 { isDistinguished = false }
      length = length << 8 | next
    }
    if length < 0x80 { isDistinguished = false }
    return length
  }
}
