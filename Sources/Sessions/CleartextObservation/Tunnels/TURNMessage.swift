import ByteParsing

/// A datagram in which a TURN server relays another one (RFC 8656 §11 and §12).
///
///     ChannelData: channel 2: 0x4000 to 0x4FFF, length 2, data
///     Send and Data indications: type 2, length 2, magic cookie 4, transaction ID 12, attributes: type 2, length 2, value
package enum TURNMessage {
  private static let magicCookie: UInt32 = 0x2112_A442
  private static let indications: [UInt16] = [0x0016, 0x0017]
  private static let dataAttribute: UInt16 = 0x0013

  /// Whether a datagram relays the beginning of a ClientHello of DTLS.
  package static func relaysHello(_ datagram: Span<UInt8>) -> Bool {
    guard datagram[0] == 0 || datagram[0] & 0xF0 == 0x40 else { return false }
    return contentOffset(in: datagram).map { isHello(datagram, at: $0) } ?? false
  }

  /// The offset of the relayed datagram; nil if there is none.
  private static func contentOffset(in datagram: Span<UInt8>) -> Int? {
    guard datagram.count > 20 else { return nil }
    if datagram[0] & 0xF0 == 0x40 {
      // Over UDP, padding may follow.
      let rest = datagram.count - 4 - Int(datagram.raw.big16(2))
      return (0...3).contains(rest) ? 4 : nil
    }
    guard indications.contains(datagram.raw.big16(0)), datagram.raw.big32(4) == magicCookie else { return nil }
    var position = 20
    while position + 4 <= datagram.count {
      if datagram.raw.big16(position) == dataAttribute { return position + 4 }
      position += 4 + (Int(datagram.raw.big16(position + 2)) + 3) / 4 * 4
    }
    return nil
  }

  /// Whether a record of DTLS begins with a ClientHello: type 1, version 2, epoch 2, number 6, length 2, type of the message 1.
  private static func isHello(_ datagram: Span<UInt8>, at start: Int) -> Bool {
    guard datagram.count - start > 13 else { return false }
    return datagram[start] == 22 && datagram[start + 1] == 0xFE && datagram.raw.big16(start + 3) == 0 && datagram[start + 13] == 1
  }
}
