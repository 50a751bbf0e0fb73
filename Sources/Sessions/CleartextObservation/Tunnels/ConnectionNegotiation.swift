import ByteParsing

/// An X.224 connection request or confirm, in which Remote Desktop endpoints negotiate TLS ([MS-RDPBCGR] §2.2.1.1 and §2.2.1.2).
struct ConnectionNegotiation {
  /// Whether TLS may follow: the client offers it, or the server chose it.
  private(set) var leadsToTLS: Bool

  /// The runs of the message. A request contains its user's name between the headers and the negotiation structure.
  private(set) var runs: [ByteAccount.Run]

  /// TPKT (4 bytes) and the fixed part of X.224 (7 bytes).
  private static let headerByteCount = 11

  /// The maximum length of a message; the user's name and the routing token are short.
  private static let maximumByteCount = 1024

  private static let negotiationByteCount = 8
  private static let correlationByteCount = 36

  static func recognize(_ bytes: Span<UInt8>) -> Recognized<ConnectionNegotiation> {
    guard bytes.count > 0 else { return .needMore }
    guard bytes[0] == 3, bytes.count < 2 || bytes[1] == 0 else { return .no }
    guard bytes.count > 5 else { return .needMore }
    let length = Int(bytes.raw.big16(2))
    let isRequest = bytes[5] == 0xE0
    guard isRequest || bytes[5] == 0xD0, Int(bytes[4]) == length - 5,
      length >= headerByteCount, length <= maximumByteCount
    else { return .no }
    guard bytes.count >= length else { return .needMore }
    // Without a negotiation structure, TLS is not used.
    guard length >= headerByteCount + negotiationByteCount else { return .yes(ConnectionNegotiation(leadsToTLS: false, runs: [])) }
    // A confirm contains only the negotiation structure. In a request it is last, unless correlation info for logs follows.
    var start = isRequest ? length - negotiationByteCount : headerByteCount
    let correlation = length - correlationByteCount
    if isRequest, correlation - negotiationByteCount >= headerByteCount, bytes[correlation] == 6, bytes[correlation + 1] == 0,
      bytes[correlation + 2] == UInt8(correlationByteCount), bytes[correlation + 3] == 0
    {
      start = correlation - negotiationByteCount
    }
    let type: UInt8 = isRequest ? 1 : 2
    guard bytes[start + 2] == UInt8(negotiationByteCount), bytes[start + 3] == 0, bytes[start] == type || !isRequest && bytes[start] == 3
    else { return .no }
    // All security protocols except the oldest are TLS, or are within TLS.
    let protocols = (4..<8).contains { bytes[start + $0] != 0 }
    return .yes(
      ConnectionNegotiation(
        leadsToTLS: bytes[start] == type && protocols,
        runs: [.other(headerByteCount), .content(start - headerByteCount), .other(length - start)]))
  }
}
