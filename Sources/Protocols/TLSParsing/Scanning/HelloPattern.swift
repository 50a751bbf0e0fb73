public import ByteParsing

/// A hello that was scanned, to know others by that differ from it only in what is made anew for each connection: they have
/// its shape, and what a scan finds lies where it lies in this one.
public struct HelloPattern: Sendable {
  /// The length up to which hellos have patterns, in bytes: more than those with keys of post-quantum groups have.
  public static let maximumByteCount = 2048

  /// Places with bytes of their own that a hello may have.
  static let maximumNoteCount = 64

  /// The hello, behind it a bit for each one of its bits that another hello has to have, too, and behind those, in two bytes
  /// each, where GREASE values stand (RFC 8701): any others may stand there. One array, since patterns are looked through for
  /// every hello.
  @usableFromInline
  let storage: Bytes

  /// Bytes of the hello.
  @usableFromInline
  let count: Int

  /// Takes a hello and what was noted of it when it was scanned; nil where it is too long.
  init?(_ body: Span<UInt8>, notes: some Collection<UInt64>) {
    guard body.count <= HelloPattern.maximumByteCount else { return nil }
    count = body.count
    var storage = Bytes(copying: body)
    storage.append(contentsOf: repeatElement(0xFF, count: count))
    for note in notes {
      let start = Int(truncatingIfNeeded: note & 0xFFFF_FFFF)
      let length = Int(truncatingIfNeeded: note >> 32)
      let isGREASEPlace = length == 0
      if isGREASEPlace {
        storage.append(UInt8(truncatingIfNeeded: start >> 8))
        storage.append(UInt8(truncatingIfNeeded: start))
      }
      for index in start..<(start + (isGREASEPlace ? 2 : length)) where index < count {
        storage[count + index] = 0
      }
    }
    self.storage = storage
  }

  /// Whether a hello is one of these.
  @inlinable
  public func matches(_ body: Span<UInt8>) -> Bool {
    body.count == count && HelloPattern.fits(body, storage.span)
  }

  @usableFromInline
  static func fits(_ body: Span<UInt8>, _ storage: Span<UInt8>) -> Bool {
    let count = body.count
    let mask = storage.extracting(count..<(2 * count))
    guard isEqual(body, storage.extracting(0..<count), in: mask) else { return false }
    // With the random of a HelloRetryRequest a ServerHello is one, and of another shape.
    if count >= 34, mask[2] == 0, ServerHello.isHelloRetryRequest(random: body.extracting(2..<34)) {
      return false
    }
    var place = 2 * count
    while place < storage.count {
      if !isGREASE(loadUInt16(body, at: Int(loadUInt16(storage, at: place)))) { return false }
      place += 2
    }
    return true
  }
}

// MARK: - Notes

// A note has the position in its lower half and the length above it; no length stands for a code point that is a GREASE value.
extension HelloPattern {
  @inline(__always)
  static func note(fresh range: Range<Int>) -> UInt64 {
    UInt64(truncatingIfNeeded: range.count) << 32 | UInt64(truncatingIfNeeded: range.lowerBound)
  }

  @inline(__always)
  static func note(greaseAt position: Int) -> UInt64 { UInt64(truncatingIfNeeded: position) }
}
