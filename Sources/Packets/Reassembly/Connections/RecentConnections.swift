/// What is remembered of connections that are no longer watched: a few bits each, for a bounded number of them.
///
/// Sets of four ways; the way that was written longest ago gives place. There are few sets at first, and eight times as
/// many as soon as one is full, up to the bound: what is remembered is the same as with all of them from the start.
public struct RecentConnections: ~Copyable {
  /// 48 bits of hash and 16 bits of mark; 0 is empty.
  private var ways: ContiguousArray<UInt64>

  private var setCount = 512

  private static let setLimit = 16_384

  /// How many connections are remembered at most.
  public static let capacity = setLimit * 4

  /// Creates an empty memory.
  public init() {
    ways = ContiguousArray(repeating: 0, count: setCount * 4)
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
    while setCount < RecentConnections.setLimit, isFull(first(hash)), self.mark(of: hash) == nil { grow() }
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

  /// Whether the set that begins here has an entry in each of its ways.
  private func isFull(_ start: Int) -> Bool { ways[start + 3] != 0 }

  /// Shares the sets out to more of them, the order in them kept.
  private mutating func grow() {
    let old = ways
    setCount = min(setCount * 8, RecentConnections.setLimit)
    ways = ContiguousArray(repeating: 0, count: setCount * 4)
    for entry in old where entry != 0 {
      // The bits that choose the set are in the entry.
      var way = first(entry)
      while ways[way] != 0 { way += 1 }
      ways[way] = entry
    }
  }

  private func first(_ hash: UInt64) -> Int { (Int(truncatingIfNeeded: hash >> 24) & (setCount - 1)) * 4 }
}
