public import PacketParsing
public import Values

/// The open connections: from a key to a small index, which is free for another connection once it is removed.
///
/// Open addressing in slots of eight bytes (32 bits of hash, 32 bits of index) at a quarter's load at most, so that a
/// look-up that finds nothing, the lot of nearly every packet, touches one cache line.
public struct ConnectionTable: ~Copyable {
  /// Hash and index + 1; 0 is an empty slot.
  @usableFromInline
  private(set) var slots: ContiguousArray<UInt64>

  /// The key of each index, in use or not.
  @usableFromInline
  private(set) var keys: ContiguousArray<ConnectionKey> = []

  private var hashes: ContiguousArray<UInt64> = []

  private var freeIndices: ContiguousArray<Int32> = []

  @usableFromInline
  let seed: UInt64

  /// Connections in the table.
  public private(set) var count = 0

  /// Creates an empty table. The seed decides where entries lie, never what is found.
  public init(seed: UInt64 = .random(in: .min ... .max)) {
    self.seed = seed
    slots = ContiguousArray(repeating: 0, count: 1024)
  }

  /// What a look-up by a packet's headers tells.
  public struct Place {
    /// The connection's index; -1 where it is not in the table.
    public var index: Int
    /// The hash under which the other calls want its key.
    public var hash: UInt64
    /// The direction of the packet.
    public var direction: Direction

    /// Creates what a look-up told.
    public init(index: Int, hash: UInt64, direction: Direction) {
      self.index = index
      self.hash = hash
      self.direction = direction
    }
  }

  /// The hash of the connection of a segment.
  @inlinable
  @inline(__always)
  public func hash(of segment: borrowing PlainSegment) -> UInt64 {
    ConnectionKey.hash(segment.sender, segment.receiver, seed: seed)
  }

  /// Whether no connection with this hash is in the table: the one step that every segment costs.
  @inlinable
  @inline(__always)
  public func isAbsent(_ hash: UInt64) -> Bool {
    let mask = slots.count &- 1
    var position = Int(truncatingIfNeeded: hash) & mask
    while slots[position] != 0 {
      if slots[position] >> 32 == hash >> 32 { return false }
      position = (position &+ 1) & mask
    }
    return true
  }

  /// Looks the connection of a packet up.
  public func place(from source: Endpoint, to destination: Endpoint) -> Place {
    place(
      from: source, to: destination, hash: ConnectionKey.hash(source, destination, seed: seed))
  }

  /// Looks the connection of a packet up by its hash. What the key would be made of is compared where it lies.
  @inlinable
  @inline(__always)
  public func place(from source: Endpoint, to destination: Endpoint, hash: UInt64) -> Place {
    let direction = ConnectionKey.direction(from: source, to: destination)
    let mask = slots.count &- 1
    var position = Int(truncatingIfNeeded: hash) & mask
    while slots[position] != 0 {
      let slot = slots[position]
      if slot >> 32 == hash >> 32 {
        let index = Int(slot & 0xFFFF_FFFF) &- 1
        let isKey =
          keys[index][direction].isEqual(source) && keys[index][direction.opposite].isEqual(destination)
        if isKey { return Place(index: index, hash: hash, direction: direction) }
      }
      position = (position &+ 1) & mask
    }
    return Place(index: -1, hash: hash, direction: direction)
  }

  /// The hash under which the other calls want a key.
  public func hash(of key: ConnectionKey) -> UInt64 { key.hash(seed: seed) }

  /// The key of an index that `insert` gave out.
  public func key(at index: Int) -> ConnectionKey { keys[index] }

  /// The hash of the key of an index that `insert` gave out.
  public func hash(at index: Int) -> UInt64 { hashes[index] }

  /// The index of the connection; nil where it is not in the table.
  public func index(of key: ConnectionKey, hash: UInt64) -> Int? {
    let place = place(from: key.lower, to: key.upper, hash: hash)
    return place.index < 0 ? nil : place.index
  }

  /// All connections between the same two ends, where there are several.
  public func indices(of key: ConnectionKey, hash: UInt64) -> [Int] {
    let mask = slots.count - 1
    var position = Int(truncatingIfNeeded: hash) & mask
    var found: [Int] = []
    while slots[position] != 0 {
      let slot = slots[position]
      let index = Int(slot & 0xFFFF_FFFF) - 1
      if slot >> 32 == hash >> 32, keys[index] == key { found.append(index) }
      position = (position + 1) & mask
    }
    return found
  }

  /// Adds a connection and gives out its index: the one freed last, or a new one. A second one between the same ends
  /// is another entry; a look-up finds the one that was added first.
  public mutating func insert(_ key: ConnectionKey, hash: UInt64) -> Int {
    if (count + 1) * 4 > slots.count { grow() }
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
    place(index, hash: hash)
    count += 1
    return index
  }

  /// Takes a connection out; its index may be given out again.
  public mutating func remove(at index: Int) {
    let mask = slots.count - 1
    var position = Int(truncatingIfNeeded: hashes[index]) & mask
    while slots[position] & 0xFFFF_FFFF != UInt64(index + 1) {
      if slots[position] == 0 { return }
      position = (position + 1) & mask
    }
    // Shift back what was pushed on over this slot, so that no marks of deletion gather.
    var hole = position
    var next = (hole + 1) & mask
    while slots[next] != 0 {
      let home = Int(truncatingIfNeeded: hashes[Int(slots[next] & 0xFFFF_FFFF) - 1]) & mask
      if (next - home) & mask >= (next - hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = 0
    freeIndices.append(Int32(truncatingIfNeeded: index))
    count -= 1
  }

  private mutating func place(_ index: Int, hash: UInt64) {
    let mask = slots.count - 1
    var position = Int(truncatingIfNeeded: hash) & mask
    while slots[position] != 0 { position = (position + 1) & mask }
    slots[position] = (hash >> 32) << 32 | UInt64(index + 1)
  }

  private mutating func grow() {
    let old = slots
    slots = ContiguousArray(repeating: 0, count: old.count * 2)
    // From an empty slot on, so that those with the same key stay in the order in which they were added.
    let start = old.firstIndex(of: 0) ?? 0
    for step in old.indices {
      let slot = old[(start + step) & (old.count - 1)]
      guard slot != 0 else { continue }
      let index = Int(slot & 0xFFFF_FFFF) - 1
      place(index, hash: hashes[index])
    }
  }
}
