import ByteParsing

extension PacketHeaders {
  /// Decodes the TCP or UDP header at `offset`; `lengthOnWire` is the original length from there to the packet's end.
  @inline(__always)
  mutating func decodeTransport(_ number: UInt8, _ bytes: RawSpan, at offset: Int, lengthOnWire: Int) -> Kind {
    switch number {
    case IPProtocol.tcp: decodeTCP(bytes, at: offset, lengthOnWire: lengthOnWire)
    case IPProtocol.udp: decodeUDP(bytes, at: offset, lengthOnWire: lengthOnWire)
    default: decodeCarried(number, bytes, at: offset, lengthOnWire: lengthOnWire)
    }
  }

  /// Decodes TCP (RFC 9293 §3.1).
  @inline(__always)
  private mutating func decodeTCP(_ bytes: RawSpan, at offset: Int, lengthOnWire: Int) -> Kind {
    guard lengthOnWire >= 20 else { return .unread(.transportHeaderInvalid) }
    guard bytes.byteCount - offset >= 20 else { return .unread(.transportHeaderTruncated) }
    let headerLength = Int(bytes.byte(offset + 12) >> 4) * 4
    guard headerLength >= 20, headerLength <= lengthOnWire else { return .unread(.transportHeaderInvalid) }
    sourcePort = bytes.big16(offset)
    destinationPort = bytes.big16(offset + 2)
    sequence = bytes.big32(offset + 4)
    acknowledgment = bytes.big32(offset + 8)
    flags = TCPFlags(rawValue: bytes.byte(offset + 13))
    transportOffset = offset
    setPayload(offset + headerLength, bytes, lengthOnWire: lengthOnWire - headerLength)
    return .tcp
  }

  /// Decodes UDP (RFC 768), and the tunnels over it.
  private mutating func decodeUDP(_ bytes: RawSpan, at offset: Int, lengthOnWire: Int) -> Kind {
    guard lengthOnWire >= 8 else { return .unread(.transportHeaderInvalid) }
    guard bytes.byteCount - offset >= 8 else { return .unread(.transportHeaderTruncated) }
    sourcePort = bytes.big16(offset)
    destinationPort = bytes.big16(offset + 2)
    let length = Int(bytes.big16(offset + 4))
    // 0 means that the length does not fit the field (RFC 2675 §4).
    guard length == 0 || length >= 8 else { return .unread(.transportHeaderInvalid) }
    setPayload(offset + 8, bytes, lengthOnWire: (length == 0 ? lengthOnWire : min(length, lengthOnWire)) - 8)
    if mayCarryTunnel(bytes), let kind = decodeUDPTunnel(bytes) { return kind }
    return .udp
  }

  /// Sets the range of the payload, without link-layer padding and within the captured bytes.
  @inline(__always)
  mutating func setPayload(_ offset: Int, _ bytes: RawSpan, lengthOnWire: Int) {
    payloadOffset = min(offset, bytes.byteCount)
    payloadLength = min(bytes.byteCount - payloadOffset, lengthOnWire)
    payloadLengthOnWire = lengthOnWire
  }
}
