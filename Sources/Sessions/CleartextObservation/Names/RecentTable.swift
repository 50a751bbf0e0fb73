/// A table of bounded size that forgets what was put in longest ago, by halves.
///
/// Which entries it forgets depends on what was put in and on nothing else, so that results are the same in each run.
struct RecentTable<Key: Hashable, Value> {
  private var current: [Key: Value] = [:]
  private var previous: [Key: Value] = [:]
  private let limit: Int

  /// How many entries were forgotten.
  private(set) var forgotten: UInt64 = 0

  /// Holds `limit` entries at least, and less than twice as many.
  init(limit: Int) { self.limit = limit }

  /// Whether it holds nothing.
  var isEmpty: Bool { current.isEmpty && previous.isEmpty }

  /// The value last put in under the key.
  subscript(key: Key) -> Value? { current[key] ?? previous[key] }

  /// Puts a value in.
  mutating func insert(_ value: Value, for key: Key) {
    current[key] = value
    guard current.count >= limit else { return }
    forgotten += UInt64(previous.count)
    previous = current
    current = [:]
  }
}
