/// The header that SOCKS 5 puts before each datagram that it relays (RFC 1928 §7).
///
///     reserved 2: 0 | fragment 1: 0 | address type 1 | address | port 2
package enum SOCKSDatagram {
  /// The offset of the relayed datagram; nil if a datagram does not begin with such a header.
  package static func contentOffset(in datagram: Span<UInt8>) -> Int? {
    guard datagram.count > 4, datagram[0] == 0, datagram[1] == 0, datagram[2] == 0 else { return nil }
    let addressLength: Int
    switch datagram[3] {
    case 1: addressLength = 4
    case 3: addressLength = 1 + Int(datagram[4])
    case 4: addressLength = 16
    default: return nil
    }
    let offset = 4 + addressLength + 2
    return offset < datagram.count ? offset : nil
  }
}
