/// Whether a code point is one that RFC 8701 sets aside to be ignored (`0x0a0a`, `0x1a1a` … `0xfafa`).
@inlinable
public func isGREASE(_ codePoint: UInt16) -> Bool {
  codePoint & 0x0F0F == 0x0A0A && codePoint >> 8 == codePoint & 0xFF
}
