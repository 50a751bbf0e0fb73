extension RandomAccessCollection where Index == Int {
  /// The index of the first element for which something holds, as it does for all after it; the end index for none.
  package func partitionIndex(where isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
