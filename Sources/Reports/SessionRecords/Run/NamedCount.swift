import Values

/// A count with a stable name and the words that follow the number.
public struct NamedCount: Hashable, Sendable {
  /// The effect of the counted items on the result.
  public enum Meaning: String, Hashable, Sendable {
    /// Information; nothing was omitted.
    case remark
    /// Part of the input was not read: sessions may be missing.
    case notRead
  }

  /// The stable name, such as `truncatedBySnaplen`; a variable part follows a dot: `unknownLinkType.147`.
  public package(set) var name: String

  /// The words after a count of one: `packet of unknown link type 147`.
  package var one: String

  /// The words after any other count: `packets of unknown link type 147`.
  package var many: String

  /// The count.
  public package(set) var count: UInt64

  /// The effect of the counted items on the result.
  public package(set) var meaning: Meaning

  package init(_ name: String, one: String, many: String, count: UInt64, meaning: Meaning = .remark) {
    self.name = name
    self.one = one
    self.many = many
    self.count = count
    self.meaning = meaning
  }

  /// Creates a count from one template for both forms: braces hold what only the plural has, `packet{s}`, or the singular and the
  /// plural, `{it|them}`. The template must not contain text from an input.
  package init(_ name: String, _ words: String, count: UInt64, meaning: Meaning = .remark) {
    var (one, many) = ("", "")
    for (index, part) in words.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      let pieces = part.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
      if index > 0, pieces.count == 2 {
        let forms = pieces[0].split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        if forms.count == 2 { one += forms[0] }
        many += forms[forms.count - 1]
      }
      one += pieces[pieces.count - 1]
      many += pieces[pieces.count - 1]
    }
    self.init(name, one: one, many: many, count: count, meaning: meaning)
  }
}

extension NamedCount {
  /// The words for this count: singular or plural.
  public var text: String { count == 1 ? one : many }

  /// The counts by name in the order of their first occurrence; equal names are added, and zero counts are omitted.
  package static func sums(of counts: [NamedCount]) -> [NamedCount] {
    counts.filter { $0.count > 0 }.grouped(by: \.name).map { _, items in
      items.dropFirst().reduce(into: items[0]) { $0.count = $0.count.clampedSum($1.count) }
    }
  }
}

extension UInt64 {
  /// Returns the sum with another count, or the largest number if that is less: counts in saved sessions may be any.
  package func clampedSum(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
