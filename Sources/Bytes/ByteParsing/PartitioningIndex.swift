extension RandomAccessCollection {
  /// The first index whose element fulfils a condition that every later one fulfils too; `endIndex` if none does.
  ///
  /// A binary search: the condition is evaluated O(log `count`) times.
  @inlinable
  package func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Index {
    var (low, remaining) = (startIndex, count)
    while remaining > 0 {
      let half = remaining / 2
      let middle = index(low, offsetBy: half)
      if isInSecondPart(self[middle]) {
        remaining = half
      } else {
        low = index(after: middle)
        remaining -= half + 1
      }
    }
    return low
  }
}
