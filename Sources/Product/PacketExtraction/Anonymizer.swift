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

  /// The address that replaces `address`.
  mutating func replacement(of address: IPAddress) -> IPAddress {
    if identities.contains(address) { return address }
    if let replaced = known[address] { return replaced }
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
      // Loopback, unspecified and IPv4-mapped addresses are kept whole; of other special-purpose addresses, the registered prefix.
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
