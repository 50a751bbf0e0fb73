import ByteParsing
import SessionModel

/// A connection request or confirm of X.224 in which the ends of a Remote Desktop connection agree on TLS
/// ([MS-RDPBCGR] §2.2.1.1 and §2.2.1.2).
struct ConnectionNegotiation {
  /// Whether TLS may follow: the client offers it, or the server chose it.
  private(set) var leadsToTLS: Bool

  /// What its bytes are: between the headers and what is negotiated a request names its user.
  private(set) var runs: [ByteAccount.Run]

  /// TPKT (4 bytes) and the fixed part of X.224 (7 bytes).
  private static let headerByteCount = 11

  /// A name and a token before what is negotiated are short.
  private static let maximumByteCount = 1024

  private static let negotiationByteCount = 8
  private static let correlationByteCount = 36

  static func recognize(_ bytes: Span<UInt8>) -> Recognized<ConnectionNegotiation> {
    guard bytes.count > 0 else { return .needMore }
    guard bytes[0] == 3, bytes.count < 2 || bytes[1] == 0 else { return .no }
    guard bytes.count > 5 else { return .needMore }
    let length = Int(bytes[2]) << 8 | Int(bytes[3])
    let isRequest = bytes[5] == 0xE0
    guard isRequest || bytes[5] == 0xD0, Int(bytes[4]) == length - 5,
      length >= headerByteCount, length <= maximumByteCount
    else { return .no }
    guard bytes.count >= length else { return .needMore }
    // Who does not negotiate speaks no TLS.
    guard length >= headerByteCount + negotiationByteCount else {
      return .yes(ConnectionNegotiation(leadsToTLS: false, runs: []))
    }
    // A confirm holds nothing else; in a request what is negotiated comes last, but for what names the connection in logs.
    var start = isRequest ? length - negotiationByteCount : headerByteCount
    let correlation = length - correlationByteCount
    if isRequest, correlation - negotiationByteCount >= headerByteCount, bytes[correlation] == 6,
      bytes[correlation + 1] == 0, bytes[correlation + 2] == UInt8(correlationByteCount),
      bytes[correlation + 3] == 0
    {
      start = correlation - negotiationByteCount
    }
    let type: UInt8 = isRequest ? 1 : 2
    guard bytes[start + 2] == UInt8(negotiationByteCount), bytes[start + 3] == 0,
      bytes[start] == type || !isRequest && bytes[start] == 3
    else { return .no }
    // All forms of security but the oldest are in TLS, or in something that is.
    let protocols = (4..<8).contains { bytes[start + $0] != 0 }
    return .yes(
      ConnectionNegotiation(
        leadsToTLS: bytes[start] == type && protocols,
        runs: [.other(headerByteCount), .content(start - headerByteCount), .other(length - start)]))
  }
}
