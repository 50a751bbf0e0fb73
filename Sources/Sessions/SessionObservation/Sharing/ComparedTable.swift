import ByteParsing

/// Values by bytes that stand for them, found by a seeded hash and compared in full; compared where they lie, since a
/// session looks up several.
struct ComparedTable<Value> {
  private struct Entry {
    var bytes: Bytes
    var value: Value
    /// The next entry of the same hash; −1 for none.
    var next: Int32
  }

  private var firsts: [UInt64: Int32] = [:]
  private var entries: ContiguousArray<Entry> = []
  private var byteCount = 0

  /// Differs from run to run, so that no file can aim at the table.
  let seed = UInt64.random(in: .min ... .max)

  /// The value among those of this hash whose bytes `matches` recognises; nil where it is not known.
  func value(hash: UInt64, matches: (borrowing Bytes) -> Bool) -> Value? {
    var index = Int(firsts[hash] ?? -1)
    while index >= 0 {
      if matches(entries[index].bytes) { return entries[index].value }
      index = Int(entries[index].next)
    }
    return nil
  }

  /// Adds a value; a table that is full is emptied first.
  mutating func insert(_ value: Value, hash: UInt64, bytes: Bytes) {
    if entries.count >= SharedFacts.tableLimit || byteCount + bytes.count > SharedFacts.byteLimit {
      firsts.removeAll()
      entries.removeAll()
      byteCount = 0
    }
    byteCount += bytes.count
    entries.append(Entry(bytes: bytes, value: value, next: firsts[hash] ?? -1))
    firsts[hash] = Int32(truncatingIfNeeded: entries.count - 1)
  }

  /// The value of bytes that stand for themselves.
  func value(for bytes: Span<UInt8>) -> Value? {
    value(hash: seededHash(of: bytes, seed: seed)) { isEqual(bytes, $0.span) }
  }

  /// Adds the value of bytes that stand for themselves.
  mutating func insert(_ value: Value, for bytes: Span<UInt8>) {
    insert(value, hash: seededHash(of: bytes, seed: seed), bytes: Bytes(copying: bytes))
  }
}
