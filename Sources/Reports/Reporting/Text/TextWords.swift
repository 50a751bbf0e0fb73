import ByteParsing

/// What stands between the blanks of a text, one word after another. By bytes: characters are many times dearer to find, and a
/// report has thousands of words.
struct TextWords {
  /// A word: where it is, and how many columns it takes.
  struct Word {
    let range: Range<Int>
    let width: Int
  }

  private let text: Bytes
  private var position = 0

  init(_ text: String) { self.text = Bytes(text.utf8) }

  /// The next word; nil behind the last.
  mutating func next() -> Word? {
    skipBlanks()
    let start = position
    var isASCII = true
    while position < text.count, text[position] != 0x20 {
      if text[position] >= 0x80 { isASCII = false }
      position += 1
    }
    guard position > start else { return nil }
    let range = start..<position
    return Word(
      range: range,
      width: isASCII ? range.count : TextWidth.of(String(decoding: text[range], as: UTF8.self)))
  }

  /// Makes the word that was taken last the next one.
  mutating func putBack(_ word: Word) { position = word.range.lowerBound }

  /// Whether there is another word.
  var hasNext: Bool {
    mutating get {
      skipBlanks()
      return position < text.count
    }
  }

  func bytes(of word: Word) -> Bytes.SubSequence { text[word.range] }

  private mutating func skipBlanks() {
    while position < text.count, text[position] == 0x20 { position += 1 }
  }
}

/// Words with a blank between each two.
struct TextLine {
  private(set) var bytes = Bytes()

  /// How many columns it takes.
  private(set) var width = 0

  mutating func append(_ word: Bytes.SubSequence, width: Int) {
    if self.width > 0 {
      bytes.append(0x20)
      self.width += 1
    }
    bytes.append(contentsOf: word)
    self.width += width
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    width = 0
  }
}
