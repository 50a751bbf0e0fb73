import ByteParsing

/// What a hello has in common with others of the same software, in bytes that are equal for equal shapes only.
///
/// A value is room that is written anew for each hello. All is written in words of eight bytes, zeros behind what is
/// shorter; how long that is stands in a word before it.
public struct HelloShape: Sendable {
  /// The length up to which shapes are written, in bytes: a few times what the longest real hellos have.
  public static let maximumByteCount = 4096

  private var room = Bytes(repeating: 0, count: maximumByteCount)
  private var byteCount = 0

  /// Whether all of the shape found room; one that did not may equal others that differ behind.
  public private(set) var isWhole = true

  /// Creates an empty shape.
  public init() {}

  /// The shape of the hello that was scanned last.
  public var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get { room.span.extracting(0..<byteCount) }
  }

  /// Writes a shape over the one before, as long as `write` says that the hello is well formed.
  @inline(__always)
  mutating func rewrite(_ write: (inout ShapeWriter) -> Bool) -> Bool {
    var writer = ShapeWriter(room.mutableSpan)
    let isWellFormed = write(&writer)
    (byteCount, isWhole) = (writer.byteCount, !writer.isFull)
    return isWellFormed
  }
}

/// Writes a shape down.
struct ShapeWriter: ~Copyable, ~Escapable {
  private var room: MutableSpan<UInt8>

  /// What was written, in bytes; always whole words.
  private(set) var byteCount = 0

  /// Whether something found no room.
  private(set) var isFull = false

  @inline(__always)
  @_lifetime(copy room)
  init(_ room: consuming MutableSpan<UInt8>) { self.room = room }

  /// Takes one number.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func append(_ word: UInt64) {
    guard HelloShape.maximumByteCount &- byteCount >= 8 else {
      isFull = true
      return
    }
    storeWord(word, in: &room, at: byteCount)
    byteCount &+= 8
  }

  /// The type of an extension and what is said of it first.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func appendHead(_ type: UInt16, _ detail: Int) {
    append(UInt64(type) << 48 | UInt64(truncatingIfNeeded: detail) & 0xFFFF_FFFF)
  }

  /// Takes bytes as they are.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var position = range.lowerBound
    while range.upperBound &- position >= 8 {
      append(loadWord(bytes, at: position))
      position &+= 8
    }
    if position < range.upperBound {
      append(loadWord(bytes, at: position, count: range.upperBound &- position))
    }
  }

  /// Takes code points of two bytes, every GREASE value as `0x0a0a`.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func appendCodePoints(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var position = range.lowerBound
    while range.upperBound &- position >= 8 {
      append(withGREASENormalised(loadWord(bytes, at: position)))
      position &+= 8
    }
    if position < range.upperBound {
      append(withGREASENormalised(loadWord(bytes, at: position, count: range.upperBound &- position)))
    }
  }
}

/// Whether one of four code points may be a GREASE value: false alarms only cost time.
@inline(__always)
private func mayHoldGREASE(_ word: UInt64) -> Bool {
  // GREASE has `a` in both low nibbles; a lane that becomes zero here is a candidate. The borrow trick finds a
  // zero lane, if there is one.
  let lanes = (word ^ 0x0A0A_0A0A_0A0A_0A0A) & 0x0F0F_0F0F_0F0F_0F0F
  return (lanes &- 0x0001_0001_0001_0001) & ~lanes & 0x8000_8000_8000_8000 != 0
}

/// Replaces each of four code points that is a GREASE value by `0x0a0a`.
@inline(__always)
func withGREASENormalised(_ word: UInt64) -> UInt64 {
  mayHoldGREASE(word) ? normaliseEachLane(word) : word
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
