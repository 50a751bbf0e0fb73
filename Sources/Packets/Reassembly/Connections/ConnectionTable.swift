public import ByteParsing
public import PacketParsing
public import Values

/// The open connections: a map from keys to small indices. The index of a removed connection is reused.
@usableFromInline package struct ConnectionTable: ~Copyable {
  @usableFromInline private(set) var table = HashTable()

  /// The key of each index, in use or not.
  @usableFromInline private(set) var keys: ContiguousArray<ConnectionKey> = []

  private var hashes: ContiguousArray<UInt64> = []

  private var freeIndices: ContiguousArray<Int32> = []

  @usableFromInline let seed: UInt64

  package var count: Int { table.count }

  /// Creates an empty table. The seed affects the order of entries, never the results.
  package init(seed: UInt64 = .random(in: .min ... .max)) { self.seed = seed }

  /// The result of a lookup by a packet's headers.
  @usableFromInline package struct Lookup {
    /// The connection's index; nil if it is not in the table.
    package var index: Int?
    /// The hash of its key, which other calls require.
    package var hash: UInt64
    package var direction: Direction

    @usableFromInline package init(index: Int?, hash: UInt64, direction: Direction) {
      self.index = index
      self.hash = hash
      self.direction = direction
    }
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

  package func lookup(from source: Endpoint, to destination: Endpoint) -> Lookup {
    lookup(from: source, to: destination, hash: ConnectionKey.hash(source, destination, seed: seed))
  }

  /// Looks up the connection of a packet by its hash. The endpoints are compared in place, without creating a key.
  @inlinable
  @inline(__always)
  package func lookup(from source: Endpoint, to destination: Endpoint, hash: UInt64) -> Lookup {
    let direction = ConnectionKey.direction(from: source, to: destination)
    let index = table.first(of: hash) { index in
      keys[index][direction] == source && keys[index][direction.opposite] == destination
    }
    return Lookup(index: index, hash: hash, direction: direction)
  }

  /// The hash of a key, which other calls require.
  package func hash(of key: ConnectionKey) -> UInt64 { key.hash(seed: seed) }

  /// The key of an index that `insert` returned.
  package func key(at index: Int) -> ConnectionKey { keys[index] }

  /// The hash of the key of an index that `insert` returned.
  package func hash(at index: Int) -> UInt64 { hashes[index] }

  /// The index of the connection; nil if it is not in the table.
  package func index(of key: ConnectionKey, hash: UInt64) -> Int? {
    lookup(from: key.lower, to: key.upper, hash: hash).index
  }

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
