extension RandomAccessCollection {
  /// The first index from which on all elements satisfy a condition; `endIndex` if there is none.
  ///
  /// The elements must be partitioned by the condition. A binary search: it is evaluated O(log `count`) times.
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
