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
}
