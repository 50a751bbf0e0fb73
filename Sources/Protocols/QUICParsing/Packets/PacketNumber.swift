/// Packet numbers, of which only the last bytes are sent (RFC 9000 §17.1).
package enum PacketNumber {
  /// The full number of which `byteCount` (1 to 4) bytes were sent, after `largest` in the same space (appendix A.3).
  package static func decode(_ truncated: UInt32, byteCount: Int, largest: UInt64?) -> UInt64 {
    let bits = UInt64(8 * min(max(byteCount, 1), 4))
    let window = UInt64(1) << bits
    let expected = largest.map { $0 &+ 1 } ?? 0
    let candidate = expected & ~(window - 1) | UInt64(truncated) & (window - 1)
    let half = window / 2
    if candidate &+ half <= expected, candidate < (UInt64(1) << 62) - window { return candidate + window }
    if candidate > expected &+ half, candidate >= window { return candidate - window }
    return candidate
  }
}
