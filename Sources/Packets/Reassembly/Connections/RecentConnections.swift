/// What is remembered of connections that are no longer watched: a few bits each, for a bounded number of them.
///
/// Sets of four ways; the way that was written longest ago gives place.
public struct RecentConnections: ~Copyable {
  /// 48 bits of hash and 16 bits of mark; 0 is empty.
  private var ways: ContiguousArray<UInt64>

  private static let setCount = 16_384

  /// How many connections are remembered at most.
  public static let capacity = setCount * 4

  /// Creates an empty memory.
  public init() {
    ways = ContiguousArray(repeating: 0, count: RecentConnections.capacity)
  }

  /// The mark of a connection by its hash; nil where it is not remembered. A mark is never 0.
  public func mark(of hash: UInt64) -> UInt16? {
    let start = first(hash)
    for way in start..<(start + 4) where ways[way] >> 16 == hash >> 16 && ways[way] != 0 {
      return UInt16(truncatingIfNeeded: ways[way])
    }
    return nil
  }

  /// Remembers a connection under a mark other than 0.
  public mutating func remember(_ hash: UInt64, mark: UInt16) {
    let start = first(hash)
    let entry = (hash >> 16) << 16 | UInt64(max(1, mark))
    var way = start
    while way < start + 3, ways[way] >> 16 != hash >> 16, ways[way] != 0 { way += 1 }
    // The newest comes first in its set.
    while way > start {
      ways[way] = ways[way - 1]
      way -= 1
    }
    ways[start] = entry
  }

  private func first(_ hash: UInt64) -> Int {
    (Int(truncatingIfNeeded: hash >> 24) & (RecentConnections.setCount - 1)) * 4
  }
}
