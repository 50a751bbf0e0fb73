extension Collection<String> {
  /// Returns `a, b and c`.
  package func joinedWithAnd() -> String {
    if count < 2 { return joined(separator: "") }
    return "\(dropLast(1).joined(separator: ", ")) and \(suffix(1).joined(separator: ""))"
  }

  /// Returns the first elements and the number of the others, if there are any: `a, b and 2 more`.
  package func joined(first limit: Int) -> String {
    prefix(limit).joined(separator: ", ") + (count > limit ? " and \(count - limit) more" : "")
  }

  /// Returns the first elements, and an ellipsis if there are others: `a, b, …`.
  package func abbreviated(to limit: Int) -> String {
    prefix(limit).joined(separator: ", ") + (count > limit ? ", …" : "")
  }
}
