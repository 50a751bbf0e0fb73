import ByteParsing

/// Divides a key log, which is read in pieces of any size, into lines. An incomplete line is held.
package struct KeyLogLines: Sendable {
  /// The maximum length of a line: a label, 64 digits, and those of the longest ECHConfig that is stored.
  package static let maximumLength = 256 + 2 * SecretStore.maximumConfigLength

  /// An incomplete line.
  private var line = Bytes()

  /// Whether to skip the rest of the line.
  private var isTooLong = false

  /// Whether the first line is still to be read; editors put a byte order mark before it.
  private var isAtStart = true

  /// Whether the log is UTF-16, as written by Windows shells; nil before its first two bytes.
  private var isUTF16: Bool?

  /// The first byte of the log, until the second has arrived.
  private var firstByte: UInt8?

  package init() {}

  /// Reads the next piece, and passes on the lines that end in it; nil for one that is too long.
  package mutating func read(_ piece: Span<UInt8>, _ take: (Span<UInt8>?) -> Void) {
    guard piece.count > 0 else { return }
    if isUTF16 == nil {
      guard let first = firstByte else {
        firstByte = piece[0]
        return read(piece.extracting(1..<piece.count), take)
      }
      isUTF16 = [first, piece[0]].sorted() == [0xFE, 0xFF]
      readFirstByte(take)
    }
    guard isUTF16 == true else {
      readText(piece, take)
      return
    }
    // A key log contains only ASCII, which UTF-16 encodes as the same bytes with zeros between them.
    var text = Bytes()
    for index in 0..<piece.count where piece[index] != 0 && piece[index] < 0xFE { text.append(piece[index]) }
    readText(text.span, take)
  }

  /// Ends the last line, which may lack its line feed.
  package mutating func finish(_ take: (Span<UInt8>?) -> Void) {
    readFirstByte(take)
    endLine(Span(), take)
  }

  /// Reads the first byte once the second is known, unless both are a byte order mark.
  private mutating func readFirstByte(_ take: (Span<UInt8>?) -> Void) {
    guard let first = firstByte else { return }
    firstByte = nil
    if isUTF16 != true { readText(Bytes([first]).span, take) }
  }

  /// Reads lines that end with line feeds, carriage returns or both.
  private mutating func readText(_ piece: Span<UInt8>, _ take: (Span<UInt8>?) -> Void) {
    var start = 0
    var position = 0
    while position < piece.count {
      guard isLineEnd(piece[position]) else {
        position += 1
        continue
      }
      endLine(piece.extracting(start..<position), take)
      position += 1
      start = position
    }
    keep(piece.extracting(start..<piece.count))
  }

  private mutating func keep(_ part: Span<UInt8>) {
    guard !isTooLong, part.count > 0 else { return }
    if line.count + part.count > KeyLogLines.maximumLength {
      isTooLong = true
      line = []
      return
    }
    line.append(copying: part)
  }

  private mutating func endLine(_ rest: Span<UInt8>, _ take: (Span<UInt8>?) -> Void) {
    keep(rest)
    if isTooLong {
      isTooLong = false
      return take(nil)
    }
    let mark: Bytes = [0xEF, 0xBB, 0xBF]
    take(line.span.extracting((isAtStart && line.starts(with: mark) ? mark.count : 0)..<line.count))
    isAtStart = false
    line.removeAll(keepingCapacity: true)
  }
}

/// The words of a line in a key log.
package struct KeyLogLine: ~Escapable {
  /// The kind of secret; nil for a word that is not a key log label.
  let label: KeyLogLabel?

  private let line: Span<UInt8>

  /// Nil for an empty line and for a comment.
  @_lifetime(copy line)
  package init?(_ line: Span<UInt8>) {
    self.line = line
    var end = 0
    guard let first = KeyLogLine.word(of: line, after: &end), line[first.lowerBound] != 0x23 else { return nil }
    label = KeyLogLabel(line.extracting(first))
  }

  /// The random and the secret; nil if they are malformed. The random has 32 bytes.
  var value: (random: ShortBytes, secret: Bytes)? {
    var end = 0
    guard KeyLogLine.word(of: line, after: &end) != nil, let second = KeyLogLine.word(of: line, after: &end),
      let third = KeyLogLine.word(of: line, after: &end), KeyLogLine.word(of: line, after: &end) == nil,
      let random = bytes(ofHexadecimal: Bytes(copying: line.extracting(second))), random.count == 32,
      let secret = bytes(ofHexadecimal: Bytes(copying: line.extracting(third)))
    else { return nil }
    return (ShortBytes(random.span), secret)
  }

  /// The random in lowercase hexadecimal, for a secret of a handshake or an inner hello; otherwise nil.
  package var handshakeRandom: String? {
    switch label {
    case .clientHandshake?, .serverHandshake?, .innerSecret?, .innerConfig?: value.map { hexadecimal($0.random) }
    case .serverApplication?, .application?, .other?, nil: nil
    }
  }

  /// Returns the first word after a position, and moves the position to its end; nil if there is none.
  private static func word(of line: Span<UInt8>, after position: inout Int) -> Range<Int>? {
    while position < line.count, isWSP(line[position]) { position += 1 }
    guard position < line.count else { return nil }
    let start = position
    while position < line.count, !isWSP(line[position]) { position += 1 }
    return start..<position
  }
}
