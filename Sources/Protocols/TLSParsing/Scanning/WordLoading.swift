// Loads and stores of several bytes at once for the scanners, which look at every hello. Each checks its bounds; what
// `unsafe` stands for is that types other than integers have bit patterns that are no values.

/// The number of two bytes at `position`, the first the most significant.
@inline(__always)
func loadUInt16(_ bytes: Span<UInt8>, at position: Int) -> UInt16 {
  unsafe UInt16(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt16.self))
}

/// Eight bytes from `position` on, the first the least significant.
@inline(__always)
func loadWord(_ bytes: Span<UInt8>, at position: Int) -> UInt64 {
  unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
}

/// One to eight bytes from `position` on, the first the least significant, zeros behind.
@inline(__always)
func loadWord(_ bytes: Span<UInt8>, at position: Int, count: Int) -> UInt64 {
  precondition((1...8).contains(count))
  if bytes.count &- position >= 8 {
    // The bytes behind belong to something else: out with them.
    let unwanted = UInt64(truncatingIfNeeded: (8 &- count) &* 8)
    return (loadWord(bytes, at: position) &<< unwanted) &>> unwanted
  }
  var word: UInt64 = 0
  for index in stride(from: position + count - 1, through: position, by: -1) {
    word = word << 8 | UInt64(bytes[index])
  }
  return word
}

/// Puts eight bytes at `position`, the least significant first.
@inline(__always)
@_lifetime(room: copy room)
func storeWord(_ word: UInt64, in room: inout MutableSpan<UInt8>, at position: Int) {
  var bytes = unsafe room.mutableBytes
  bytes.storeBytes(of: word.littleEndian, toByteOffset: position, as: UInt64.self)
}
