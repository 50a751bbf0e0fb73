extension BinaryInteger {
  /// The number with its words, such as `1 packet` or `2 packets` for `packet{s}`.
  package func counted(_ words: String) -> String { "\(self) \(form(of: words))" }

  /// The form of words after this number. Braces hold what only the plural has, `packet{s}`, or the singular and the plural, `{it|them}`.
  /// The words must not contain text from an input.
  package func form(of words: String) -> String {
    var text = ""
    for (index, part) in words.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      let pieces = part.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
      if index > 0, pieces.count == 2 {
        let forms = pieces[0].split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        if self != 1 { text += forms[forms.count - 1] } else if forms.count == 2 { text += forms[0] }
      }
      text += pieces[pieces.count - 1]
    }
    return text
  }
}
