extension UInt64 {
  /// Returns the sum with another count, but at most the largest number: an input can state any count.
  package func clampedSum(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}

extension Sequence<UInt64> {
  /// The sum of all counts, but at most the largest number.
  package var clampedSum: UInt64 { reduce(0) { $0.clampedSum($1) } }
}
