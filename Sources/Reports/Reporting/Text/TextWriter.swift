import ByteParsing

/// Writes text in lines of a given width: words wrap under a hanging indent, and no word is truncated.
struct TextWriter {
  let options: TextOptions
  private(set) var output = Bytes()

  /// Columns already written in the current line.
  private(set) var column = 0

  init(_ options: TextOptions) { self.options = options }

  var width: Int { options.width }

  mutating func endLine() {
    output.append(0x0A)
    column = 0
  }

  /// Appends a piece of text without wrapping.
  mutating func write(_ text: String, _ style: TextStyle = .unstyled) {
    begin(style)
    output.append(contentsOf: text.utf8)
    end(style)
    column += TextWidth.of(text)
  }

  /// Appends blanks up to a column; at least one unless the line is empty.
  mutating func tab(to target: Int) {
    let blanks = max(target - column, column == 0 ? 0 : 1)
    output.append(contentsOf: repeatElement(0x20, count: blanks))
    column += blanks
  }

  /// Writes pieces with gaps between them; one that does not fit goes to the next line, under `indent`. The second piece begins at
  /// `secondColumn` or after it.
  mutating func writeFields(
    _ fields: [(text: String, style: TextStyle)], indent: Int, gap: Int = 3, secondColumn: Int = 0
  ) {
    var isFirst = true
    var target = 0
    for field in fields where !field.text.isEmpty {
      let width = TextWidth.of(field.text)
      let start = max(column + gap, target)
      target = isFirst ? secondColumn : 0
      if isFirst {
        tab(to: indent)
      } else if start + width <= self.width {
        tab(to: start)
      } else {
        endLine()
        tab(to: indent)
      }
      isFirst = false
      if column + width <= self.width {
        write(field.text, field.style)
      } else {
        writeWrapped(field.text, indent: indent, style: field.style)
      }
    }
    endLine()
  }

  /// Writes words from the current column on; further lines begin at `indent`. The line stays open.
  mutating func writeWrapped(_ text: String, indent: Int, style: TextStyle = .unstyled) {
    var words = TextWords(text)
    writeWrapped(&words, indent: indent, style: style)
  }

  private mutating func writeWrapped(_ words: inout TextWords, indent: Int, style: TextStyle) {
    begin(style)
    var start = column
    while let word = words.next() {
      let isFull = column + (column > start ? 1 : 0) + word.width > width
      if isFull, column > start || start > indent {
        end(style)
        endLine()
        tab(to: indent)
        begin(style)
        start = column
      }
      append(word, of: words, isFirst: column == start)
    }
    end(style)
  }

  /// Appends a word, and a blank before it unless it is the first.
  private mutating func append(_ word: TextWords.Word, of words: TextWords, isFirst: Bool) {
    if !isFirst {
      output.append(0x20)
      column += 1
    }
    words.append(word, to: &output)
    column += word.width
  }

  private mutating func begin(_ style: TextStyle) {
    guard options.useColor, let parameters = style.parameters else { return }
    output.append(contentsOf: "\u{1B}[\(parameters)m".utf8)
  }

  private mutating func end(_ style: TextStyle) {
    guard options.useColor, style.parameters != nil else { return }
    output.append(contentsOf: "\u{1B}[0m".utf8)
  }

  /// The columns that the text of a row takes at least beside its label: the longest key of Info.plist.
  private static let minimumTextWidth = 34

  /// Writes the label of a row; returns the column of its text.
  mutating func writeLabel(_ label: String, _ style: TextStyle, indent: Int, labelWidth: Int) -> Int {
    tab(to: indent)
    write(label, style)
    if width - indent - labelWidth - 2 >= TextWriter.minimumTextWidth { return indent + labelWidth + 2 }
    // Too narrow for columns: the text goes below its label.
    if !label.isEmpty { endLine() }
    return indent + 2
  }

  /// Writes a row: a label, wrapped text beside it, and perhaps a note in a separate column at the right.
  mutating func writeRow(_ row: TextRow, indent: Int, labelWidth: Int, noteWidth: Int = 0) {
    let start = writeLabel(row.label, row.style, indent: indent, labelWidth: labelWidth)
    tab(to: start)
    if row.note.isEmpty {
      writeWrapped(row.text, indent: start)
      return endLine()
    }
    let noteColumn = width - max(noteWidth, TextWidth.of(row.note))
    let room = noteColumn - 2 - start
    var words = TextWords(row.text)
    if room >= 24, words.next()?.width ?? 0 <= room {
      writeNoteInColumn(row, start: start, column: noteColumn)
    } else {
      writeWrapped("\(row.text) (\(row.note))", indent: start)
    }
    endLine()
  }

  /// The note is in the row's first line, so the text there is shorter.
  private mutating func writeNoteInColumn(_ row: TextRow, start: Int, column noteColumn: Int) {
    var words = TextWords(row.text)
    while let word = words.next() {
      if column > start, column + 1 + word.width > noteColumn - 2 {
        words.putBack(word)
        break
      }
      append(word, of: words, isFirst: column == start)
    }
    tab(to: noteColumn)
    write(row.note, .dim)
    if words.hasNext {
      endLine()
      tab(to: start)
      writeWrapped(&words, indent: start, style: .unstyled)
    }
  }
}

/// A label with text beside it, and perhaps a note.
struct TextRow {
  var label: String
  var text: String
  var note = ""
  var style = TextStyle.unstyled
}
