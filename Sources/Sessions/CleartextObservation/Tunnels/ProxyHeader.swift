import ByteParsing

/// The PROXY protocol header, which a load balancer puts before a client's first bytes.
struct ProxyHeader: Equatable {
  var version: Int

  /// The length of the header, whose last bytes may not have arrived yet.
  var byteCount: Int

  /// The maximum length of a version 1 line.
  private static let maximumLineLength = 107

  private static let line = Array("PROXY ".utf8)
  private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

  /// Recognizes a header in the first bytes of a stream.
  static func recognize(_ prefix: Span<UInt8>) -> Recognized<ProxyHeader> {
    guard prefix.count > 0 else { return .needMore }
    let isText = prefix[0] == line[0]
    for (index, byte) in (isText ? line : signature).enumerated() {
      guard index < prefix.count else { return .needMore }
      guard prefix[index] == byte else { return .no }
    }
    return isText ? text(prefix) : binary(prefix)
  }

  private static func text(_ prefix: Span<UInt8>) -> Recognized<ProxyHeader> {
    for index in 1..<min(prefix.count, maximumLineLength) where prefix[index] == 10 && prefix[index - 1] == 13 {
      return .yes(ProxyHeader(version: 1, byteCount: index + 1))
    }
    return prefix.count < maximumLineLength ? .needMore : .no
  }

  private static func binary(_ prefix: Span<UInt8>) -> Recognized<ProxyHeader> {
    guard prefix.count >= 16 else { return .needMore }
    let length = 16 + Int(prefix.raw.big16(14))
    // Extensions may be as long as the length field permits; they are skipped as they arrive.
    return prefix[12] >> 4 == 2 ? .yes(ProxyHeader(version: 2, byteCount: length)) : .no
  }
}
