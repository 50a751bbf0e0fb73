/// What is remembered of connections that are no longer watched: a few bits each, for a bounded number of them.
///
/// Two generations: what is put in, or asked for, goes into the present one; once that is full it becomes the one before, which is
/// forgotten. Which connections are forgotten thus follows from the order of packets alone, and not from the hash, which is
/// another one in each run; and those that still speak are not among them.
public struct RecentConnections: ~Copyable {
  /// Open addressing at three quarters' load at most: 48 bits of hash and 16 bits of mark; 0 is an empty slot.
  @usableFromInline
  struct Generation {
    @usableFromInline
    var slots: ContiguousArray<UInt64>
    var count = 0

    init(slotCount: Int) { slots = ContiguousArray(repeating: 0, count: slotCount) }

    /// The slot of a connection, or the empty one where it belongs.
    @inlinable
    @inline(__always)
    func slot(of hash: UInt64) -> Int {
      let mask = slots.count &- 1
      var slot = Int(truncatingIfNeeded: hash >> 24) & mask
      while slots[slot] != 0, slots[slot] >> 16 != hash >> 16 { slot = (slot &+ 1) & mask }
      return slot
    }

    mutating func insert(_ hash: UInt64, _ mark: UInt16) {
      let slot = slot(of: hash)
      if slots[slot] == 0 { count += 1 }
      slots[slot] = (hash >> 16) << 16 | UInt64(mark)
    }

    /// Makes room for four times as many.
    mutating func grow() {
      let old = slots
      slots = ContiguousArray(repeating: 0, count: old.count * 4)
      for entry in old where entry != 0 { slots[slot(of: entry)] = entry }
    }
  }

  @usableFromInline
  var present = Generation(slotCount: leastSlotCount)
  private var before = Generation(slotCount: 1)

  /// How many were forgotten.
  public private(set) var forgotten: UInt64 = 0

  /// Few slots at first: most captures have few connections.
  private static let leastSlotCount = 1024

  /// How many connections are remembered at least; at most twice as many are.
  public static let capacity = 49_152

  /// Creates an empty memory.
  public init() {}

  /// Whether a connection is remembered, as far as one look tells: it may be from longer ago where this says no.
  @inlinable
  @inline(__always)
  public func isPresent(_ hash: UInt64) -> Bool { present.slots[present.slot(of: hash)] != 0 }

  /// The mark of a connection by its hash; nil where it is not remembered. A mark is never 0.
  public mutating func mark(of hash: UInt64) -> UInt16? {
    let entry = present.slots[present.slot(of: hash)]
    if entry != 0 { return UInt16(truncatingIfNeeded: entry) }
    return markBefore(hash)
  }

  /// The mark of a connection that was remembered, or last asked for, longer ago; it is remembered anew.
  private mutating func markBefore(_ hash: UInt64) -> UInt16? {
    let entry = before.slots[before.slot(of: hash)]
    guard entry != 0 else { return nil }
    let mark = UInt16(truncatingIfNeeded: entry)
    remember(hash, mark: mark)
    return mark
  }

  /// Remembers a connection under a mark other than 0.
  public mutating func remember(_ hash: UInt64, mark: UInt16) {
    if (present.count + 1) * 4 > present.slots.count * 3 { makeRoom() }
    present.insert(hash, max(1, mark))
  }

  private mutating func makeRoom() {
    guard present.count >= RecentConnections.capacity else { return present.grow() }
    forgotten &+= UInt64(before.count)
    before = present
    present = Generation(slotCount: before.slots.count)
  }
}
