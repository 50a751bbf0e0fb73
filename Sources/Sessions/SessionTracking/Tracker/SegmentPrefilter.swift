/// A look at the first four payload bytes of a segment, the first in the lowest bits, before anything else reads them.
enum SegmentPrefilter {
  /// Whether a protocol may begin with these bytes: true wherever `StreamBeginning.canBegin` or `looksLikeRecord` accepts them, and
  /// otherwise for few random ones. It has no branches, since random bytes cannot be predicted.
  @inline(__always)
  static func mayBegin(_ beginning: UInt32) -> Bool {
    // Each difference is 0, and with one subtracted negative, where the first bytes are ...
    let record = (beginning & 0xFFFC) ^ 0x0314  // 20 to 23, 3
    let ssl2 = (beginning & 0xFA_0080) ^ 0x80  // 0x80 and more, any, 0, 1, 4 or 5
    let letters = (beginning & 0xE0E0) ^ 0x4040  // about the letters, twice
    let hyphen = (beginning & 0xFFE0) ^ 0x2D40  // such a letter and a hyphen
    let signs = (record &- 1) | (ssl2 &- 1) | (letters &- 1) | (hyphen &- 1)
    // ... and this bit is set: a line break, or a version of SOCKS
    let others = (1 << 0x0A | 1 << 0x0D | 1 << 4 | 1 << 5 as UInt64) >> UInt64(beginning & 0xFF)
    return UInt64(signs >> 31) | others & 1 != 0
  }

  /// Whether a segment begins like a record of TLS with application data.
  @inline(__always)
  static func isData(_ beginning: UInt32) -> Bool {
    beginning & 0xFFFF == 0x0317 && beginning >> 16 & 0xFF <= 4
  }
}
