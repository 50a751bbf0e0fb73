import ByteParsing

/// Where the parts of a ServerHello are that a server makes anew for each connection.
///
/// Two hellos of equal shape are parsed into equal `ServerHello` values but for `random` and `sessionID`.
public struct ServerHelloScan: Hashable, Sendable {
  /// Where `legacy_session_id_echo` is, without its length prefix; empty if there is none.
  public private(set) var sessionID = 0..<0

  /// Where `random` is.
  public var random: Range<Int> { 2..<34 }

  /// Scans the body of a handshake message of type `server_hello` and writes down its shape; `nil` if
  /// `ServerHello(parsing:)` would throw.
  public init?(_ body: Span<UInt8>, shape: inout HelloShape) {
    guard shape.rewrite({ walk(body, into: &$0) }) else { return nil }
  }

  /// Goes through the message as `ServerHello` does; `false` if it is not well formed.
  @inline(__always)
  private mutating func walk(_ body: Span<UInt8>, into shape: inout ShapeWriter) -> Bool {
    guard body.count >= 36 else { return false }
    let legacyVersion = TLSVersion(rawValue: loadUInt16(body, at: 0))
    let isRetry = ServerHello.isHelloRetryRequest(random: body.extracting(2..<34))
    var position = 34
    let hasLegacyFields = !legacyVersion.hasEarlyDraftLayout
    if hasLegacyFields {
      let sessionLength = Int(body[34])
      position = 35 + sessionLength
      guard sessionLength <= 32 else { return false }
      sessionID = 35..<position
    }
    let afterFixedPart = position + (hasLegacyFields ? 3 : 2)
    guard afterFixedPart <= body.count else { return false }
    let cipherSuite = loadUInt16(body, at: position)
    let compression = hasLegacyFields ? body[position + 2] : 0
    position = afterFixedPart
    shape.append(
      UInt64(legacyVersion.rawValue) << 48 | UInt64(cipherSuite) << 32 | UInt64(compression) << 16
        | (isRetry ? 2 : 0) | (position == body.count ? 0 : 1))
    guard position < body.count else { return true }

    guard position + 2 <= body.count, position + 2 + Int(loadUInt16(body, at: position)) == body.count else {
      return false
    }
    position += 2
    var count = 0
    while position < body.count {
      guard body.count - position >= 4 else { return false }
      let head = body.raw.big32(position)
      let type = UInt16(head >> 16)
      let start = position + 4
      position = start + Int(head & 0xFFFF)
      guard position <= body.count, count < ServerHello.maximumExtensionCount else { return false }
      count += 1
      let data = start..<position
      shape.appendHead(type, data.count)
      switch type {
      case ExtensionType.keyShare.rawValue, ExtensionType.draftKeyShare.rawValue:
        // The group, and the length of the key; the body's length says whether they fit.
        shape.append(body, start..<min(start + 4, position))
      case ExtensionType.cookie.rawValue, ExtensionType.encryptedClientHello.rawValue:
        // New bytes each time, and nothing that is read from them.
        break
      default:
        shape.append(body, data)
      }
    }
    return true
  }
}
