public import ByteParsing
public import PacketParsing
package import Values

/// The open connections: a map from keys to small indices. The index of a removed connection is reused.
@usableFromInline package struct ConnectionTable: ~Copyable {
  @usableFromInline private(set) var table = HashTable()

  /// The key of each index, in use or not.
  private var keys: ContiguousArray<ConnectionKey> = []

  private var hashes: ContiguousArray<UInt64> = []

  private var freeIndices: ContiguousArray<Int32> = []

  @usableFromInline let seed: UInt64

  package var count: Int { table.count }

  /// Creates an empty table. The seed affects the order of entries, never the results.
  package init(seed: UInt64 = .random(in: .min ... .max)) { self.seed = seed }

  /// The result of a lookup by a packet's headers.
  package struct Lookup {
    /// The connection's index; nil if it is not in the table.
    package var index: Int?
    /// The hash of its key, which other calls require.
    package var hash: UInt64
    package var direction: Direction
  }

  @inlinable
  @inline(__always)
  package func hash(of segment: borrowing FastPathSegment) -> UInt64 {
    ConnectionKey.hash(segment.sender, segment.receiver, seed: seed)
  }

  /// Whether no connection with this hash is in the table. This is the one step that every segment costs.
  @inlinable
  @inline(__always)
  package func isAbsent(_ hash: UInt64) -> Bool { table.isAbsent(hash) }

  /// Looks up the connection of a packet. The endpoints are compared in place, without creating a key.
  package func lookup(from source: Endpoint, to destination: Endpoint) -> Lookup {
    let hash = ConnectionKey.hash(source, destination, seed: seed)
    let direction = ConnectionKey.direction(from: source, to: destination)
    let index = table.first(of: hash) { index in
      keys[index][direction] == source && keys[index][direction.opposite] == destination
    }
    return Lookup(index: index, hash: hash, direction: direction)
  }

  /// The key of an index that `insert` returned.
  package func key(at index: Int) -> ConnectionKey { keys[index] }

  /// The hash of the key of an index that `insert` returned.
  package func hash(at index: Int) -> UInt64 { hashes[index] }

  /// The indices of all connections between the same two endpoints.
  package func indices(of key: ConnectionKey, hash: UInt64) -> [Int] {
    var found: [Int] = []
    _ = table.first(of: hash) { index in
      if keys[index] == key { found.append(index) }
      return false
    }
    return found
  }

  /// Adds a connection and returns its index: the one freed last, or a new one. A second connection with the same endpoints is a separate
  /// entry, and a lookup finds the one that was added first.
  package mutating func insert(_ key: ConnectionKey, hash: UInt64) -> Int {
    let index: Int
    if let free = freeIndices.popLast() {
      index = Int(free)
      keys[index] = key
      hashes[index] = hash
    } else {
      index = keys.count
      keys.append(key)
      hashes.append(hash)
    }
    table.insert(index, for: hash)
    return index
  }

  /// Removes a connection; its index may be reused.
  package mutating func remove(at index: Int) {
    table.remove(index, for: hashes[index])
    freeIndices.append(Int32(truncatingIfNeeded: index))
  }
}
