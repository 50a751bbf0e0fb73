import ByteParsing

/// Takes what makes up the shape of a hello: hashes it, or writes it down.
protocol ShapeSink {
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

  @inline(__always)
  init(seed: UInt64) {
    state = seed
  }

  @inline(__always)
  mutating func append(_ word: UInt64) {
    // An odd number without structure: the fraction of the golden ratio.
    let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    state = product.high ^ product.low
  }

  @inline(__always)
  mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var position = range.lowerBound
    while range.upperBound - position >= 8 {
      append(loadWord(bytes, at: position))
      position += 8
    }
    if position < range.upperBound { append(loadWord(bytes, position..<range.upperBound)) }
  }

  @inline(__always)
  mutating func appendCodePoints(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var position = range.lowerBound
    while range.upperBound - position >= 8 {
      append(withGREASENormalised(loadWord(bytes, at: position)))
      position += 8
    }
    if position < range.upperBound {
      append(withGREASENormalised(loadWord(bytes, position..<range.upperBound)))
    }
  }
}

/// Writes a shape down; the same shape gives the same bytes.
struct ShapeWriter: ShapeSink {
  var bytes: Bytes

  mutating func append(_ word: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
  }

  mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    self.bytes.append(copying: bytes.extracting(range))
  }

  mutating func appendCodePoints(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    let start = self.bytes.count
    append(bytes, range)
    var position = start
    while self.bytes.count - position >= 2 {
      let codePoint = UInt16(self.bytes[position]) << 8 | UInt16(self.bytes[position + 1])
      if isGREASE(codePoint) {
        self.bytes[position] = 0x0A
        self.bytes[position + 1] = 0x0A
      }
      position += 2
    }
  }
}

/// Eight bytes from `position` on, the first the least significant.
@inline(__always)
func loadWord(_ bytes: Span<UInt8>, at position: Int) -> UInt64 {
  // Checked by hand so that the compiler sees one check for all eight.
  let window = bytes.extracting(position..<(position + 8))
  var word: UInt64 = 0
  for index in 0..<8 {
    word |= UInt64(window[index]) << UInt64(8 * index)
  }
  return word
}

/// Fewer than eight bytes, the first the least significant, zeros behind.
@inline(__always)
func loadWord(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
  if bytes.count - range.lowerBound >= 8 {
    let unwanted = UInt64(8 * (8 - range.count))
    return (loadWord(bytes, at: range.lowerBound) &<< unwanted) &>> unwanted
  }
  var word: UInt64 = 0
  for index in range.reversed() {
    word = word << 8 | UInt64(bytes[index])
  }
  return word
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
