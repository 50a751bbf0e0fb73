import ByteParsing
import Crypto
import Values

/// Replaces addresses consistently: addresses with a common prefix keep a common prefix, and an address stays in its class (private,
/// loopback, link-local, public, …). The replacement depends only on the key.
struct Anonymizer {
  private let key: SymmetricKey
  private let identities: Set<IPAddress>
  private var known: [IPAddress: IPAddress] = [:]
  private static let maximumCount = 1 << 16

  /// Creates an anonymizer. The addresses in `identities` are kept, because they identify a session's server.
  init(key: AnonymizationKey, identities: Set<IPAddress>) {
    self.key = key.key
    self.identities = identities
  }

  /// The address that replaces `address`. An IPv4-mapped address gets the replacement of its IPv4 address.
  mutating func replacement(of address: IPAddress) -> IPAddress {
    if identities.contains(address) { return address }
    if let replaced = known[address] { return replaced }
    if address.isIPv6, address.high == 0, address.low >> 32 == 0xFFFF {
      let embedded = replacement(of: IPAddress(v4: UInt32(truncatingIfNeeded: address.low)))
      return IPAddress(v6: 0, 0xFFFF << 32 | embedded.low)
    }
    let bytes = address.bytes
    let replaced = IPAddress(bytes: scrambled(bytes, keeping: Anonymizer.classBits(bytes))) ?? address
    if known.count < Anonymizer.maximumCount { known[address] = replaced }
    return replaced
  }

  /// Flips each bit depending on the bits before it, so that common prefixes remain common.
  private func scrambled(_ bytes: Bytes, keeping kept: Int) -> Bytes {
    var result = bytes
    for bit in kept..<(bytes.count * 8) {
      var prefix = Bytes(bytes.prefix(bit / 8))
      if bit % 8 > 0 { prefix.append(bytes[bit / 8] & ~(0xFF >> UInt8(bit % 8))) }
      prefix.append(UInt8(truncatingIfNeeded: bit))
      let code = HMAC<SHA256>.authenticationCode(for: prefix, using: key)
      if code.first(where: { _ in true }).map({ $0 & 1 == 1 }) ?? false {
        result[bit / 8] ^= 0x80 >> UInt8(bit % 8)
      }
    }
    return result
  }

  /// The number of leading bits to keep: the RFC 6890 prefix, or enough that a public address never maps into one.
  private static func classBits(_ bytes: Bytes) -> Int {
    guard bytes.count == 4 else {
      // Loopback and unspecified addresses are kept whole; of other special-purpose addresses, the registered prefix.
      return bytes.prefix(15).allSatisfy { $0 == 0 } ? 128 : bytes[0] >= 0xFC ? 16 : 32
    }
    switch bytes[0] {
    case 127, 0, 224..<240: return 32
    // Some networks use the reserved addresses; the last one means broadcast.
    case 240...: return bytes.allSatisfy { $0 == 0xFF } ? 32 : 4
    case 10: return 8
    case 100, 169, 172, 192, 198, 203: return 16
    default: return 8
    }
  }
}
