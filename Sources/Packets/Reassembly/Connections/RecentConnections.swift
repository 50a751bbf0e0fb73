public import ByteParsing

/// What is remembered of connections that are no longer watched: a few bits each, for a bounded number of them. A connection
/// that still sends is not evicted.
@usableFromInline package struct RecentConnections: ~Copyable {
  @usableFromInline
  private(set) var table = RecentTable<HashTable>(maximumCount: capacity)

  /// How many connections are remembered at least; at most twice as many are.
  package static let capacity = 49_152

  package init() {}

  package var forgotten: UInt64 { table.evicted }

  /// Whether a connection is remembered, as far as one look-up shows: one from longer ago may be where this is false.
  @inlinable
  @inline(__always)
  package func isPresent(_ hash: UInt64) -> Bool { table.isRecent(hash) }

  /// The mark of a connection by its hash; nil where it is not remembered. The connection is among the latest ones then.
  package mutating func mark(of hash: UInt64) -> UInt16? {
    table.renewed(hash).map { UInt16(truncatingIfNeeded: $0) }
  }

  package mutating func remember(_ hash: UInt64, mark: UInt16) { table.insert(Int(mark), for: hash) }
}
