import ByteParsing
import PacketParsing
import Values

/// Makes a packet of raw IP of what was read of another: link headers, tunnels and options are left behind.
struct RawIPPacket {
  var source: IPAddress
  var destination: IPAddress
  var headers: PacketHeaders
  var kind: PacketHeaders.Kind
  var payload: Bytes

  /// The packet, and the bytes it had on the network; nil for what cannot be written so.
  func rendered() -> (bytes: Bytes, originalLength: Int)? {
    var transport = Bytes()
    let protocolNumber: UInt8
    var fragment: UInt16 = 0
    switch kind {
    case .tcp:
      protocolNumber = 6
      transport.appendBig(headers.sourcePort)
      transport.appendBig(headers.destinationPort)
      transport.appendBig(headers.sequence)
      transport.appendBig(headers.acknowledgment)
      transport.append(0x50)
      transport.append(headers.flags.rawValue)
      transport.appendBig(UInt16.max)
      transport.appendBig(UInt32(0))
    case .udp:
      protocolNumber = 17
      transport.appendBig(headers.sourcePort)
      transport.appendBig(headers.destinationPort)
      transport.appendBig(UInt16(clamping: headers.payloadLengthOnWire + 8))
      transport.appendBig(UInt16(0))
    case .unread(.fragment):
      // What a tunnel in pieces holds has addresses of its own.
      guard headers.fragment.offset % 8 == 0, [6, 17].contains(headers.fragment.protocolNumber) else {
        return nil
      }
      protocolNumber = headers.fragment.protocolNumber
      let place = UInt16(clamping: headers.fragment.offset / 8)
      fragment = place | (headers.fragment.isLast ? 0 : 0x2000)
      if source.isIPv6 {
        transport.append(protocolNumber)
        transport.append(0)
        transport.appendBig(place << 3 | (headers.fragment.isLast ? 0 : 1))
        transport.appendBig(headers.fragment.identification)
      }
    case .unread(.otherTransport):
      guard headers.isICMP(kind) else { return nil }
      protocolNumber = source.isIPv6 ? 58 : 1
    case .unread: return nil
    }
    let onWire = transport.count + max(headers.payloadLengthOnWire, payload.count)
    var bytes = Bytes()
    if source.isIPv6 {
      bytes.appendBig(UInt32(0x6000_0000))
      bytes.appendBig(UInt16(clamping: onWire))
      bytes.append(kind == .unread(.fragment) ? 44 : protocolNumber)
      bytes.append(64)
      bytes += source.bytes
      bytes += destination.bytes
    } else {
      bytes.append(0x45)
      bytes.append(0)
      bytes.appendBig(UInt16(clamping: onWire + 20))
      bytes.appendBig(UInt16(truncatingIfNeeded: headers.fragment.identification))
      bytes.appendBig(kind == .unread(.fragment) ? fragment : 0x4000)
      bytes.append(64)
      bytes.append(protocolNumber)
      bytes.appendBig(UInt16(0))
      bytes += source.bytes
      bytes += destination.bytes
      let sum = RawIPPacket.checksum(bytes)
      bytes[10] = UInt8(truncatingIfNeeded: sum >> 8)
      bytes[11] = UInt8(truncatingIfNeeded: sum)
    }
    let head = bytes.count
    bytes += transport
    bytes += payload
    return (bytes, head + onWire)
  }

  /// The Internet checksum (RFC 1071) of an even number of bytes.
  private static func checksum(_ bytes: Bytes) -> UInt16 {
    var sum: UInt32 = 0
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      sum += UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1])
    }
    while sum > 0xFFFF { sum = sum & 0xFFFF + sum >> 16 }
    return ~UInt16(truncatingIfNeeded: sum)
  }
}

extension ContiguousArray where Element == UInt8 {
  fileprivate mutating func appendBig(_ value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
