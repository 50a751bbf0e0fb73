import ByteParsing
import PacketParsing
import Values

/// Writes a decoded packet as raw IP, without link headers, tunnels and options.
struct RawIPPacket {
  var source: IPAddress
  var destination: IPAddress
  var headers: PacketHeaders
  var kind: PacketHeaders.Kind
  var payload: Bytes

  /// What precedes the payload: the transport header, or that of an IPv6 fragment.
  private struct Start {
    var bytes = Bytes()
    var protocolNumber: UInt8
    /// Flags and offset of an IPv4 fragment.
    var fragment: UInt16 = 0
  }

  /// The packet and its original length; nil if it cannot be written as raw IP.
  func rendered() -> (bytes: Bytes, originalLength: Int)? {
    guard let start else { return nil }
    let transport = start.bytes
    let onWire = transport.count + max(headers.payloadLengthOnWire, payload.count)
    var bytes = Bytes()
    if source.isIPv6 {
      bytes.append(big: UInt32(0x6000_0000))
      bytes.append(big: UInt16(clamping: onWire))
      bytes.append(kind == .unread(.fragment) ? 44 : start.protocolNumber)
      bytes.append(64)
      bytes += source.bytes
      bytes += destination.bytes
    } else {
      bytes.append(0x45)
      bytes.append(0)
      bytes.append(big: UInt16(clamping: onWire + 20))
      bytes.append(big: UInt16(truncatingIfNeeded: headers.fragment.identification))
      bytes.append(big: kind == .unread(.fragment) ? start.fragment : 0x4000)
      bytes.append(64)
      bytes.append(start.protocolNumber)
      bytes.append(big: UInt16(0))
      bytes += source.bytes
      bytes += destination.bytes
      let sum = ~SegmentChecksum.folded(SegmentChecksum.sum(of: bytes.span))
      bytes[10] = UInt8(truncatingIfNeeded: sum >> 8)
      bytes[11] = UInt8(truncatingIfNeeded: sum)
    }
    let head = bytes.count
    bytes += transport
    bytes += payload
    return (bytes, head + onWire)
  }

  private var start: Start? {
    switch kind {
    case .tcp: return Start(bytes: tcpHeader, protocolNumber: 6)
    case .udp:
      var start = Start(protocolNumber: 17)
      start.bytes.append(big: headers.sourcePort)
      start.bytes.append(big: headers.destinationPort)
      start.bytes.append(big: UInt16(clamping: headers.payloadLengthOnWire + 8))
      start.bytes.append(big: UInt16(0))
      return start
    case .unread(.fragment):
      // A fragmented tunnel contains further addresses.
      guard headers.fragment.offset % 8 == 0, [6, 17].contains(headers.fragment.protocolNumber) else { return nil }
      let fragmentOffset = UInt16(clamping: headers.fragment.offset / 8)
      var start = Start(protocolNumber: headers.fragment.protocolNumber, fragment: fragmentOffset | (headers.fragment.isLast ? 0 : 0x2000))
      if source.isIPv6 {
        start.bytes.append(start.protocolNumber)
        start.bytes.append(0)
        start.bytes.append(big: fragmentOffset << 3 | (headers.fragment.isLast ? 0 : 1))
        start.bytes.append(big: headers.fragment.identification)
      }
      return start
    case .unread(.otherTransport):
      return headers.isICMP(kind) ? Start(protocolNumber: source.isIPv6 ? 58 : 1) : nil
    case .unread: return nil
    }
  }

  private var tcpHeader: Bytes {
    var header = Bytes()
    header.append(big: headers.sourcePort)
    header.append(big: headers.destinationPort)
    header.append(big: headers.sequence)
    header.append(big: headers.acknowledgment)
    header.append(0x50)
    header.append(headers.flags.rawValue)
    header.append(big: UInt16.max)
    header.append(big: UInt32(0))
    return header
  }
}
