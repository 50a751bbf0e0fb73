public import ByteParsing

/// Marks of connections that are no longer watched: a few bits each, for a bounded number. A connection that still sends is not evicted.
@usableFromInline package struct RecentConnections: ~Copyable {
  @usableFromInline private(set) var table = RecentTable<HashTable>(entriesPerGeneration: capacity)

  /// The minimum number of connections remembered; at most twice as many are.
  package static let capacity = 49_152

  package init() {}

  package var forgotten: UInt64 { table.evicted }

  /// The mark of a connection by its hash; nil if it is not remembered. A lookup makes it one of the latest.
  package mutating func mark(of hash: UInt64) -> UInt16? {
    table.renewed(hash).map { UInt16(truncatingIfNeeded: $0) }
  }

  package mutating func remember(_ hash: UInt64, mark: UInt16) { table.insert(Int(mark), for: hash) }
}
