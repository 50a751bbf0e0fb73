import ByteParsing

/// Writes packet headers, field by field.
enum PacketBuilder {
  static func all(_ parts: Bytes...) -> Bytes { Bytes(parts.joined()) }

  static func big16(_ value: Int) -> Bytes { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }

  static func big32(_ value: UInt32) -> Bytes {
    [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
  }

  static func tcp(payload: Bytes, options: Bytes = [], flags: UInt8 = 0x18) -> Bytes {
    let dataOffset = UInt8((20 + options.count) / 4) << 4
    return all(
      big16(50_000), big16(443), big32(0x0102_0304), big32(0x0506_0708), [dataOffset, flags], big16(1000),
      big16(0), big16(0), options, payload)
  }

  static func udp(payload: Bytes) -> Bytes {
    all(big16(50_000), big16(443), big16(8 + payload.count), big16(0), payload)
  }

  static func ipv4(
    _ transport: Bytes, number: UInt8 = 6, totalLength: Int? = nil, fragment: Int = 0x4000,
    options: Bytes = []
  ) -> Bytes {
    let first = 0x40 | UInt8((20 + options.count) / 4)
    let length = totalLength ?? 20 + options.count + transport.count
    return all(
      [first, 0], big16(length), big16(1), big16(fragment), [64, number], big16(0),
      [192, 0, 2, 1, 198, 51, 100, 7], options, transport)
  }

  static func address6(_ last: UInt8) -> Bytes {
    all([0x20, 0x01, 0x0D, 0xB8], Bytes(repeating: 0, count: 11), [last])
  }

  static func ipv6(_ payload: Bytes, next: UInt8 = 6, length: Int? = nil) -> Bytes {
    all(
      [0x60, 0, 0, 0], big16(length ?? payload.count), [next, 64], address6(1), address6(2), payload)
  }

  static func ethernet(_ payload: Bytes, type: Int = 0x0800, tags: [(Int, Int)] = []) -> Bytes {
    var bytes = Bytes(repeating: 2, count: 12)
    for (type, value) in tags { bytes += all(big16(type), big16(value)) }
    return all(bytes, big16(type), payload)
  }
}
