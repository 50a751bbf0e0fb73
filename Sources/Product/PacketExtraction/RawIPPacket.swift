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

  /// The packet and its original length; nil if it cannot be written as raw IP.
  func rendered() -> (bytes: Bytes, originalLength: Int)? {
    var transport = Bytes()
    let protocolNumber: UInt8
    var fragment: UInt16 = 0
    switch kind {
    case .tcp:
      protocolNumber = 6
      transport.append(big: headers.sourcePort)
      transport.append(big: headers.destinationPort)
      transport.append(big: headers.sequence)
      transport.append(big: headers.acknowledgment)
      transport.append(0x50)
      transport.append(headers.flags.rawValue)
      transport.append(big: UInt16.max)
      transport.append(big: UInt32(0))
    case .udp:
      protocolNumber = 17
      transport.append(big: headers.sourcePort)
      transport.append(big: headers.destinationPort)
      transport.append(big: UInt16(clamping: headers.payloadLengthOnWire + 8))
      transport.append(big: UInt16(0))
    case .unread(.fragment):
      // A fragmented tunnel contains further addresses.
      guard headers.fragment.offset % 8 == 0, [6, 17].contains(headers.fragment.protocolNumber) else {
        return nil
      }
      protocolNumber = headers.fragment.protocolNumber
      let place = UInt16(clamping: headers.fragment.offset / 8)
      fragment = place | (headers.fragment.isLast ? 0 : 0x2000)
      if source.isIPv6 {
        transport.append(protocolNumber)
        transport.append(0)
        transport.append(big: place << 3 | (headers.fragment.isLast ? 0 : 1))
        transport.append(big: headers.fragment.identification)
      }
    case .unread(.otherTransport):
      guard headers.isICMP(kind) else { return nil }
      protocolNumber = source.isIPv6 ? 58 : 1
    case .unread: return nil
    }
    let onWire = transport.count + max(headers.payloadLengthOnWire, payload.count)
    var bytes = Bytes()
    if source.isIPv6 {
      bytes.append(big: UInt32(0x6000_0000))
      bytes.append(big: UInt16(clamping: onWire))
      bytes.append(kind == .unread(.fragment) ? 44 : protocolNumber)
      bytes.append(64)
      bytes += source.bytes
      bytes += destination.bytes
    } else {
      bytes.append(0x45)
      bytes.append(0)
      bytes.append(big: UInt16(clamping: onWire + 20))
      bytes.append(big: UInt16(truncatingIfNeeded: headers.fragment.identification))
      bytes.append(big: kind == .unread(.fragment) ? fragment : 0x4000)
      bytes.append(64)
      bytes.append(protocolNumber)
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
}
