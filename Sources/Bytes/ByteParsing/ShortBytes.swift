/// Up to 32 bytes stored inline: a random, a session ID. Many are created, and none requires heap memory.
package struct ShortBytes: Hashable, Sendable, RandomAccessCollection {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// The number of bytes, 0 to 32.
  package private(set) var count = 0

  /// The maximum number of bytes.
  package static let capacity = 32

  package init() {}

  /// Copies at most the first 32 bytes.
  package init(_ bytes: Span<UInt8>) {
    count = Swift.min(bytes.count, ShortBytes.capacity)
    guard count < ShortBytes.capacity else {
      // The usual length of randoms and session IDs.
      words = (bytes.raw.little64(0), bytes.raw.little64(8), bytes.raw.little64(16), bytes.raw.little64(24))
      return
    }
    for index in 0..<count { set(index, bytes[index]) }
  }

  /// Copies at most the first 32 bytes.
  package init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes.prefix(ShortBytes.capacity) {
      set(count, byte)
      count += 1
    }
  }

  /// Sets a byte that is 0.
  private mutating func set(_ index: Int, _ byte: UInt8) {
    let value = UInt64(byte) << UInt64((index & 7) * 8)
    switch index >> 3 {
    case 0: words.0 |= value
    case 1: words.1 |= value
    case 2: words.2 |= value
    default: words.3 |= value
    }
  }

  package var startIndex: Int { 0 }

  package var endIndex: Int { count }

  package subscript(position: Int) -> UInt8 {
    let word =
      switch position >> 3 {
      case 0: words.0
      case 1: words.1
      case 2: words.2
      default: words.3
      }
    return UInt8(truncatingIfNeeded: word >> UInt64((position & 7) * 8))
  }

  /// Bytes 8 × `index` to 8 × `index` + 7 as a big-endian number, padded with zeros.
  package func word(_ index: Int) -> UInt64 {
    switch index {
    case 0: words.0.byteSwapped
    case 1: words.1.byteSwapped
    case 2: words.2.byteSwapped
    case 3: words.3.byteSwapped
    default: 0
    }
  }

  /// A hash that depends on a seed; see `seededHash(of:seed:)`.
  package func seededHash(_ seed: UInt64) -> UInt64 {
    let key = seededKey(seed)
    let first = folded(words.0 ^ seed, words.1 ^ key)
    let second = folded(words.2 ^ ~seed, words.3 ^ (key &<< 29 | key &>> 35))
    return folded(first ^ second ^ seed, UInt64(truncatingIfNeeded: count) ^ key)
  }

  package var bytes: Bytes { Bytes(self) }

  package static func == (a: ShortBytes, b: ShortBytes) -> Bool { a.words == b.words && a.count == b.count }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}
