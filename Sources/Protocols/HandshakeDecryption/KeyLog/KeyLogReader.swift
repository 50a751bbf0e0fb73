import ByteParsing

/// Reads a key log in the NSS format (RFC 9850): `LABEL CLIENT-RANDOM SECRET`, one secret on each line.
///
/// The log is read in pieces of any size and never held: only secrets of handshakes and inner hellos are stored. Secrets that would decrypt
/// application data are counted and dropped before their digits are decoded.
package struct KeyLogReader: Sendable {
  /// The maximum length of a line: a label, 64 digits, and those of the longest ECHConfig that is stored.
  package static let maximumLineLength = 256 + 2 * SecretStore.maximumConfigLength

  /// The counts of the lines read so far.
  package private(set) var counts = KeyLogCounts()

  /// An incomplete line.
  private var line = Bytes()

  /// Whether to skip the rest of the line.
  private var isTooLong = false

  /// Whether the first line is still to be read; editors put a byte order mark before it.
  private var isAtStart = true

  package init() {}

  /// Whether the log is UTF-16, as written by Windows shells; nil before its first two bytes.
  private var isUTF16: Bool?

  /// The first byte of the log, until the second has arrived.
  private var firstByte: UInt8?

  /// Reads the next piece.
  package mutating func read(_ piece: Span<UInt8>, into store: inout SecretStore) {
    guard piece.count > 0 else { return }
    if isUTF16 == nil {
      guard let first = firstByte else {
        firstByte = piece[0]
        return read(piece.extracting(1..<piece.count), into: &store)
      }
      isUTF16 = [first, piece[0]].sorted() == [0xFE, 0xFF]
      readFirstByte(into: &store)
    }
    guard isUTF16 == true else {
      readLines(piece, into: &store)
      return
    }
    // A key log contains only ASCII, which UTF-16 encodes as the same bytes with zeros between them.
    var text = Bytes()
    for index in 0..<piece.count where piece[index] != 0 && piece[index] < 0xFE { text.append(piece[index]) }
    readLines(text.span, into: &store)
  }

  /// Reads the first byte once the second is known, unless both are a byte order mark.
  private mutating func readFirstByte(into store: inout SecretStore) {
    guard let first = firstByte else { return }
    firstByte = nil
    if isUTF16 != true { readLines(Bytes([first]).span, into: &store) }
  }

  /// Reads lines that end with line feeds, carriage returns or both.
  private mutating func readLines(_ piece: Span<UInt8>, into store: inout SecretStore) {
    var start = 0
    var position = 0
    while position < piece.count {
      guard isLineEnd(piece[position]) else {
        position += 1
        continue
      }
      endLine(piece.extracting(start..<position), into: &store)
      position += 1
      start = position
    }
    keep(piece.extracting(start..<piece.count))
  }

  /// Ends the last line, which may lack its line feed.
  package mutating func finish(into store: inout SecretStore) {
    readFirstByte(into: &store)
    endLine(Span(), into: &store)
  }

  private mutating func keep(_ part: Span<UInt8>) {
    guard !isTooLong, part.count > 0 else { return }
    if line.count + part.count > KeyLogReader.maximumLineLength {
      isTooLong = true
      line = []
      return
    }
    line.append(copying: part)
  }

  private mutating func endLine(_ rest: Span<UInt8>, into store: inout SecretStore) {
    keep(rest)
    if isTooLong { return countTooLong() }
    let whole = line
    line.removeAll(keepingCapacity: true)
    readLine(whole.span, into: &store)
  }

  private mutating func countTooLong() {
    isTooLong = false
    counts.lines &+= 1
    counts.malformed &+= 1
    // A text of one endless line is not a key log, however it begins.
    counts.unknownLabels &+= 1
  }

  private mutating func readLine(_ line: Span<UInt8>, into store: inout SecretStore) {
    var line = line
    if isAtStart, line.count >= 3, line[0] == 0xEF, line[1] == 0xBB, line[2] == 0xBF {
      line = line.extracting(3..<line.count)
    }
    isAtStart = false
    var words = Words(line)
    guard let label = words.next(), line[label.lowerBound] != 0x23 else { return }
    counts.lines &+= 1
    switch KeyLogLabel(line.extracting(label)) {
    case nil: counts.unknownLabels &+= 1
    case .application: counts.application &+= 1
    case .serverApplication:
      counts.application &+= 1
      guard let (random, secret) = readValue(line, &words, SecretStore.secretLengths.contains) else { return }
      store.addApplication(secret, random: random)
    case .other: counts.other &+= 1
    case .clientHandshake:
      guard let (random, secret) = readValue(line, &words, SecretStore.secretLengths.contains) else { return }
      count(store.add(secret, ofClient: true, random: random))
    case .serverHandshake:
      guard let (random, secret) = readValue(line, &words, SecretStore.secretLengths.contains) else { return }
      count(store.add(secret, ofClient: false, random: random))
    case .innerSecret:
      guard let (random, secret) = readValue(line, &words, SecretStore.sharedSecretLengths.contains) else { return }
      count(store.add(secret, \.secret, ofOuterRandom: random))
    case .innerConfig:
      guard let (random, config) = readValue(line, &words, (1...SecretStore.maximumConfigLength).contains) else { return }
      count(store.add(config, \.config, ofOuterRandom: random))
    }
  }

  /// The random and the value of a line; nil, and counted, if they are malformed or the value has an impossible length.
  private mutating func readValue(_ line: Span<UInt8>, _ words: inout Words, _ isLength: (Int) -> Bool) -> (ShortBytes, Bytes)? {
    guard let randomWord = words.next(), let valueWord = words.next(), words.next() == nil,
      let random = bytes(ofHexadecimal: Bytes(copying: line.extracting(randomWord))), random.count == 32,
      let value = bytes(ofHexadecimal: Bytes(copying: line.extracting(valueWord))), isLength(value.count)
    else {
      counts.malformed &+= 1
      return nil
    }
    return (ShortBytes(random.span), value)
  }

  private mutating func count(_ addition: SecretStore.Addition) {
    switch addition {
    case .taken: counts.taken &+= 1
    case .repeated: counts.repeated &+= 1
    case .conflicting: counts.conflicting &+= 1
    case .full: counts.leftOut &+= 1
    }
  }

  /// Splits text at blanks.
  private struct Words: ~Escapable {
    private let line: Span<UInt8>
    private var position = 0

    @_lifetime(copy line)
    init(_ line: Span<UInt8>) { self.line = line }

    @_lifetime(self: copy self)
    mutating func next() -> Range<Int>? {
      while position < line.count, isWSP(line[position]) { position += 1 }
      guard position < line.count else { return nil }
      let start = position
      while position < line.count, !isWSP(line[position]) { position += 1 }
      return start..<position
    }
  }
}
