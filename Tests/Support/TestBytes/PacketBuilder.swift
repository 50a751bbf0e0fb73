package import ByteParsing

/// Writes packet headers, field by field, without checksums; by default of packets from a client at 192.0.2.2, port 50000, to a server at
/// 203.0.113.7, port 443.
package enum PacketBuilder {
  /// The addresses of an IPv4 packet of the client or of the server.
  package static func ends(fromClient: Bool = true) -> Bytes {
    fromClient ? [192, 0, 2, 2, 203, 0, 113, 7] : [203, 0, 113, 7, 192, 0, 2, 2]
  }

  /// The ports of a packet of the client or of the server.
  package static func ports(client: Int = 50_000, server: Int = 443, fromClient: Bool = true) -> Bytes {
    fromClient ? two(client) + two(server) : two(server) + two(client)
  }

  package static func tcp(
    _ payload: Bytes = [], ports: Bytes = PacketBuilder.ports(), sequence: Int = 0x0102_0304, acknowledgment: Int = 0x0506_0708,
    flags: UInt8 = 0x18, options: Bytes = []
  ) -> Bytes {
    let dataOffset = UInt8((20 + options.count) / 4) << 4
    return joined(
      ports, four(sequence), four(acknowledgment), [dataOffset, flags, 0xFF, 0xFF, 0, 0, 0, 0], options, payload)
  }

  package static func udp(_ payload: Bytes, ports: Bytes = PacketBuilder.ports()) -> Bytes {
    joined(ports, two(8 + payload.count), [0, 0], payload)
  }

  /// An IPv4 packet; `fragment` has the flags and the offset.
  package static func ipv4(
    _ transport: Bytes, number: UInt8 = 6, ends: Bytes = PacketBuilder.ends(), identification: Int = 1, totalLength: Int? = nil,
    fragment: Int = 0x4000, options: Bytes = []
  ) -> Bytes {
    let first = 0x40 | UInt8((20 + options.count) / 4)
    let length = totalLength ?? 20 + options.count + transport.count
    return joined(
      [first, 0], two(length), two(identification), two(fragment), [64, number, 0, 0], ends, options, transport)
  }

  /// An IPv4 packet with a segment of the client or of the server.
  package static func segment(
    _ payload: Bytes = [], client: Int = 50_000, server: Int = 443, fromClient: Bool = true, sequence: Int,
    acknowledgment: Int, flags: UInt8 = 0x18
  ) -> Bytes {
    let segment = tcp(
      payload, ports: ports(client: client, server: server, fromClient: fromClient), sequence: sequence,
      acknowledgment: acknowledgment, flags: flags)
    return ipv4(segment, ends: ends(fromClient: fromClient))
  }

  /// An IPv4 packet with a datagram of the client or of the server.
  package static func datagram(_ payload: Bytes, client: Int = 50_000, server: Int = 443, fromClient: Bool = true) -> Bytes {
    let datagram = udp(payload, ports: ports(client: client, server: server, fromClient: fromClient))
    return ipv4(datagram, number: 17, ends: ends(fromClient: fromClient))
  }

  package static func address6(_ last: UInt8) -> Bytes {
    joined([0x20, 0x01, 0x0D, 0xB8], Bytes(repeating: 0, count: 11), [last])
  }

  package static func ipv6(
    _ payload: Bytes, next: UInt8 = 6, ends: Bytes = PacketBuilder.address6(1) + PacketBuilder.address6(2), length: Int? = nil
  ) -> Bytes {
    joined([0x60, 0, 0, 0], two(length ?? payload.count), [next, 64], ends, payload)
  }

  package static func ethernet(_ payload: Bytes, type: Int = 0x0800, tags: [(Int, Int)] = []) -> Bytes {
    var bytes = Bytes(repeating: 2, count: 12)
    for (type, value) in tags { bytes += two(type) + two(value) }
    return joined(bytes, two(type), payload)
  }
}
