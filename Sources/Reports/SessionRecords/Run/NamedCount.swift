/// A count under a stable name, with the words that follow the number.
public struct NamedCount: Hashable, Sendable {
  /// What the count means for the result.
  public enum Meaning: String, Hashable, Sendable {
    /// For information; nothing was omitted.
    case remark
    /// Part of the input was not read, so sessions may be missing.
    case notRead
  }

  /// The stable name, such as `truncatedBySnaplen`; a variable part follows a dot: `unknownLinkType.147`.
  public package(set) var name: String

  /// The words after a count of one: `packet of unknown link type 147`.
  public package(set) var one: String

  /// The words after any other count: `packets of unknown link type 147`.
  public package(set) var many: String

  /// The count.
  public package(set) var count: UInt64

  /// What the count means for the result.
  public package(set) var meaning: Meaning

  package init(_ name: String, one: String, many: String, count: UInt64, meaning: Meaning = .remark) {
    self.name = name
    self.one = one
    self.many = many
    self.count = count
    self.meaning = meaning
  }
}

extension NamedCount {
  /// The words that fit the count.
  public var text: String { count == 1 ? one : many }

  /// The counts by name, equal names added up, in the order of their first occurrence; zero counts are left out.
  package static func sums(of counts: [NamedCount]) -> [NamedCount] {
    var sums: [NamedCount] = []
    var indices: [String: Int] = [:]
    for item in counts where item.count > 0 {
      if let index = indices[item.name] {
        let (sum, overflow) = sums[index].count.addingReportingOverflow(item.count)
        sums[index].count = overflow ? .max : sum
      } else {
        indices[item.name] = sums.count
        sums.append(item)
      }
    }
    return sums
  }
}
