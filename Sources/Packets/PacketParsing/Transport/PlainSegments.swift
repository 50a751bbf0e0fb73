import Values

extension PacketHeaders {
  /// Reads the packet that nearly all of a capture consists of, in one straight line: Ethernet without tags, IPv4
  /// without options or IPv6 without extension headers, TCP, whole headers. Returns false, with nothing of worth
  /// set, for any other; whoever reads those says what is wrong with them.
  @inline(__always)
  mutating func decodePlainSegment(_ bytes: RawSpan) -> Bool {
    guard bytes.byteCount >= 54 else { return false }
    let type = bytes.big16(12)
    var transport = 34
    var lengthOnWire: Int
    if type == EtherType.ipv4 {
      // Version, header length, type of service, total length, identification, flags and fragment offset.
      let start = bytes.big64(14)
      guard start >> 56 == 0x45, start & 0x3FFF == 0, bytes.byte(23) == IPProtocol.tcp else { return false }
      lengthOnWire = Int(truncatingIfNeeded: start >> 32 & 0xFFFF) - 20
      source = IPAddress(v4: bytes.big32(26))
      destination = IPAddress(v4: bytes.big32(30))
    } else {
      guard type == EtherType.ipv6, bytes.byteCount >= 74 else { return false }
      // Version, traffic class, flow label, payload length, next header, hop limit.
      let start = bytes.big64(14)
      guard start >> 60 == 6, start >> 8 & 0xFF == UInt64(IPProtocol.tcp) else { return false }
      lengthOnWire = Int(truncatingIfNeeded: start >> 16 & 0xFFFF)
      transport = 54
      source = IPAddress(v6: bytes.big64(22), bytes.big64(30))
      destination = IPAddress(v6: bytes.big64(38), bytes.big64(46))
    }
    // Data offset, reserved bits, flags.
    let offsetAndFlags = bytes.big16(transport + 12)
    let headerLength = Int(truncatingIfNeeded: offsetAndFlags >> 12) * 4
    lengthOnWire -= headerLength
    let payload = transport + headerLength
    guard headerLength >= 20, lengthOnWire >= 0, payload <= bytes.byteCount else { return false }
    let ports = bytes.big32(transport)
    sourcePort = UInt16(truncatingIfNeeded: ports >> 16)
    destinationPort = UInt16(truncatingIfNeeded: ports)
    sequence = bytes.big32(transport + 4)
    acknowledgment = bytes.big32(transport + 8)
    flags = TCPFlags(rawValue: UInt8(truncatingIfNeeded: offsetAndFlags))
    payloadOffset = payload
    payloadLength = min(bytes.byteCount - payload, lengthOnWire)
    payloadLengthOnWire = lengthOnWire
    return true
  }
}
