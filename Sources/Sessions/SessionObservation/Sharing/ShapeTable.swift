import ByteParsing
import TLSParsing

/// Parsed hellos by their shape: what is unique to a connection left out, the same software sends the same again.
///
/// A scan finds the shape without allocating; what is found by its hash is compared in full.
struct ShapeTable<Value> {
  private var buckets: [UInt64: [(shape: Bytes, value: Value)]] = [:]
  private var count = 0

  /// Differs from run to run, so that no file can aim at the buckets.
  let seed = UInt64.random(in: .min ... .max)

  /// The value of a shape that `matches` recognises among those of this hash; nil where it is not known.
  func value(hash: UInt64, matches: (Bytes) -> Bool) -> Value? {
    guard let bucket = buckets[hash] else { return nil }
    for entry in bucket where matches(entry.shape) { return entry.value }
    return nil
  }

  /// Adds a value.
  mutating func insert(_ value: Value, hash: UInt64, shape: Bytes) {
    if count >= SharedFacts.tableLimit {
      buckets.removeAll()
      count = 0
    }
    count += 1
    buckets[hash, default: []].append((shape, value))
  }
}
