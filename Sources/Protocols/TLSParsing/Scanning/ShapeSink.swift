import ByteParsing

/// Takes what makes up the shape of a hello: hashes it, or writes it down.
protocol ShapeSink: ~Escapable {
  /// Takes one number.
  mutating func append(_ word: UInt64)

  /// Takes bytes as they are.
  mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>)

  /// Takes code points of two bytes, every GREASE value as `0x0a0a`.
  mutating func appendCodePoints(_ bytes: Span<UInt8>, _ range: Range<Int>)
}

/// Hashes a shape with multiplications folded in half; the seed keeps inputs from steering it.
struct ShapeHasher: ShapeSink {
  private(set) var state: UInt64

  /// Secret as the seed, so that no input can make a factor zero on purpose.
  private let key: UInt64

  @inline(__always)
  init(seed: UInt64) {
    state = seed
    // The fraction of the golden ratio: bits without structure.
    key = Self.fold(seed ^ 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93) | 1
  }

  @inline(__always)
  mutating func append(_ word: UInt64) {
    state = Self.fold(state ^ word, key)
  }

  @inline(__always)
  private mutating func append(_ first: UInt64, _ second: UInt64) {
    state = Self.fold(state ^ first, key ^ second)
  }

  @inline(__always)
  mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var position = range.lowerBound
    var remaining = range.count
    while remaining >= 16 {
      append(loadWord(bytes, at: position), loadWord(bytes, at: position &+ 8))
      position &+= 16
      remaining &-= 16
    }
    if remaining >= 8 {
      append(loadWord(bytes, at: position))
      position &+= 8
      remaining &-= 8
    }
    if remaining > 0 { append(loadWord(bytes, at: position, count: remaining)) }
  }

  @inline(__always)
  mutating func appendCodePoints(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var position = range.lowerBound
    var remaining = range.count
    while remaining >= 16 {
      append(
        withGREASENormalised(loadWord(bytes, at: position)),
        withGREASENormalised(loadWord(bytes, at: position &+ 8)))
      position &+= 16
      remaining &-= 16
    }
    if remaining >= 8 {
      append(withGREASENormalised(loadWord(bytes, at: position)))
      position &+= 8
      remaining &-= 8
    }
    if remaining > 0 { append(withGREASENormalised(loadWord(bytes, at: position, count: remaining))) }
  }

  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}

/// Writes a shape down; the same shape gives the same bytes.
struct ShapeWriter: ShapeSink {
  var bytes: Bytes

  mutating func append(_ word: UInt64) {
    append(word, byteCount: 8)
  }

  mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    self.bytes.append(copying: bytes.extracting(range))
  }

  mutating func appendCodePoints(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var position = range.lowerBound
    while position < range.upperBound {
      let count = min(8, range.upperBound - position)
      append(withGREASENormalised(loadWord(bytes, at: position, count: count)), byteCount: count)
      position += count
    }
  }

  private mutating func append(_ word: UInt64, byteCount: Int) {
    for index in 0..<byteCount {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index)))
    }
  }
}

/// Compares a shape with one that was written down.
struct ShapeMatcher: ShapeSink, ~Escapable {
  private let shape: Span<UInt8>
  private var position = 0

  /// Bits in which the shapes differed so far.
  private var difference: UInt64 = 0

  @inline(__always)
  @_lifetime(copy shape)
  init(_ shape: Span<UInt8>) { self.shape = shape }

  /// Whether everything that was written down came, and nothing else.
  var isMatch: Bool { difference == 0 && position == shape.count }

  @inline(__always)
  mutating func append(_ word: UInt64) {
    match(word)
  }

  @inline(__always)
  mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var index = range.lowerBound
    var remaining = range.count
    while remaining >= 8 {
      match(loadWord(bytes, at: index))
      index &+= 8
      remaining &-= 8
    }
    if remaining > 0 { match(loadWord(bytes, at: index, count: remaining), byteCount: remaining) }
  }

  @inline(__always)
  mutating func appendCodePoints(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var index = range.lowerBound
    var remaining = range.count
    while remaining >= 8 {
      match(withGREASENormalised(loadWord(bytes, at: index)))
      index &+= 8
      remaining &-= 8
    }
    if remaining > 0 {
      match(withGREASENormalised(loadWord(bytes, at: index, count: remaining)), byteCount: remaining)
    }
  }

  @inline(__always)
  private mutating func match(_ word: UInt64) {
    guard shape.count &- position >= 8 else {
      difference = .max
      return
    }
    difference |= loadWord(shape, at: position) ^ word
    position &+= 8
  }

  @inline(__always)
  private mutating func match(_ word: UInt64, byteCount: Int) {
    guard shape.count &- position >= byteCount else {
      difference = .max
      return
    }
    difference |= loadWord(shape, at: position, count: byteCount) ^ word
    position &+= byteCount
  }
}

/// Replaces each of four code points that is a GREASE value by `0x0a0a`.
@inline(__always)
func withGREASENormalised(_ word: UInt64) -> UInt64 {
  // GREASE has `a` in both low nibbles; a lane that becomes zero here is a candidate. The borrow trick finds a
  // zero lane, if there is one; false alarms only cost time.
  let lanes = (word ^ 0x0A0A_0A0A_0A0A_0A0A) & 0x0F0F_0F0F_0F0F_0F0F
  let alarm = (lanes &- 0x0001_0001_0001_0001) & ~lanes & 0x8000_8000_8000_8000
  return alarm == 0 ? word : normaliseEachLane(word)
}

@inline(never)
private func normaliseEachLane(_ word: UInt64) -> UInt64 {
  var result = word
  for shift in stride(from: 0, to: 64, by: 16) {
    if isGREASE(UInt16(truncatingIfNeeded: word >> UInt64(shift))) {
      result &= ~(0xFFFF << UInt64(shift))
      result |= 0x0A0A << UInt64(shift)
    }
  }
  return result
}
