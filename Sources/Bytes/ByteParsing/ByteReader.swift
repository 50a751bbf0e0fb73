/// A bounds-checked cursor over borrowed bytes, for big-endian wire formats.
///
/// Every read either yields a value and moves on, or throws and stays where it was. Sub-readers share the
/// outermost input's offsets, so that errors name the same place at every depth.
@usableFromInline package struct ByteReader: ~Escapable {
  @usableFromInline
  let bytes: Span<UInt8>

  /// The next byte's index in `bytes`.
  @usableFromInline
  var position: Int

  /// The first index that this reader must not touch; never beyond `bytes.count`.
  @usableFromInline
  let limit: Int

  /// The offset of `bytes[0]` in the outermost input.
  @usableFromInline
  let base: Int

  /// Reads `bytes` from their start; `base` is added to the offsets that errors name.
  @inlinable
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, base: Int = 0) {
    self.bytes = bytes
    self.position = 0
    self.limit = bytes.count
    self.base = base
  }

  @inlinable
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, from position: Int, to limit: Int, base: Int) {
    self.bytes = bytes
    self.position = position
    self.limit = limit
    self.base = base
  }

  /// Bytes not yet read.
  @inlinable
  package var remaining: Int { limit - position }

  /// The next byte's offset in the outermost input.
  @inlinable
  package var offset: Int { base + position }

  /// The bytes not yet read.
  @inlinable
  package var rest: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(position..<limit) }
  }

  /// Throws unless `count` more bytes are there.
  @inlinable
  func require(_ count: Int, _ field: StaticString) throws(ParseError) {
    guard count >= 0, count <= remaining else {
      throw ParseError(.truncated(needed: count, available: remaining), in: field, at: offset)
    }
  }

  @inlinable
  package mutating func readUInt8(_ field: StaticString) throws(ParseError) -> UInt8 {
    try require(1, field)
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads two bytes, the most significant first.
  @inlinable
  package mutating func readUInt16(_ field: StaticString) throws(ParseError) -> UInt16 {
    try require(2, field)
    defer { position += 2 }
    return UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])
  }

  /// Reads three bytes, the most significant first: 0 to 2²⁴ − 1.
  @inlinable
  package mutating func readUInt24(_ field: StaticString) throws(ParseError) -> UInt32 {
    UInt32(try readInteger(byteCount: 3, field))
  }

  /// Reads four bytes, the most significant first.
  @inlinable
  package mutating func readUInt32(_ field: StaticString) throws(ParseError) -> UInt32 {
    UInt32(try readInteger(byteCount: 4, field))
  }

  /// Reads eight bytes, the most significant first.
  @inlinable
  package mutating func readUInt64(_ field: StaticString) throws(ParseError) -> UInt64 {
    try readInteger(byteCount: 8, field)
  }

  /// Reads an unsigned integer of `byteCount` (1 to 8) bytes, the most significant first.
  @inlinable
  package mutating func readInteger(byteCount: Int, _ field: StaticString) throws(ParseError) -> UInt64 {
    try require(byteCount, field)
    var value: UInt64 = 0
    for index in position..<(position + byteCount) {
      value = value << 8 | UInt64(bytes[index])
    }
    position += byteCount
    return value
  }

  /// Reads the next `byteCount` bytes as a reader of their own.
  @inlinable
  @_lifetime(copy self)
  package mutating func readBody(byteCount: Int, _ field: StaticString) throws(ParseError) -> ByteReader {
    try require(byteCount, field)
    let start = position
    position += byteCount
    return ByteReader(bytes, from: start, to: start + byteCount, base: base)
  }

  /// Reads a vector with its length prefix, as `name<floor..ceiling>` in RFC 8446 §3.4.
  ///
  /// The ceiling fixes the width of the prefix; a length outside the bounds throws.
  @inlinable
  @_lifetime(copy self)
  package mutating func readVector(
    _ field: StaticString, _ bounds: ClosedRange<Int>
  ) throws(ParseError) -> ByteReader {
    let prefixBits = Int.bitWidth - bounds.upperBound.leadingZeroBitCount
    let start = position
    let length = Int(try readInteger(byteCount: (prefixBits + 7) / 8, field))
    guard bounds.contains(length), length <= remaining else {
      let reason: ParseError.Reason =
        bounds.contains(length)
        ? .truncated(needed: length, available: remaining) : .lengthOutOfBounds(length, allowed: bounds)
      position = start
      throw ParseError(reason, in: field, at: offset)
    }
    return try readBody(byteCount: length, field)
  }

  /// Moves on by `byteCount` bytes without looking at them.
  @inlinable
  package mutating func skip(byteCount: Int, _ field: StaticString) throws(ParseError) {
    try require(byteCount, field)
    position += byteCount
  }

  /// Copies what is left and moves to the end.
  @inlinable
  package mutating func readRest() -> Bytes {
    defer { position = limit }
    return Bytes(copying: rest)
  }

  /// Throws if anything is left; `structure` names what should have ended.
  @inlinable
  package func requireEnd(of structure: StaticString) throws(ParseError) {
    guard remaining == 0 else {
      throw ParseError(.trailingBytes(remaining), in: structure, at: offset)
    }
  }
}
