/// A hash of bytes that a file cannot aim at: it depends on a seed that differs from run to run.
///
/// For tables only; what is found by it is compared byte for byte.
public func seededHash(of bytes: Span<UInt8>, seed: UInt64) -> UInt64 {
  // The `unsafe` of this file: wide loads, whose bounds the loop condition keeps and the loads check again.
  let raw = unsafe bytes.bytes
  let count = raw.byteCount
  var hash = seed ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
  var offset = 0
  while offset + 16 <= count {
    let a = unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let b = unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
    hash = folded(a ^ hash, b ^ 0xD6E8_FEB8_6659_FD93)
    offset += 16
  }
  var rest: (UInt64, UInt64) = (0, 0)
  if offset + 8 <= count {
    rest.1 = unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    offset += 8
  }
  var shift: UInt64 = 0
  while offset < count {
    rest.0 |= UInt64(bytes[offset]) << shift
    shift += 8
    offset += 1
  }
  hash = folded(rest.0 ^ hash, rest.1 ^ 0xA076_1D64_78BD_642F)
  return folded(hash ^ seed, 0xE703_7ED1_A0B4_28DB)
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
  let left = unsafe a.bytes
  let right = unsafe b.bytes
  var offset = 0
  while offset + 8 <= count {
    guard
      unsafe left.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        == right.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    else { return false }
    offset += 8
  }
  while offset < count {
    guard a[offset] == b[offset] else { return false }
    offset += 1
  }
  return true
}
