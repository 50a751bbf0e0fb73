import ByteParsing

/// Values by bytes that stand for them, found by a seeded hash and compared in full; compared where they lie, since a
/// session looks up several.
///
/// Open addressing at half load, as in the table of connections: the seeded hash needs no second hashing.
struct ComparedTable<Value> {
  private struct Entry {
    var hash: UInt64
    var bytes: Bytes
    var value: Value

    func holds(_ other: Span<UInt8>) -> Bool { isEqual(other, bytes.span) }
  }

  /// Index in `entries` + 1; 0 is an empty slot.
  private var slots = ContiguousArray<Int32>(repeating: 0, count: 64)
  private var entries: ContiguousArray<Entry> = []
  private var byteCount = 0

  /// Differs from run to run, so that no file can aim at the table.
  private let seed = UInt64.random(in: .min ... .max)

  /// The value of bytes; nil where it is not known.
  func value(for bytes: Span<UInt8>) -> Value? { place(of: bytes).map { entries[$0].value } }

  /// The value of bytes, for which the entry at `hint` is looked at before others: it need not be theirs, and becomes so.
  func value(for bytes: Span<UInt8>, hint: inout Int32) -> Value? {
    let hinted = Int(hint)
    if entries.indices.contains(hinted), entries[hinted].holds(bytes) { return entries[hinted].value }
    guard let place = place(of: bytes) else { return nil }
    hint = Int32(truncatingIfNeeded: place)
    return entries[place].value
  }

  private func place(of bytes: Span<UInt8>) -> Int? {
    let hash = seededHash(of: bytes, seed: seed)
    let mask = slots.count - 1
    var position = Int(truncatingIfNeeded: hash) & mask
    while true {
      let index = Int(slots[position]) - 1
      if index < 0 { return nil }
      if entries[index].hash == hash, entries[index].holds(bytes) { return index }
      position = (position + 1) & mask
    }
  }

  /// Adds the value of bytes; a table that is full is emptied first.
  mutating func insert(_ value: Value, for bytes: Bytes) {
    if entries.count >= SharedFacts.tableLimit || byteCount + bytes.count > SharedFacts.byteLimit {
      entries.removeAll()
      slots = ContiguousArray(repeating: 0, count: 64)
      byteCount = 0
    }
    byteCount += bytes.count
    entries.append(Entry(hash: seededHash(of: bytes.span, seed: seed), bytes: bytes, value: value))
    if entries.count * 2 > slots.count {
      slots = ContiguousArray(repeating: 0, count: slots.count * 2)
      for index in entries.indices { place(index) }
    } else {
      place(entries.count - 1)
    }
  }

  private mutating func place(_ index: Int) {
    let mask = slots.count - 1
    var position = Int(truncatingIfNeeded: entries[index].hash) & mask
    while slots[position] != 0 { position = (position + 1) & mask }
    slots[position] = Int32(truncatingIfNeeded: index + 1)
  }
}
