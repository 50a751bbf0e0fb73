import ByteParsing
import PacketParsing

extension FuzzTarget {
  /// Any packet decodes in bounded time to a payload within the packet. Two bytes before it contain the link type.
  static let packetHeaders = FuzzTarget("PacketHeaders") { bytes in
    guard bytes.count >= 2 else { return }
    var headers = PacketHeaders()
    let packet = bytes.extracting(droppingFirst: 2)
    // Half of the values map to supported link types, so that the fuzzer need not find them.
    let known: [UInt16] = [
      0, 1, 8, 9, 12, 17, 50, 51, 100, 101, 104, 105, 107, 108, 109, 113, 117, 119, 123, 127, 138, 149, 163,
      6, 10, 122, 197, 166, 192, 204, 205, 206, 228, 239, 258, 276,
    ]
    let number = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    let linkType = bytes[0] < 0x80 ? known[Int(bytes[1]) % known.count] : number
    var kind = headers.decode(packet, linkType: linkType)
    check(headers, kind, packet.count)
    // An 802.11 A-MSDU gives its subframes one by one, and a bounded number of them.
    if kind == .unread(.aggregate) {
      var count = 0
      while let inner = headers.decodeSubframe(packet) {
        check(headers, inner, packet.count)
        count += 1
        precondition(count <= packet.count / 14)
      }
    }
    // Decodes the packet as if it were a reassembled datagram.
    if kind == .unread(.fragment) {
      kind = headers.decode(
        reassembled: packet, protocolNumber: headers.fragment.protocolNumber, lengthOnWire: packet.count)
      check(headers, kind, packet.count)
    }
  }
}

private func check(_ headers: PacketHeaders, _ kind: PacketHeaders.Kind, _ count: Int) {
  precondition(headers.tunnels.count <= TunnelPath.maximumCount)
  precondition(headers.tunnels.descriptions.count == headers.tunnels.count)
  switch kind {
  case .tcp, .udp, .unread(.fragment):
    precondition(headers.payloadOffset >= 0 && headers.payloadLength >= 0)
    precondition(headers.payloadOffset + headers.payloadLength <= count)
    precondition(headers.payloadLengthOnWire >= headers.payloadLength)
  case .unread: break
  }
}
