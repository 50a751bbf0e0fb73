/// Finds entries of an array by a hash of what they are known by: their places, while the owner keeps and compares them.
///
/// It does what a Dictionary does that leads to places, for less where a table is small. The first Dictionary with each kind
/// of key has the run-time library look through all conformances of the program: as much work as ten sessions.
public struct HashedPlaces: Sendable {
  /// Place + 1 by the upper bits of the mixed hash, open addressing at half load at most; 0 is a free slot.
  @usableFromInline var slots: ContiguousArray<Int32> = []

  /// The hashes by place.
  @usableFromInline var hashes: ContiguousArray<Int> = []

  /// Creates a table for no entries yet.
  public init() {}

  /// How many entries there are; the place of the next one.
  @inlinable public var count: Int { hashes.count }

  /// The first entry with this hash that is the one looked for; nil for none.
  ///
  /// Hashes are to be such that a file cannot aim at them: seeded, and different in each run.
  @inlinable
  public func first(of hash: Int, where isSought: (Int) -> Bool) -> Int? {
    if slots.isEmpty { return nil }
    var slot = slot(of: hash)
    while true {
      let place = Int(slots[slot]) - 1
      if place < 0 { return nil }
      if hashes[place] == hash, isSought(place) { return place }
      slot = (slot + 1) & (slots.count - 1)
    }
  }

  /// All entries with this hash that are among those looked for, in their order.
  @inlinable
  public func all(of hash: Int, where isSought: (Int) -> Bool) -> [Int] {
    var found: [Int] = []
    _ = first(of: hash) { place in
      if isSought(place) { found.append(place) }
      return false
    }
    return found
  }

  /// Adds the next entry, also where there is one with the same hash already.
  public mutating func append(_ hash: Int) {
    hashes.append(hash)
    if hashes.count * 2 > slots.count {
      slots = ContiguousArray(repeating: 0, count: max(16, slots.count * 2))
      for place in hashes.indices { insert(place) }
    } else {
      insert(hashes.count - 1)
    }
  }

  /// Forgets all entries.
  public mutating func removeAll() {
    slots.removeAll()
    hashes.removeAll()
  }

  private mutating func insert(_ place: Int) {
    var slot = slot(of: hashes[place])
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(truncatingIfNeeded: place + 1)
  }

  /// Where the search for a hash begins: hashes may differ in some of their bits only, as addresses do.
  @usableFromInline
  func slot(of hash: Int) -> Int {
    let mixed = UInt64(truncatingIfNeeded: hash) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 32) & (slots.count - 1)
  }
}
