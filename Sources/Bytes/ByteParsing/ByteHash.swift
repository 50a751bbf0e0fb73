/// A hash of bytes that no input can predict: it depends on a seed that differs in each run.
///
/// Both factors of every product contain part of the seed, since an input that could make one zero would cancel everything hashed before.
/// For tables, and for digests that identify bytes within one run.
package func seededHash(of bytes: Span<UInt8>, seed: UInt64) -> UInt64 {
  let count = bytes.count
  var hash = seed ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
  let key = seededKey(seed)
  var offset = 0
  while count &- offset >= 16 {
    hash = folded(word(bytes, offset) ^ hash, word(bytes, offset &+ 8) ^ key)
    offset &+= 16
  }
  var rest: (UInt64, UInt64) = (0, 0)
  if count &- offset >= 8 {
    rest.1 = word(bytes, offset)
    offset &+= 8
  }
  if count >= 8 {
    // The last eight bytes, which may overlap the ones before; the length is hashed, too.
    rest.0 = word(bytes, count &- 8)
  } else {
    var shift: UInt64 = 0
    while offset < count {
      rest.0 |= UInt64(bytes[offset]) &<< shift
      shift &+= 8
      offset &+= 1
    }
  }
  hash = folded(rest.0 ^ hash, rest.1 ^ key)
  return folded(hash ^ seed, 0xE703_7ED1_A0B4_28DB)
}

@inline(__always)
private func word(_ bytes: Span<UInt8>, _ offset: Int) -> UInt64 { bytes.raw.load(UInt64.self, at: offset) }

/// The second factors, which depend on the seed.
@inline(__always)
func seededKey(_ seed: UInt64) -> UInt64 { (seed &* 0xD6E8_FEB8_6659_FD93) ^ 0xA076_1D64_78BD_642F }

/// The two halves of a 128-bit product, combined: the mixing step of all hashes.
@inlinable
@inline(__always)
package func folded(_ a: UInt64, _ b: UInt64) -> UInt64 {
  let product = a.multipliedFullWidth(by: b)
  return product.high ^ product.low
}

/// Whether both have the same bytes.
package func isEqual(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
  guard a.count == b.count else { return false }
  let words = a.count & ~7
  for offset in stride(from: 0, to: words, by: 8) where word(a, offset) != word(b, offset) { return false }
  for offset in words..<a.count where a[offset] != b[offset] { return false }
  return true
}
