import ByteParsing

/// The message with which a WireGuard peer begins a handshake, also every two minutes of a tunnel in use (§5.4.2 of the protocol's paper).
///
///     type 1: 1 | reserved 3: 0 | sender 4 | ephemeral key 32 | encrypted: static key 48, time 28 | mac1 16 | mac2 16
package enum WireGuardInitiation {
  /// The type, which is the first byte.
  package static let type: UInt8 = 1

  private static let byteCount = 148

  /// Whether a datagram is exactly such a message.
  package static func isOne(_ datagram: Span<UInt8>, lengthOnWire: Int) -> Bool {
    guard lengthOnWire == byteCount, datagram.count >= 40, datagram.raw.big32(0) == 0x0100_0000 else { return false }
    // The key is random; other protocols have repetitive bytes there.
    var seen = Set<UInt8>()
    for index in 8..<40 { seen.insert(datagram[index]) }
    return seen.count >= 20
  }
}
