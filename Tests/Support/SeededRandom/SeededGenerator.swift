/// A pseudorandom number generator with the same numbers in each run (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts the sequence of a seed.
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number from 0 to `limit` - 1.
  package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// A random byte.
  package mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

  /// Returns true with a probability of 1 in `n`.
  package mutating func once(in n: Int) -> Bool { below(n) == 0 }

  /// One of the values.
  package mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
