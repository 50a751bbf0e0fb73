package import SessionModel

/// Values by digests, of bounded size: forgets what was put in longest ago, by halves, as `RecentTable` does.
///
/// A digest is a seeded hash already, so that open addressing needs no second one.
package struct DigestTable<Value> {
  private struct Generation {
    var digests = ContiguousArray<UInt64>(repeating: 0, count: 64)
    /// Where the value of each slot lies in `values`.
    var places = ContiguousArray<Int32>(repeating: 0, count: 64)
    var values: ContiguousArray<Value> = []

    var isEmpty: Bool { values.isEmpty }

    /// The slot of a digest, or the free one where it belongs.
    @inline(__always)
    func slot(of digest: UInt64) -> Int {
      let mask = digests.count &- 1
      var slot = Int(truncatingIfNeeded: digest >> 8) & mask
      while digests[slot] != 0, digests[slot] != digest { slot = (slot &+ 1) & mask }
      return slot
    }

    func value(of digest: UInt64) -> Value? {
      if values.isEmpty { return nil }
      let slot = slot(of: digest)
      return digests[slot] == digest ? values[Int(places[slot])] : nil
    }

    mutating func insert(_ value: Value, for digest: UInt64) {
      let slot = slot(of: digest)
      if digests[slot] == digest {
        values[Int(places[slot])] = value
        return
      }
      digests[slot] = digest
      places[slot] = Int32(truncatingIfNeeded: values.count)
      values.append(value)
      if values.count * 2 > digests.count { grow() }
    }

    /// The values with their digests, in the order in which they were put in first.
    var inOrder: [(digest: UInt64, value: Value)] {
      var digests = ContiguousArray<UInt64>(repeating: 0, count: values.count)
      for slot in self.digests.indices where self.digests[slot] != 0 {
        digests[Int(places[slot])] = self.digests[slot]
      }
      return zip(digests, values).map { ($0, $1) }
    }

    /// Forgets everything and keeps its room.
    mutating func empty() {
      for slot in digests.indices { digests[slot] = 0 }
      values.removeAll(keepingCapacity: true)
    }

    private mutating func grow() {
      let (oldDigests, oldPlaces) = (digests, places)
      digests = ContiguousArray(repeating: 0, count: oldDigests.count * 2)
      places = ContiguousArray(repeating: 0, count: oldDigests.count * 2)
      for index in oldDigests.indices where oldDigests[index] != 0 {
        let slot = slot(of: oldDigests[index])
        digests[slot] = oldDigests[index]
        places[slot] = oldPlaces[index]
      }
    }
  }

  private var current = Generation()
  private var previous = Generation()
  private let limit: Int

  /// How many entries were forgotten.
  package private(set) var forgotten: UInt64 = 0

  /// Holds `limit` entries at least, and less than twice as many.
  package init(limit: Int) { self.limit = limit }

  /// Whether nothing was put in yet.
  package var isEmpty: Bool { current.isEmpty && previous.isEmpty }

  /// The value last put in under the digest.
  package subscript(digest: LinkDigest) -> Value? {
    if digest.isNone { return nil }
    return current.value(of: digest.rawValue) ?? previous.value(of: digest.rawValue)
  }

  /// Puts a value in; under the digest that stands for none, nothing.
  package mutating func insert(_ value: Value, for digest: LinkDigest) {
    if digest.isNone { return }
    insert(value, for: digest.rawValue)
  }

  /// Puts in all that another table holds.
  mutating func insert(contentsOf other: DigestTable) {
    for (digest, value) in other.previous.inOrder + other.current.inOrder { insert(value, for: digest) }
  }

  private mutating func insert(_ value: Value, for digest: UInt64) {
    current.insert(value, for: digest)
    guard current.values.count >= limit else { return }
    forgotten += UInt64(previous.values.count)
    swap(&previous, &current)
    current.empty()
  }
}
