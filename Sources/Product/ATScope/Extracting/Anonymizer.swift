package import ByteParsing
import Crypto
import PacketParsing
package import Values

/// Replaces addresses consistently: addresses with a common beginning have one again, and an address stays in its class
/// (private, loopback, link-local, public, …). Which address becomes which depends on the capture alone.
package struct Anonymizer {
  private let key: Bytes
  private let identities: Set<IPAddress>
  private var known: [IPAddress: IPAddress] = [:]

  /// How many replacements are remembered.
  private static let limit = 1 << 16

  /// Takes what makes the replacement, and the addresses that stay because they are what a session is known by.
  package init(key: Bytes, identities: Set<IPAddress>) {
    self.key = key
    self.identities = identities
  }

  /// The address that stands for another.
  package mutating func replacement(of address: IPAddress) -> IPAddress {
    if identities.contains(address) { return address }
    if let replaced = known[address] { return replaced }
    let bytes = address.bytes
    let replaced = IPAddress(bytes: scrambled(bytes, keeping: Anonymizer.classBits(bytes))) ?? address
    if known.count < Anonymizer.limit { known[address] = replaced }
    return replaced
  }

  /// Flips bits by what stands before them, so that a common beginning stays one.
  private func scrambled(_ bytes: Bytes, keeping kept: Int) -> Bytes {
    var result = bytes
    for bit in kept..<(bytes.count * 8) {
      var hasher = SHA256()
      hasher.update(data: key)
      var prefix = Bytes(bytes.prefix(bit / 8))
      if bit % 8 > 0 { prefix.append(bytes[bit / 8] & ~(0xFF >> UInt8(bit % 8))) }
      prefix.append(UInt8(truncatingIfNeeded: bit))
      hasher.update(data: prefix)
      let isFlipped = hasher.finalize().withFirstByte { $0 & 1 == 1 }
      if isFlipped { result[bit / 8] ^= 0x80 >> UInt8(bit % 8) }
    }
    return result
  }

  /// How many bits say the class, and stay: the networks of RFC 6890, and for public addresses so many that none of those
  /// can come out.
  private static func classBits(_ bytes: Bytes) -> Int {
    guard bytes.count == 4 else {
      // Loopback, unspecified and mapped addresses as they are; of others the network of the registry.
      return bytes.prefix(10).allSatisfy { $0 == 0 } ? 128 : bytes[0] >= 0xFC ? 16 : 32
    }
    switch bytes[0] {
    case 127, 0, 224...: return 32
    case 10: return 8
    case 100, 169, 172, 192, 198, 203: return 16
    default: return 8
    }
  }
}

extension SHA256.Digest {
  fileprivate func withFirstByte<Result>(_ body: (UInt8) -> Result) -> Result {
    body(first { _ in true } ?? 0)
  }
}

/// Makes a packet of raw IP of what was read of another: link headers, tunnels and options are left behind.
struct PlainPacket {
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
      let sum = PlainPacket.checksum(bytes)
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
