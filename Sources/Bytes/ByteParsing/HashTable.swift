/// A table of small numbers by seeded hashes, for the lookups that every packet requires; elsewhere, `Dictionary` is fast enough.
///
/// It uses open addressing with a load of at most three quarters, so that an unsuccessful lookup usually touches one cache line. Hashes
/// must be unpredictable: seeded, and different in each run. Two keys may have the same hash: `insert` adds another entry, and the owner
/// compares the keys.
@usableFromInline package struct HashTable: KeyedTable, Sendable {
  @usableFromInline struct Slot: Sendable {
    /// The hash with its lowest bit set (`hash | 1`), so that it is not 0; 0 in a free slot.
    @usableFromInline var hash: UInt64 = 0
    @usableFromInline var value: Int = 0
  }

  /// The slots; their number is a power of two.
  @usableFromInline var slots = ContiguousArray(repeating: Slot(), count: 64)

  @usableFromInline package private(set) var count = 0

  @usableFromInline package init() {}

  /// The value of the first entry with a hash. Setting it replaces that value, or adds an entry; nil removes the first entry.
  @inlinable
  package subscript(hash: UInt64) -> Int? {
    get {
      let slot = slots[firstSlot(of: hash)]
      return slot.hash == 0 ? nil : slot.value
    }
    set { set(newValue, for: hash) }
  }

  @inlinable
  @inline(__always)
  package func isAbsent(_ hash: UInt64) -> Bool { slots[firstSlot(of: hash)].hash == 0 }

  /// The first-added value with this hash that satisfies `isSought`; nil if there is none.
  @inlinable
  @inline(__always)
  package func first(of hash: UInt64, where isSought: (Int) -> Bool) -> Int? {
    var position = firstSlot(of: hash)
    while slots[position].hash != 0 {
      if slots[position].hash == hash | 1, isSought(slots[position].value) { return slots[position].value }
      position = (position &+ 1) & (slots.count &- 1)
    }
    return nil
  }

  /// Adds an entry, even if there are others with the same hash.
  package mutating func insert(_ value: Int, for hash: UInt64) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    count += 1
    store(Slot(hash: hash | 1, value: value))
  }

  package mutating func remove(_ value: Int, for hash: UInt64) {
    let mask = slots.count - 1
    var hole = firstSlot(of: hash)
    while slots[hole].hash != hash | 1 || slots[hole].value != value {
      if slots[hole].hash == 0 { return }
      hole = (hole + 1) & mask
    }
    count -= 1
    // Entries that were displaced past this slot move back, so that no deletion marks are needed.
    var next = (hole + 1) & mask
    while slots[next].hash != 0 {
      if (next - home(of: slots[next].hash)) & mask >= (next - hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = Slot()
  }

  @usableFromInline mutating func set(_ value: Int?, for hash: UInt64) {
    let position = firstSlot(of: hash)
    if slots[position].hash == 0 {
      if let value { insert(value, for: hash) }
    } else if let value {
      slots[position].value = value
    } else {
      remove(slots[position].value, for: hash)
    }
  }

  /// The slot at which the search for a hash begins.
  @inlinable
  @inline(__always)
  func home(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 16) & (slots.count &- 1) }

  /// The slot of the first entry with a hash, or the free one at which the search ends.
  @inlinable
  @inline(__always)
  func firstSlot(of hash: UInt64) -> Int {
    var position = home(of: hash)
    while slots[position].hash != 0, slots[position].hash != hash | 1 {
      position = (position &+ 1) & (slots.count &- 1)
    }
    return position
  }

  private mutating func store(_ slot: Slot) {
    var position = home(of: slot.hash)
    while slots[position].hash != 0 { position = (position + 1) & (slots.count - 1) }
    slots[position] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = ContiguousArray(repeating: Slot(), count: old.count * 2)
    // Starts at a free slot, so that entries with the same hash remain in the order in which they were added.
    let start = old.firstIndex { $0.hash == 0 } ?? 0
    for step in old.indices {
      let slot = old[(start + step) & (old.count - 1)]
      if slot.hash != 0 { store(slot) }
    }
  }
}
