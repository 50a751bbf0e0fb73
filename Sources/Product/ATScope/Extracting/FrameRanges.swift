/// Ranges of frame numbers that may overlap, asked which of them holds a frame: in steps that grow with the logarithm of how many
/// they are.
struct FrameRanges {
  private struct Entry {
    var range: ClosedRange<UInt64>
    /// Which of the ranges it is, as they were given.
    var index: Int
    /// Place of the range that reaches furthest, of this one and those before it.
    var furthest: Int
  }

  /// By their lower bounds.
  private var entries: [Entry] = []

  init(_ ranges: [ClosedRange<UInt64>]) {
    entries = ranges.enumerated().map { Entry(range: $0.element, index: $0.offset, furthest: 0) }
    entries.sort { ($0.range.lowerBound, $0.index) < ($1.range.lowerBound, $1.index) }
    var furthest = 0
    for place in entries.indices {
      if entries[place].range.upperBound > entries[furthest].range.upperBound { furthest = place }
      entries[place].furthest = furthest
    }
  }

  /// The range that holds a frame and reaches furthest; nil where none holds it.
  func index(holding frame: UInt64) -> Int? {
    let next = entries.partitioningIndex { $0.range.lowerBound > frame }
    guard next > 0 else { return nil }
    let furthest = entries[entries[next - 1].furthest]
    return furthest.range.upperBound >= frame ? furthest.index : nil
  }
}
