public import ByteParsing

/// Where the parts of a ServerHello are, and a hash of everything that a server sends alike each time.
///
/// Two hellos of equal shape are parsed into equal `ServerHello` values but for `random` and `sessionID`.
public struct ServerHelloScan: Hashable, Sendable {
  /// `legacy_version`.
  public private(set) var legacyVersion = TLSVersion(rawValue: 0)

  /// Where `legacy_session_id_echo` is, without its length prefix; empty if there is none.
  public private(set) var sessionID = 0..<0

  /// `cipher_suite`.
  public private(set) var cipherSuite = CipherSuite(rawValue: 0)

  /// Where the extensions are, without their length prefix; empty if there are none.
  public private(set) var extensions = 0..<0

  /// The hash of the shape under the seed.
  public private(set) var shapeHash: UInt64 = 0

  /// Where `random` is.
  public var random: Range<Int> { 2..<34 }

  /// Scans the body of a handshake message of type `server_hello`; `nil` if `ServerHello(parsing:)` would throw.
  public init?(_ body: Span<UInt8>, seed: UInt64) {
    var hasher = ShapeHasher(seed: seed)
    guard walk(body, into: &hasher) else { return nil }
    shapeHash = hasher.state
  }

  /// Whether `body`, which this scan is of, has the shape that `writeShape` wrote down.
  public func hasShape(_ shape: Span<UInt8>, of body: Span<UInt8>) -> Bool {
    var matcher = ShapeMatcher(shape)
    var scan = self
    return scan.walk(body, into: &matcher) && matcher.isMatch
  }

  /// Appends the shape of `body`, which this scan is of, in a form that is equal for equal shapes only.
  public func writeShape(of body: Span<UInt8>, into bytes: inout Bytes) {
    var writer = ShapeWriter(bytes: [])
    swap(&writer.bytes, &bytes)
    var scan = self
    _ = scan.walk(body, into: &writer)
    swap(&writer.bytes, &bytes)
  }

  /// Goes through the message as `ServerHello` does and hands what makes up its shape to the sink; `false` if the
  /// message is not well formed.
  @inline(__always)
  private mutating func walk<Sink: ShapeSink & ~Escapable>(_ body: Span<UInt8>, into sink: inout Sink) -> Bool
  {
    guard body.count >= 36 else { return false }
    legacyVersion = TLSVersion(rawValue: loadUInt16(body, at: 0))
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
    cipherSuite = CipherSuite(rawValue: loadUInt16(body, at: position))
    let compression = hasLegacyFields ? body[position + 2] : 0
    position = afterFixedPart
    sink.append(
      UInt64(legacyVersion.rawValue) << 48 | UInt64(cipherSuite.rawValue) << 32 | UInt64(compression) << 16
        | (isRetry ? 2 : 0) | (position == body.count ? 0 : 1))
    guard position < body.count else { return true }

    guard position + 2 <= body.count, position + 2 + Int(loadUInt16(body, at: position)) == body.count else {
      return false
    }
    position += 2
    extensions = position..<body.count
    var count = 0
    while position < body.count {
      guard body.count - position >= 4 else { return false }
      let head = loadUInt32(body, at: position)
      let type = UInt16(head >> 16)
      let start = position + 4
      position = start + Int(head & 0xFFFF)
      guard position <= body.count, count < ServerHello.maximumExtensionCount else { return false }
      count += 1
      let data = start..<position
      appendHead(type, data.count, into: &sink)
      switch type {
      case ExtensionType.keyShare.rawValue, ExtensionType.draftKeyShare.rawValue:
        // The group, and the length of the key; the body's length says whether they fit.
        sink.append(body, start..<min(start + 4, position))
      case ExtensionType.cookie.rawValue, ExtensionType.encryptedClientHello.rawValue:
        // New bytes each time, and nothing that is read from them.
        break
      default:
        sink.append(body, data)
      }
    }
    return true
  }
}
