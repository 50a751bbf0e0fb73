package import ByteParsing

/// Reads JSON (RFC 8259) value by value, so that a hostile text costs no more than its length.
///
/// There is no tree: the caller reads the fields that it expects, and skips unknown ones.
package struct JSONReader: ~Escapable {
  /// The maximum nesting depth of objects and arrays. Records need seven.
  package static let maximumDepth = 32

  /// The maximum number of keys of an object. Records have about forty.
  package static let maximumKeyCount = 512

  /// The maximum number of elements of an array, more than any list in a hello can have.
  package static let maximumElementCount = 65_536

  let bytes: Span<UInt8>
  let line: Int
  var position = 0
  var depth = 0
  var scratch = Bytes()

  /// The key whose value is being read, for errors.
  package var field = ""

  /// Creates a reader of a text; `line` is for errors.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, line: Int) {
    self.bytes = bytes
    self.line = line
  }

  /// An error at the current position.
  package func error(_ reason: JSONError.Reason, in field: String? = nil) -> JSONError {
    JSONError(reason, in: field ?? self.field, line: line, offset: position)
  }

  // MARK: Structure

  /// Whether only white space is left.
  package mutating func readEnd() -> Bool {
    skipSpace()
    return position == bytes.count
  }

  /// The first byte of the next value, without reading it.
  package mutating func peek() throws(JSONError) -> UInt8 {
    skipSpace()
    guard position < bytes.count else { throw error(.truncated) }
    return bytes[position]
  }

  /// Reads an object; `read` reads the value of each key.
  package mutating func readObject(_ read: (String, inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
    try begin(0x7B)
    var keys = Set<String>()
    while try !readEndOrComma(0x7D, isFirst: keys.isEmpty) {
      let key = try readString()
      field = key
      try expect(0x3A)
      guard keys.count < JSONReader.maximumKeyCount else { throw error(.tooLarge) }
      guard keys.insert(key).inserted else { throw error(.duplicateKey) }
      try read(key, &self)
    }
  }

  /// Reads an array; `read` reads each element.
  package mutating func readArray(
    limit: Int = JSONReader.maximumElementCount, _ read: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    try begin(0x5B)
    var count = 0
    while try !readEndOrComma(0x5D, isFirst: count == 0) {
      guard count < limit else { throw error(.tooLarge) }
      count += 1
      try read(&self)
    }
  }

  /// Reads `null` if it is next.
  package mutating func readNull() throws(JSONError) -> Bool {
    guard try peek() == 0x6E else { return false }
    try expectWord("null")
    return true
  }

  mutating func begin(_ bracket: UInt8) throws(JSONError) {
    guard try peek() == bracket else { throw error(.wrongType) }
    guard depth < JSONReader.maximumDepth else { throw error(.tooDeep) }
    depth += 1
    position += 1
  }

  /// Reads the closing bracket, or the comma between elements.
  mutating func readEndOrComma(_ bracket: UInt8, isFirst: Bool) throws(JSONError) -> Bool {
    let byte = try peek()
    if byte == bracket {
      depth -= 1
      position += 1
      return true
    }
    if !isFirst { try expect(0x2C) }
    return false
  }

  mutating func expect(_ byte: UInt8) throws(JSONError) {
    let found = try peek()
    guard found == byte else { throw error(.unexpectedByte(found)) }
    position += 1
  }

  mutating func expectWord(_ word: StaticString) throws(JSONError) {
    for byte in word.description.utf8 {
      guard position < bytes.count else { throw error(.truncated) }
      guard bytes[position] == byte else { throw error(.unexpectedByte(bytes[position])) }
      position += 1
    }
  }

  mutating func skipSpace() {
    while position < bytes.count, isWSPOrLineEnd(bytes[position]) { position += 1 }
  }

  // MARK: Values

  /// Reads `true` or `false`.
  package mutating func readBool() throws(JSONError) -> Bool {
    switch try peek() {
    case 0x74:
      try expectWord("true")
      return true
    case 0x66:
      try expectWord("false")
      return false
    default: throw error(.wrongType)
    }
  }

  /// Reads an integer from 0 to `ceiling`.
  package mutating func readInteger(upTo ceiling: UInt64 = .max) throws(JSONError) -> UInt64 {
    let first = try peek()
    guard first == 0x2D || isDigit(first) else { throw error(.wrongType) }
    guard first != 0x2D else { throw error(.numberOutOfRange) }
    var value: UInt64 = 0
    let start = position
    while position < bytes.count, isDigit(bytes[position]) {
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, carries) = product.addingReportingOverflow(UInt64(bytes[position] - 0x30))
      guard !overflows, !carries else { throw error(.numberOutOfRange) }
      value = sum
      position += 1
    }
    if position - start > 1, first == 0x30 { throw error(.unexpectedByte(first)) }
    if position < bytes.count {
      switch bytes[position] {
      case 0x2E, 0x45, 0x65: throw error(.numberOutOfRange)
      default: break
      }
    }
    guard value <= ceiling else { throw error(.numberOutOfRange) }
    return value
  }

  package mutating func readString() throws(JSONError) -> String {
    let (range, isUnescaped) = try scanString()
    scratch.removeAll(keepingCapacity: true)
    if isUnescaped {
      scratch.append(copying: bytes.extracting(range))
      return String(decoding: scratch, as: UTF8.self)
    }
    try unescape(range)
    let text = String(decoding: scratch, as: UTF8.self)
    // Decoding replaces invalid UTF-8; text that was changed by it is rejected.
    guard text.utf8.elementsEqual(scratch) else { throw error(.invalidText) }
    return text
  }

  /// Reads bytes in Base64.
  package mutating func readBase64() throws(JSONError) -> Bytes {
    let (range, isUnescaped) = try scanString()
    guard isUnescaped, let decoded = Base64.decode(bytes.extracting(range)) else { throw error(.unknownValue) }
    return decoded
  }

  /// Reads at most `limit` bytes in lower-case hexadecimal.
  package mutating func readHexadecimal(limit: Int) throws(JSONError) -> Bytes {
    let (range, isUnescaped) = try scanString()
    guard isUnescaped, range.count % 2 == 0 else { throw error(.unknownValue) }
    guard range.count / 2 <= limit else { throw error(.tooLarge) }
    var decoded = Bytes()
    decoded.reserveCapacity(range.count / 2)
    var index = range.lowerBound
    while index < range.upperBound {
      guard let high = JSONReader.digit(bytes[index]), let low = JSONReader.digit(bytes[index + 1]) else { throw error(.unknownValue) }
      decoded.append(high << 4 | low)
      index += 2
    }
    return decoded
  }

  /// Reads a code point such as `"0x0303"`.
  package mutating func readCodePoint() throws(JSONError) -> UInt16 {
    let (range, _) = try scanString()
    guard range.count == 6, bytes[range.lowerBound] == 0x30, bytes[range.lowerBound + 1] == 0x78 else { throw error(.unknownValue) }
    var value: UInt16 = 0
    for index in (range.lowerBound + 2)..<range.upperBound {
      guard let digit = JSONReader.digit(bytes[index]) else { throw error(.unknownValue) }
      value = value << 4 | UInt16(digit)
    }
    return value
  }

  /// Skips a value of any kind.
  package mutating func skipValue() throws(JSONError) {
    let bracket = try peek()
    let isObject = bracket == 0x7B
    guard isObject || bracket == 0x5B else { return try skipScalar() }
    // The depth limit bounds the recursion.
    try begin(bracket)
    var isFirst = true
    while try !readEndOrComma(isObject ? 0x7D : 0x5D, isFirst: isFirst) {
      isFirst = false
      if isObject {
        guard try peek() == 0x22 else { throw error(.unexpectedByte(try peek())) }
        _ = try scanString()
        try expect(0x3A)
      }
      try skipValue()
    }
  }

  mutating func skipScalar() throws(JSONError) {
    let byte = try peek()
    switch byte {
    case 0x22: _ = try scanString()
    case 0x74, 0x66: _ = try readBool()
    case 0x6E: try expectWord("null")
    default:
      guard byte == 0x2D || isDigit(byte) else { throw error(.unexpectedByte(byte)) }
      // A skipped number need not be completely valid.
      while position < bytes.count {
        switch bytes[position] {
        case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: position += 1
        default: return
        }
      }
    }
  }
}
