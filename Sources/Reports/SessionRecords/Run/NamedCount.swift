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

  /// The words after the count, in the notation of `form(of:)`: `packet{s} of unknown link type 147`.
  package var words: String

  /// The count.
  public package(set) var count: UInt64

  /// The effect of the counted items on the result.
  public package(set) var meaning: Meaning

  /// The kinds of the counted items, such as versions; escaped for display.
  package var details: [String] = []

  /// The maximum number of details in the text.
  private static let maximumDetails = 16

  package init(_ name: String, _ words: String, count: UInt64, meaning: Meaning = .remark) {
    self.name = name
    self.words = words
    self.count = count
    self.meaning = meaning
  }
}

extension NamedCount {
  /// The words for this count, singular or plural; escaped for display.
  public var text: String {
    count.form(of: words) + (details.isEmpty ? "" : " (\(details.abbreviated(to: NamedCount.maximumDetails)))")
  }

  /// The counts by name in the order of their first occurrence; equal names are added, and zero counts are omitted.
  package static func sums(of counts: [NamedCount]) -> [NamedCount] {
    counts.filter { $0.count > 0 }.grouped(by: \.name).map { _, items in
      items.dropFirst().reduce(into: items[0]) { sum, item in
        sum.count = sum.count.clampedSum(item.count)
        if item.details != sum.details { sum.details = joined(sum.details, item.details) }
      }
    }
  }

  /// Joins details without repetitions, up to one more than the text lists.
  static func joined(_ details: [String], _ others: [String]) -> [String] {
    Array((details + others).distinct().prefix(maximumDetails + 1))
  }
}
