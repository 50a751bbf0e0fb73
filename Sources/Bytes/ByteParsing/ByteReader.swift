/// A bounds-checked cursor over borrowed bytes, for big-endian wire formats.
///
/// Every read either returns a value and advances, or throws and does not advance. Nested readers use the outermost input's offsets, so
/// that errors have the same offset at every depth.
@usableFromInline package struct ByteReader: ~Escapable {
  @usableFromInline let bytes: Span<UInt8>

  /// The index of the next byte in `bytes`.
  @usableFromInline var position: Int

  /// The offset of `bytes[0]` in the outermost input.
  @usableFromInline let base: Int

  /// Reads `bytes` from their start; `base` is added to the offsets in errors.
  @inlinable
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, base: Int = 0) {
    self.bytes = bytes
    self.position = 0
    self.base = base
  }

  /// The number of bytes not yet read.
  @inlinable
  package var remaining: Int { bytes.count - position }

  /// The offset of the next byte in the outermost input.
  @inlinable
  package var offset: Int { base + position }

  /// The range of the bytes not yet read in the outermost input.
  @inlinable
  package var remainingRange: Range<Int> { offset..<(offset + remaining) }

  /// The bytes not yet read.
  @inlinable
  package var rest: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes.extracting(position...) }
  }

  /// Throws unless at least `count` bytes are left.
  @inlinable
  func require(_ count: Int, _ field: StaticString) throws(ParseError) {
    guard count >= 0, count <= remaining else { throw ParseError(.truncated(needed: count, available: remaining), in: field, at: offset) }
  }

  @inlinable
  package mutating func readUInt8(_ field: StaticString) throws(ParseError) -> UInt8 {
    try require(1, field)
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads a big-endian 16-bit number.
  @inlinable
  package mutating func readUInt16(_ field: StaticString) throws(ParseError) -> UInt16 {
    try require(2, field)
    defer { position += 2 }
    return bytes.raw.big16(position)
  }

  /// Reads a big-endian 24-bit number, 0 to 2²⁴ − 1.
  @inlinable
  package mutating func readUInt24(_ field: StaticString) throws(ParseError) -> UInt32 {
    UInt32(try readInteger(byteCount: 3, field))
  }

  /// Reads a big-endian 32-bit number.
  @inlinable
  package mutating func readUInt32(_ field: StaticString) throws(ParseError) -> UInt32 {
    UInt32(try readInteger(byteCount: 4, field))
  }

  /// Reads a big-endian 64-bit number.
  @inlinable
  package mutating func readUInt64(_ field: StaticString) throws(ParseError) -> UInt64 {
    try readInteger(byteCount: 8, field)
  }

  /// Reads a big-endian unsigned number of `byteCount` (1 to 8) bytes.
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

  /// Reads the next `byteCount` bytes as a separate reader.
  @inlinable
  @_lifetime(copy self)
  package mutating func readBody(byteCount: Int, _ field: StaticString) throws(ParseError) -> ByteReader {
    try require(byteCount, field)
    defer { position += byteCount }
    return ByteReader(bytes.extracting(position..<(position + byteCount)), base: offset)
  }

  /// Reads a vector with its length prefix, as `name<floor..ceiling>` in RFC 8446 §3.4.
  ///
  /// The ceiling determines the width of the prefix; a length outside the bounds throws.
  @inlinable
  @_lifetime(copy self)
  package mutating func readVector(_ field: StaticString, _ bounds: ClosedRange<Int>) throws(ParseError) -> ByteReader {
    let prefixBits = Int.bitWidth - bounds.upperBound.leadingZeroBitCount
    let start = position
    let length = Int(try readInteger(byteCount: (prefixBits + 7) / 8, field))
    guard bounds.contains(length), length <= remaining else {
      let reason: ParseError.Reason =
        bounds.contains(length) ? .truncated(needed: length, available: remaining) : .lengthOutOfBounds(length, allowed: bounds)
      position = start
      throw ParseError(reason, in: field, at: offset)
    }
    return try readBody(byteCount: length, field)
  }

  /// Skips `byteCount` bytes.
  @inlinable
  package mutating func skip(byteCount: Int, _ field: StaticString) throws(ParseError) {
    try require(byteCount, field)
    position += byteCount
  }

  /// Copies the remaining bytes and advances to the end.
  @inlinable
  package mutating func readRest() -> Bytes {
    defer { position = bytes.count }
    return Bytes(copying: rest)
  }

  /// Throws if any bytes are left; `structure` is the name of what should have ended.
  @inlinable
  package func requireEnd(of structure: StaticString) throws(ParseError) {
    guard remaining == 0 else { throw ParseError(.trailingBytes(remaining), in: structure, at: offset) }
  }
}
