package import ByteParsing

/// Writes text in lines of a given width: words wrap under a hanging indent, and no word is truncated.
package struct TextWriter {
  let options: TextOptions
  package private(set) var output = Bytes()

  /// The number of columns written in the current line.
  package private(set) var column = 0

  package init(_ options: TextOptions) { self.options = options }

  var width: Int { options.width }

  package mutating func endLine() {
    output.append(0x0A)
    column = 0
  }

  /// Appends text without wrapping.
  package mutating func write(_ text: String, _ style: TextStyle = .unstyled) {
    begin(style)
    output.append(contentsOf: text.utf8)
    end(style)
    column += TextWidth.of(text)
  }

  /// Appends spaces up to a column; at least one unless the line is empty.
  package mutating func tab(to target: Int) {
    let blanks = max(target - column, column == 0 ? 0 : 1)
    output.append(contentsOf: repeatElement(0x20, count: blanks))
    column += blanks
  }

  /// Writes fields with gaps between them; one that does not fit is written on the next line, at `indent`. The second field begins at
  /// `secondColumn` or later.
  package mutating func writeFields(_ fields: [(text: String, style: TextStyle)], indent: Int, gap: Int = 3, secondColumn: Int = 0) {
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

  /// Writes words from the current column; further lines begin at `indent`. The last line stays open.
  package mutating func writeWrapped(_ text: String, indent: Int, style: TextStyle = .unstyled) {
    var words = TextWords(text)
    writeWrapped(&words, indent: indent, style: style)
  }

  /// Writes words from the column `start`, with further lines at `indent`, and ends the line.
  package mutating func writeLine(_ text: String, from start: Int = 0, indent: Int, style: TextStyle = .unstyled) {
    tab(to: start)
    writeWrapped(text, indent: indent, style: style)
    endLine()
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

  /// Appends a word, after a space unless it is the first.
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

  /// The minimum width of a row's text after its label: the longest key of Info.plist.
  private static let minimumTextWidth = 34

  /// Writes the label of a row; returns the column of its text.
  mutating func writeLabel(_ label: String, _ style: TextStyle, indent: Int, labelWidth: Int) -> Int {
    tab(to: indent)
    write(label, style)
    if width - indent - labelWidth - 2 >= TextWriter.minimumTextWidth { return indent + labelWidth + 2 }
    // Too narrow for columns: the text follows on the next line.
    if !label.isEmpty { endLine() }
    return indent + 2
  }

  /// Writes a row: a label, wrapped text, and an optional note in a separate column at the right.
  package mutating func writeRow(_ row: TextRow, indent: Int, labelWidth: Int, noteWidth: Int = 0) {
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

  /// Writes rows whose texts share a column, and whose notes do: the texts follow the widest label, not counting labels wider than
  /// `maximum`, and columns are at least as wide as given.
  package mutating func writeRows(_ rows: [TextRow], indent: Int, labelWidth: Int = 0, maximum: Int = .max, noteWidth: Int = 0) {
    let labels = rows.map { TextWidth.of($0.label) }.filter { $0 <= maximum }
    let labelWidth = max(labelWidth, labels.max() ?? 0)
    let noteWidth = max(noteWidth, rows.map { TextWidth.of($0.note) }.max() ?? 0)
    for row in rows { writeRow(row, indent: indent, labelWidth: labelWidth, noteWidth: noteWidth) }
  }

  /// Writes a row with the note at the end of its first line, where the text is shorter.
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

/// A label with a text and an optional note.
package struct TextRow {
  package var label: String
  package var text: String
  package var note: String
  package var style: TextStyle

  package init(label: String, text: String, note: String = "", style: TextStyle = .unstyled) {
    self.label = label
    self.text = text
    self.note = note
    self.style = style
  }
}

extension [TextRow] {
  /// Appends a row, unless there is no text.
  package mutating func add(_ label: String, _ text: String?, note: String = "", style: TextStyle = .unstyled) {
    if let text, !text.isEmpty { append(TextRow(label: label, text: text, note: note, style: style)) }
  }

  /// Appends a row for each text; only the first has the label.
  package mutating func addEach(_ label: String, _ texts: [String], style: TextStyle = .unstyled) {
    for (index, text) in texts.enumerated() { add(index == 0 ? label : "", text, style: style) }
  }
}
