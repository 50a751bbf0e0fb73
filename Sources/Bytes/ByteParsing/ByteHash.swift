// The `unsafe` of this file: wide loads, whose bounds the loop conditions keep and the loads check again.

/// A hash of bytes that a file cannot aim at: it depends on a seed that differs from run to run.
///
/// For tables only; what is found by it is compared byte for byte.
public func seededHash(of bytes: Span<UInt8>, seed: UInt64) -> UInt64 {
  let count = bytes.count
  var hash = seed ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
  var offset = 0
  // Two halves side by side, each of which the multiplication folds by itself.
  if count >= 32 {
    var other = ~hash
    repeat {
      hash = folded(word(bytes, offset) ^ hash, word(bytes, offset &+ 8) ^ 0xD6E8_FEB8_6659_FD93)
      other = folded(word(bytes, offset &+ 16) ^ other, word(bytes, offset &+ 24) ^ 0x9FB2_1C65_1E98_DF25)
      offset &+= 32
    } while count &- offset >= 32
    hash = folded(hash, other ^ 0xC2B2_AE3D_27D4_EB4F)
  }
  if count &- offset >= 16 {
    hash = folded(word(bytes, offset) ^ hash, word(bytes, offset &+ 8) ^ 0xD6E8_FEB8_6659_FD93)
    offset &+= 16
  }
  var rest: (UInt64, UInt64) = (0, 0)
  if count &- offset >= 8 {
    rest.1 = word(bytes, offset)
    offset &+= 8
  }
  var shift: UInt64 = 0
  while offset < count {
    rest.0 |= UInt64(bytes[offset]) &<< shift
    shift &+= 8
    offset &+= 1
  }
  hash = folded(rest.0 ^ hash, rest.1 ^ 0xA076_1D64_78BD_642F)
  return folded(hash ^ seed, 0xE703_7ED1_A0B4_28DB)
}

@inline(__always)
private func word(_ bytes: Span<UInt8>, _ offset: Int) -> UInt64 {
  unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
}

@inline(__always)
private func folded(_ a: UInt64, _ b: UInt64) -> UInt64 {
  let product = a.multipliedFullWidth(by: b)
  return product.high ^ product.low
}

/// Whether borrowed bytes are the same.
public func isEqual(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
  let count = a.count
  guard count == b.count else { return false }
  var offset = 0
  while count &- offset >= 32 {
    let left = unsafe a.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
    let right = unsafe b.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
    let difference = left ^ right
    let halves = difference.lowHalf | difference.highHalf
    if halves.x | halves.y != 0 { return false }
    offset &+= 32
  }
  while count &- offset >= 8 {
    if word(a, offset) != word(b, offset) { return false }
    offset &+= 8
  }
  while offset < count {
    if a[offset] != b[offset] { return false }
    offset &+= 1
  }
  return true
}
