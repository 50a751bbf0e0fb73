/// A table in which a value is found and set by its key.
@usableFromInline package protocol KeyedTable<Key, Value> {
  /// What a value is found by.
  associatedtype Key
  /// What is found.
  associatedtype Value

  /// Creates an empty table.
  init()

  /// The number of values.
  var count: Int { get }

  /// The value of a key; nil where it has none.
  subscript(key: Key) -> Value? { get set }
}

extension Dictionary: KeyedTable {}

/// A table of bounded size that evicts the entries that were inserted or renewed longest ago, by halves.
///
/// When the current generation is full it becomes the previous one, whose entries are evicted. Which entries these are depends
/// on the order of calls alone and not on hashes, which differ from run to run. Where a key is an identity, the value must
/// hold the object, so that no other can take that identity meanwhile.
@usableFromInline package struct RecentTable<Table: KeyedTable> {
  /// The generation into which entries go.
  @usableFromInline var current = Table()
  @usableFromInline var previous = Table()

  @usableFromInline let maximumCount: Int
  @usableFromInline let maximumCost: Int
  /// That of the current generation.
  @usableFromInline var cost = 0

  /// How many entries were evicted; one that was renewed before is among them.
  package private(set) var evicted: UInt64 = 0

  /// Holds at least `maximumCount` entries, or fewer of a total cost of `maximumCost`, and at most twice as many.
  package init(maximumCount: Int, maximumCost: Int = .max) {
    self.maximumCount = maximumCount
    self.maximumCost = maximumCost
  }

  package var isEmpty: Bool { current.count == 0 && previous.count == 0 }

  /// The value last inserted for a key, which this does not renew.
  @inlinable
  package subscript(key: Table.Key) -> Table.Value? { current[key] ?? previous[key] }

  /// Whether a key is among the latest: one look-up, which does not find all that are held.
  @inlinable
  @inline(__always)
  package func isRecent(_ key: Table.Key) -> Bool { current[key] != nil }

  /// Inserts a value. One that costs more than a quarter of what is allowed is not kept, as it would evict all others.
  @inlinable
  package mutating func insert(_ value: Table.Value, for key: Table.Key, cost added: Int = 0) {
    guard added <= maximumCost / 4 else { return }
    current[key] = value
    cost += added
    if current.count >= maximumCount || cost >= maximumCost { turn() }
  }

  /// The value of a key, which is renewed.
  @inlinable
  package mutating func renewed(_ key: Table.Key, cost: Int = 0) -> Table.Value? {
    if let value = current[key] { return value }
    guard let value = previous[key] else { return nil }
    insert(value, for: key, cost: cost)
    return value
  }

  /// The value of a key, which is renewed, or made and inserted where there is none.
  @inlinable
  package mutating func value(
    for key: Table.Key, cost: (Table.Value) -> Int, make: () -> Table.Value
  ) -> Table.Value {
    if let value = current[key] { return value }
    let value = previous[key] ?? make()
    insert(value, for: key, cost: cost(value))
    return value
  }

  /// Inserts all that another table holds, generation by generation.
  @inlinable
  package mutating func insert<Key, Value>(contentsOf other: RecentTable) where Table == [Key: Value] {
    for generation in [other.previous, other.current] {
      current.merge(generation) { $1 }
      if current.count >= maximumCount { turn() }
    }
  }

  @usableFromInline
  mutating func turn() {
    evicted += UInt64(previous.count)
    previous = current
    current = Table()
    cost = 0
  }
}
