import ByteParsing

/// Reads the lines of a head, as tolerantly as servers: LF alone ends a line, and folded values are joined.
struct HeadReader: ~Escapable {
  let bytes: Span<UInt8>
  private(set) var position = 0
  /// The end of the lines to read.
  private var end: Int

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) {
    self.bytes = bytes
    end = bytes.count
    while position < bytes.count, isLineEnd(bytes[position]) { position += 1 }
  }

  /// The next line without its end; nil if its end is missing.
  mutating func nextLine() -> Range<Int>? {
    var index = position
    while index < end, bytes[index] != 0x0A { index += 1 }
    guard index < end else { return nil }
    let lineEnd = index > position && bytes[index - 1] == 0x0D ? index - 1 : index
    defer { position = index + 1 }
    return position..<lineEnd
  }

  /// Skips a field that may be incomplete: its value may continue on the next line.
  mutating func leaveOutUnfinishedField() {
    var index = bytes.count - 1
    while index > position, bytes[index - 1] != 0x0A || isWSP(bytes[index]) {
      index -= 1
    }
    end = max(position, index)
  }

  /// The next header field; its value may span several lines. Lines without a colon are skipped.
  mutating func nextField() -> (name: Range<Int>, value: Range<Int>)? {
    while let line = nextLine(), !line.isEmpty {
      var value = line
      while position < end, isWSP(bytes[position]),
        let continuation = nextLine()
      {
        value = value.lowerBound..<continuation.upperBound
      }
      guard let colon = line.first(where: { bytes[$0] == 0x3A }) else { continue }
      return (trimmed(line.lowerBound..<colon), trimmed((colon + 1)..<value.upperBound))
    }
    return nil
  }

  /// A range without surrounding blanks and line ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isWSPOrLineEnd(bytes[start]) { start += 1 }
    while end > start, isWSPOrLineEnd(bytes[end - 1]) { end -= 1 }
    return start..<end
  }

  /// The bytes of a value, with each line end replaced by a blank.
  func text(_ range: Range<Int>, atMost limit: Int) -> Bytes {
    var result = Bytes()
    var index = range.lowerBound
    while index < range.upperBound, result.count < limit {
      let byte = bytes[index]
      index += 1
      guard isLineEnd(byte) else {
        result.append(byte)
        continue
      }
      while index < range.upperBound, isWSPOrLineEnd(bytes[index]) { index += 1 }
      result.append(0x20)
    }
    return result
  }

  /// Whether the range contains this text, ignoring case; `text` is in lower case.
  func matches(_ range: Range<Int>, _ text: Bytes) -> Bool {
    guard range.count == text.count else { return false }
    for (index, expected) in zip(range, text) where asciiLowercased(bytes[index]) != expected { return false }
    return true
  }

  /// Parses `HTTP/` and two digits separated by a dot.
  func version(_ range: Range<Int>) throws(ParseError) -> HTTPVersion {
    let start = range.lowerBound
    guard range.count == 8, matches(start..<(start + 5), Self.versionPrefix), isDigit(bytes[start + 5]),
      bytes[start + 6] == 0x2E, isDigit(bytes[start + 7])
    else { throw ParseError(.unexpectedValue(0), in: "HTTP-version", at: start) }
    let version = HTTPVersion(major: bytes[start + 5] - 0x30, minor: bytes[start + 7] - 0x30)
    guard version.major == 1 else { throw ParseError(.unexpectedValue(UInt64(version.major)), in: "HTTP-version", at: start) }
    return version
  }

  private static let versionPrefix = Bytes("http/".utf8)
}
