import ByteParsing

/// An iterator over the words of a text, separated by spaces. It works on bytes: finding characters is many times slower, and a
/// report contains thousands of words.
struct TextWords {
  /// A word: its range in the text, and its width in columns.
  struct Word {
    let range: Range<Int>
    let width: Int
  }

  private let text: Bytes
  private var position = 0

  init(_ text: String) { self.text = Bytes(text.utf8) }

  /// Returns the next word; nil after the last.
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
    return Word(range: range, width: isASCII ? range.count : TextWidth.of(String(decoding: text[range], as: UTF8.self)))
  }

  /// Makes the last returned word the next one.
  mutating func putBack(_ word: Word) { position = word.range.lowerBound }

  var hasNext: Bool {
    text[position...].contains { $0 != 0x20 }
  }

  /// Appends the bytes of a word.
  func append(_ word: Word, to output: inout Bytes) {
    output.append(copying: text.span.extracting(word.range))
  }
}
