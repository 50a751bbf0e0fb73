/// A table of values by key.
@usableFromInline package protocol KeyedTable<Key, Value> {
  associatedtype Key
  associatedtype Value

  /// Creates an empty table.
  init()

  /// The number of values.
  var count: Int { get }

  /// The value of a key; nil if there is none.
  subscript(key: Key) -> Value? { get set }
}

extension Dictionary: KeyedTable {}

/// A table of bounded size that evicts the entries inserted or renewed longest ago, one half at a time.
///
/// When the current generation is full, it becomes the previous one, and the entries of the former previous one are evicted. This depends
/// only on the order of calls and not on hashes, which differ in each run. If a key is an object identity, the value must retain the
/// object, so that no other object can have the same identity.
@usableFromInline package struct RecentTable<Table: KeyedTable> {
  /// The generation to which entries are added.
  @usableFromInline var current = Table()
  @usableFromInline var previous = Table()

  @usableFromInline let entriesPerGeneration: Int
  @usableFromInline let costPerGeneration: Int
  /// The cost of the current generation.
  @usableFromInline var cost = 0

  /// The number of entries evicted, including those that were renewed.
  package private(set) var evicted: UInt64 = 0

  /// Creates a table of two generations. A generation is full with this number of entries, or with this total cost.
  package init(entriesPerGeneration: Int, costPerGeneration: Int = .max) {
    self.entriesPerGeneration = entriesPerGeneration
    self.costPerGeneration = costPerGeneration
  }

  package var isEmpty: Bool { current.count == 0 && previous.count == 0 }

  /// The value last inserted for a key, without renewing it.
  @inlinable
  package subscript(key: Table.Key) -> Table.Value? { current[key] ?? previous[key] }

  /// Inserts a value, unless it costs more than a quarter of a generation, since it would evict all others. A key with a cost must be new
  /// to the current generation: the cost of a replaced value is not known.
  @inlinable
  package mutating func insert(_ value: Table.Value, for key: Table.Key, cost added: Int = 0) {
    guard added <= costPerGeneration / 4 else { return }
    current[key] = value
    cost += added
    if current.count >= entriesPerGeneration || cost >= costPerGeneration { turn() }
  }

  /// Renews a key and returns its value; nil if there is none.
  @inlinable
  package mutating func renewed(_ key: Table.Key, cost: Int = 0) -> Table.Value? {
    if let value = current[key] { return value }
    guard let value = previous[key] else { return nil }
    insert(value, for: key, cost: cost)
    return value
  }

  /// Renews a key and returns its value, which is created and inserted if there is none.
  @inlinable
  package mutating func value(for key: Table.Key, cost: (Table.Value) -> Int, make: () -> Table.Value) -> Table.Value {
    if let value = current[key] { return value }
    let value = previous[key] ?? make()
    insert(value, for: key, cost: cost(value))
    return value
  }

  /// Inserts all entries of another table, generation by generation.
  @inlinable
  package mutating func insert<Key, Value>(contentsOf other: RecentTable) where Table == [Key: Value] {
    for generation in [other.previous, other.current] {
      current.merge(generation) { $1 }
      if current.count >= entriesPerGeneration { turn() }
    }
  }

  @usableFromInline mutating func turn() {
    evicted += UInt64(previous.count)
    previous = current
    current = Table()
    cost = 0
  }
}

extension RecentTable: Sendable where Table: Sendable {}
