import ByteParsing
import Values

extension PacketHeaders {
  /// The maximum length of a datagram, which is a 16-bit number (RFC 791 §3.1, RFC 8200 §4.5).
  package static let maximumDatagramLength = 65_535

  /// Records a fragment for reassembly.
  @inline(never)
  mutating func noteFragment(
    identification: UInt32, fragmentOffset: Int, isLast: Bool, of protocolNumber: UInt8, _ bytes: RawSpan, at offset: Int, lengthOnWire: Int
  ) -> Kind {
    // All fragments but the last end on a multiple of eight, and none exceeds the maximum datagram length.
    guard lengthOnWire > 0, isLast || lengthOnWire & 7 == 0,
      fragmentOffset + lengthOnWire <= PacketHeaders.maximumDatagramLength
    else { return .unread(.ipHeaderInvalid) }
    fragment.identification = identification
    fragment.offset = fragmentOffset
    fragment.isLast = isLast
    fragment.protocolNumber = protocolNumber
    setPayload(offset, bytes, lengthOnWire: lengthOnWire)
    return .unread(.fragment)
  }

  /// Decodes a reassembled datagram, directly after its last fragment was decoded.
  ///
  /// `payload` is the part after the IP header, `protocolNumber` its protocol, and `lengthOnWire` its original length. Addresses and
  /// tunnels are kept; afterwards, offsets refer to `payload`. The result may again be a fragment, of an inner datagram, at most as often
  /// as tunnels are read.
  package mutating func decode(reassembled payload: Span<UInt8>, protocolNumber: UInt8, lengthOnWire: Int) -> Kind {
    let bytes = payload.raw
    end = .max
    ipv4Offset = nil
    return decodePayload(of: protocolNumber, bytes, at: 0, lengthOnWire: lengthOnWire)
  }

  /// Decodes what follows an IP header, or an authentication header after it.
  @inline(never)
  mutating func decodePayload(of protocolNumber: UInt8, _ bytes: RawSpan, at offset: Int, lengthOnWire: Int) -> Kind {
    source.isIPv6
      ? decodeExtensionHeaders(protocolNumber, bytes, at: offset, lengthOnWire: lengthOnWire)
      : decodeTransport(protocolNumber, bytes, at: offset, lengthOnWire: lengthOnWire)
  }
}
