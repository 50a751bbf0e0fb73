import ByteParsing
import Values

extension PacketHeaders {
  /// The greatest datagram: its length is a number of 16 bits (RFC 791 §3.1, RFC 8200 §4.5).
  package static let maximumDatagramLength = 65_535

  /// Records a fragment for reassembly.
  @inline(never)
  mutating func noteFragment(
    identification: UInt32, place: Int, isLast: Bool, of protocolNumber: UInt8, _ bytes: RawSpan,
    at offset: Int,
    lengthOnWire: Int
  ) -> Kind {
    // All but the last end on a multiple of eight, and none beyond what a datagram can be.
    guard lengthOnWire > 0, isLast || lengthOnWire & 7 == 0,
      place + lengthOnWire <= PacketHeaders.maximumDatagramLength
    else { return .unread(.ipHeaderInvalid) }
    fragment.identification = identification
    fragment.offset = place
    fragment.isLast = isLast
    fragment.protocolNumber = protocolNumber
    placePayload(offset, bytes, lengthOnWire: lengthOnWire)
    return .unread(.fragment)
  }

  /// Continues reading in a datagram that was put together, right after its last fragment was read.
  ///
  /// `payload` is what followed the IP header, `protocolNumber` what it is, and `lengthOnWire` how long it was.
  /// Addresses and tunnels stay as they are; offsets are those in `payload` afterwards. The result may be a fragment once more,
  /// of a datagram inside, at most as often as tunnels are read.
  package mutating func decode(
    reassembled payload: Span<UInt8>, protocolNumber: UInt8, lengthOnWire: Int
  ) -> Kind {
    let bytes = payload.raw
    end = .max
    ipv4Offset = nil
    return source.isIPv6
      ? decodeExtensionHeaders(protocolNumber, bytes, at: 0, lengthOnWire: lengthOnWire)
      : decodeTransport(protocolNumber, bytes, at: 0, lengthOnWire: lengthOnWire)
  }
}
