/// Values by digests, of bounded size: forgets what was put in longest ago, by halves, as `RecentTable` does.
///
/// A digest is a seeded hash already, so that open addressing needs no second one. Asked for each session, and a class so
/// that its owner asks it where it lies.
final class DigestTable<Value> {
  private struct Generation {
    var digests = ContiguousArray<UInt64>(repeating: 0, count: 64)
    var values = ContiguousArray<Value?>(repeating: nil, count: 64)
    var count = 0

    /// The slot of a digest, or the free one where it belongs.
    func slot(of digest: UInt64) -> Int {
      let mask = digests.count - 1
      var slot = Int(truncatingIfNeeded: digest >> 8) & mask
      while digests[slot] != 0, digests[slot] != digest { slot = (slot + 1) & mask }
      return slot
    }

    mutating func insert(_ value: Value, for digest: UInt64) {
      let slot = slot(of: digest)
      values[slot] = value
      if digests[slot] == digest { return }
      digests[slot] = digest
      count += 1
      if count * 2 > digests.count { grow() }
    }

    private mutating func grow() {
      let (oldDigests, oldValues) = (digests, values)
      digests = ContiguousArray(repeating: 0, count: oldDigests.count * 2)
      values = ContiguousArray(repeating: nil, count: oldDigests.count * 2)
      for (index, digest) in oldDigests.enumerated() where digest != 0 {
        let slot = slot(of: digest)
        digests[slot] = digest
        values[slot] = oldValues[index]
      }
    }
  }

  private var current = Generation()
  private var previous = Generation()
  private let limit: Int

  /// How many entries were forgotten.
  private(set) var forgotten: UInt64 = 0

  /// Holds `limit` entries at least, and less than twice as many.
  init(limit: Int) { self.limit = limit }

  /// Whether nothing was put in yet.
  var isEmpty: Bool { current.count == 0 && previous.count == 0 }

  /// The value last put in under the digest.
  subscript(digest: TicketDigest) -> Value? {
    if digest.isNone { return nil }
    return current.values[current.slot(of: digest.rawValue)]
      ?? previous.values[previous.slot(of: digest.rawValue)]
  }

  /// Puts a value in; under the digest that stands for none, nothing.
  func insert(_ value: Value, for digest: TicketDigest) {
    if digest.isNone { return }
    current.insert(value, for: digest.rawValue)
    guard current.count >= limit else { return }
    forgotten += UInt64(previous.count)
    previous = current
    current = Generation()
  }
}
