import ByteParsing

/// An interval index: finds the range that contains a frame in O(log n).
struct FrameRanges {
  private struct Entry {
    var range: ClosedRange<UInt64>
    /// The index of the range in the order given.
    var index: Int
    /// The index of the entry with the largest upper bound, up to and including this one.
    var furthest: Int
  }

  /// Sorted by lower bound.
  private var entries: [Entry] = []

  init(_ ranges: [ClosedRange<UInt64>]) {
    entries = ranges.enumerated().map { Entry(range: $0.element, index: $0.offset, furthest: 0) }
    entries.sort { ($0.range.lowerBound, $0.index) < ($1.range.lowerBound, $1.index) }
    var furthest = 0
    for entryIndex in entries.indices {
      if entries[entryIndex].range.upperBound > entries[furthest].range.upperBound { furthest = entryIndex }
      entries[entryIndex].furthest = furthest
    }
  }

  /// The index of the range that contains a frame and has the largest upper bound; nil if none contains it.
  func index(holding frame: UInt64) -> Int? {
    let next = entries.partitioningIndex { $0.range.lowerBound > frame }
    guard next > 0 else { return nil }
    let furthest = entries[entries[next - 1].furthest]
    return furthest.range.upperBound >= frame ? furthest.index : nil
  }
}
