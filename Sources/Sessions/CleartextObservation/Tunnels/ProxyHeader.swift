/// The header of the PROXY protocol, which a load balancer puts before a client's first bytes.
enum ProxyHeader {
  /// What the first bytes of a stream say.
  enum Recognition: Equatable {
    /// A header of a version, and how many bytes it has, of which the last ones may still be to come.
    case whole(version: Int, byteCount: Int)
    /// It may be one, but too few bytes are there.
    case needMore
    /// It is none.
    case no
  }

  /// The longest line of version 1.
  private static let longestLine = 107

  private static let line = Array("PROXY ".utf8)
  private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

  /// Looks at the first bytes of a stream.
  static func recognize(_ prefix: Span<UInt8>) -> Recognition {
    guard prefix.count > 0 else { return .needMore }
    return prefix[0] == line[0] ? text(prefix) : prefix[0] == signature[0] ? binary(prefix) : .no
  }

  private static func text(_ prefix: Span<UInt8>) -> Recognition {
    for (index, byte) in line.enumerated() {
      guard index < prefix.count else { return .needMore }
      guard prefix[index] == byte else { return .no }
    }
    for index in 1..<min(prefix.count, longestLine) where prefix[index] == 10 && prefix[index - 1] == 13 {
      return .whole(version: 1, byteCount: index + 1)
    }
    return prefix.count < longestLine ? .needMore : .no
  }

  private static func binary(_ prefix: Span<UInt8>) -> Recognition {
    for (index, byte) in signature.enumerated() {
      guard index < prefix.count else { return .needMore }
      guard prefix[index] == byte else { return .no }
    }
    guard prefix.count >= 16 else { return .needMore }
    let length = 16 + (Int(prefix[14]) << 8 | Int(prefix[15]))
    // Extensions may take all that the length can say; they are stepped over as they come.
    return prefix[12] >> 4 == 2 ? .whole(version: 2, byteCount: length) : .no
  }
}
