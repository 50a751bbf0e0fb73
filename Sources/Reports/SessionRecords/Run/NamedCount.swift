/// Something counted under a stable name, and how to say it.
public struct NamedCount: Hashable, Sendable {
  /// What the count means for the result.
  public enum Meaning: String, Hashable, Sendable {
    /// Worth knowing; nothing was left out.
    case remark
    /// Part of the input was not read, so sessions may be missing.
    case notRead
  }

  /// The stable name, such as `truncatedBySnaplen`; what varies stands behind a dot: `unknownLinkType.147`.
  public var name: String

  /// What was counted, to be put behind the number: `packets of unknown link type 147`.
  public var text: String

  /// How often.
  public var count: UInt64

  /// What the count means for the result.
  public var meaning: Meaning

  /// Creates a count.
  public init(_ name: String, _ text: String, count: UInt64, meaning: Meaning = .remark) {
    self.name = name
    self.text = text
    self.count = count
    self.meaning = meaning
  }
}

extension NamedCount {
  /// Counts in the order of their names' first, those of one name added up; those of nothing are left out.
  public static func sums(of counts: [NamedCount]) -> [NamedCount] {
    var sums: [NamedCount] = []
    var places: [String: Int] = [:]
    for item in counts where item.count > 0 {
      if let place = places[item.name] {
        let (sum, overflow) = sums[place].count.addingReportingOverflow(item.count)
        sums[place].count = overflow ? .max : sum
      } else {
        places[item.name] = sums.count
        sums.append(item)
      }
    }
    return sums
  }
}
