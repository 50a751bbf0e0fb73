extension UInt64 {
  /// Returns the sum with another count, or the largest number if that is less: counts in inputs may be any.
  package func clampedSum(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}

extension Sequence<UInt64> {
  /// The sum of all counts, or the largest number if that is less.
  package var clampedSum: UInt64 { reduce(0) { $0.clampedSum($1) } }
}
