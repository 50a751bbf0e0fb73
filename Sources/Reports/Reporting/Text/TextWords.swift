import ByteParsing

/// The words of a text between blanks, one after another. By bytes: characters are many times dearer to find, and a
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

  /// The next word; nil after the last.
  mutating func next() -> Word? {
    let text = text
    let bytes = text.span
    var start = position
    while start < bytes.count, bytes[start] == 0x20 { start += 1 }
    var isASCII = true
    var end = start
    while end < bytes.count, bytes[end] != 0x20 {
      if bytes[end] >= 0x80 { isASCII = false }
      end += 1
    }
    position = end
    guard end > start else { return nil }
    let range = start..<end
    return Word(
      range: range,
      width: isASCII ? range.count : TextWidth.of(String(decoding: text[range], as: UTF8.self)))
  }

  /// Makes the word that was taken last the next one.
  mutating func putBack(_ word: Word) { position = word.range.lowerBound }

  var hasNext: Bool {
    text[position...].contains { $0 != 0x20 }
  }

  /// Appends the bytes of a word.
  func append(_ word: Word, to output: inout Bytes) {
    output.append(copying: text.span.extracting(word.range))
  }
}
