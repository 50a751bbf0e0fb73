import ByteParsing

/// The message with which an OpenVPN client begins over UDP (P_CONTROL_HARD_RESET_CLIENT_V2 and V3; ssl_pkt.h of OpenVPN 2.6).
///
///     opcode 5 bits, key 3 bits | session ID 8 | acknowledged packets 1: none | packet ID 4: 0
///
/// With `tls-auth`, a digest, a packet number and a time follow the session ID. With `tls-crypt`, packet number, time and digest follow it,
/// and the rest is encrypted.
package enum OpenVPNReset {
  /// Opcodes 7 and 10, with key 0.
  package static let versionTwo: UInt8 = 7 << 3
  package static let versionThree: UInt8 = 10 << 3

  /// Whether a datagram sent at about this time is exactly such a message.
  package static func isOne(_ datagram: Span<UInt8>, at seconds: Int64?) -> Bool {
    guard datagram.count >= unauthenticatedByteCount, hasRandomSessionID(datagram) else { return false }
    if datagram[0] == versionTwo {
      if datagram.count == unauthenticatedByteCount { return beginsPacketZero(datagram, at: 9) }
      for digest in [20, 32, 48, 64] where datagram.count == unauthenticatedByteCount + 8 + digest {
        if isStamped(datagram, at: 9 + digest, seconds), beginsPacketZero(datagram, at: 17 + digest) { return true }
      }
      return datagram.count == encryptedByteCount && isStamped(datagram, at: 9, seconds)
    }
    // A client key that only the server can decrypt is at the end, before its length.
    guard datagram[0] == versionThree, datagram.count > encryptedByteCount else { return false }
    let length = Int(datagram.raw.big16(datagram.count - 2))
    return datagram.count == encryptedByteCount + length && isStamped(datagram, at: 9, seconds)
  }

  private static let unauthenticatedByteCount = 14
  private static let encryptedByteCount = 54

  /// Whether the session ID may be random, judging by eight bytes. Other protocols have repetitive bytes there.
  private static func hasRandomSessionID(_ datagram: Span<UInt8>) -> Bool {
    var seen = Set<UInt8>()
    for index in 1..<9 { seen.insert(datagram[index]) }
    return seen.count >= 6
  }

  private static func beginsPacketZero(_ datagram: Span<UInt8>, at start: Int) -> Bool {
    (start..<start + 5).allSatisfy { datagram[$0] == 0 }
  }

  /// Whether a first packet number and a plausible time are at an offset. The first byte of the number also shows whether the client
  /// supports a stateless handshake without a cookie.
  private static func isStamped(_ datagram: Span<UInt8>, at start: Int, _ seconds: Int64?) -> Bool {
    guard let seconds, datagram[start] == 0 || datagram[start] == 0x0F,
      datagram.raw.big32(start) & 0xFF_FFFF == 1
    else { return false }
    let stamp = Int64(datagram.raw.big32(start + 4))
    return stamp > seconds &- clockTolerance && stamp < seconds &+ clockTolerance
  }

  /// The maximum difference between the clocks of client and capture: a month.
  private static let clockTolerance: Int64 = 30 * 86_400
}
