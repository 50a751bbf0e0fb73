import ByteParsing

/// Where the parts of a ClientHello are that a client makes anew for each connection.
///
/// Two hellos of equal shape are parsed into equal `ClientHello` values but for `random`, `sessionID`, `serverName`,
/// the bytes of `sessionTicket`, and which GREASE values stand in the places of GREASE values. A scan tells
/// where those are, so that one parsed hello can stand for all connections of the same software.
public struct ClientHelloScan: Hashable, Sendable {
  /// Where `legacy_session_id` is, without its length prefix; empty if there is none.
  public private(set) var sessionID = 0..<0

  /// Where the first `host_name` of a well-formed `server_name` is; empty if there is none.
  public private(set) var serverName = 0..<0

  /// Where the body of `session_ticket` is; empty if it is, or if there is none.
  public private(set) var sessionTicket = 0..<0

  /// Where `random` is.
  public var random: Range<Int> { 2..<34 }

  /// Scans the body of a handshake message of type `client_hello` and writes down its shape; `nil` if
  /// `ClientHello(parsing:)` would throw.
  public init?(_ body: Span<UInt8>, shape: inout HelloShape) {
    guard shape.rewrite({ walk(body, into: &$0) }) else { return nil }
  }

  /// Goes through the message as `ClientHello` does; `false` if it is not well formed.
  @inline(__always)
  private mutating func walk(_ body: Span<UInt8>, into shape: inout ShapeWriter) -> Bool {
    guard body.count >= 35 else { return false }
    let legacyVersion = loadUInt16(body, at: 0)
    let sessionLength = Int(body[34])
    var position = 35 + sessionLength
    guard sessionLength <= 32, position + 2 <= body.count else { return false }
    sessionID = 35..<position

    let suitesLength = Int(loadUInt16(body, at: position))
    position += 2
    guard suitesLength <= 0xFFFE, suitesLength & 1 == 0, position + suitesLength < body.count else {
      return false
    }
    let cipherSuites = position..<(position + suitesLength)
    position += suitesLength

    let methodsLength = Int(body[position])
    position += 1
    guard position + methodsLength <= body.count else { return false }
    let compressionMethods = position..<(position + methodsLength)
    position += methodsLength

    shape.append(
      UInt64(legacyVersion) << 48 | UInt64(suitesLength) << 32 | UInt64(methodsLength) << 16
        | (position == body.count ? 0 : 1))
    shape.appendCodePoints(body, cipherSuites)
    shape.append(body, compressionMethods)
    guard position < body.count else { return true }

    guard position + 2 <= body.count, position + 2 + Int(loadUInt16(body, at: position)) == body.count else {
      return false
    }
    position += 2
    var count = 0
    var sawServerName = false
    var sawSessionTicket = false
    while position < body.count {
      guard body.count - position >= 4 else { return false }
      let head = body.raw.big32(position)
      let type = UInt16(head >> 16)
      let start = position + 4
      position = start + Int(head & 0xFFFF)
      guard position <= body.count, count < ClientHello.maximumExtensionCount else { return false }
      count += 1
      let data = start..<position
      switch type {
      case ExtensionType.serverName.rawValue:
        let name = serverNameRange(body, data)
        if !sawServerName {
          sawServerName = true
          serverName = name ?? 0..<0
        }
        shape.appendHead(type, name == nil ? 0 : name?.isEmpty == true ? 1 : 2)
      case ExtensionType.sessionTicket.rawValue:
        if !sawSessionTicket {
          sawSessionTicket = true
          sessionTicket = data
        }
        shape.appendHead(type, data.isEmpty ? 0 : 1)
      case ExtensionType.supportedGroups.rawValue, ExtensionType.signatureAlgorithms.rawValue,
        ExtensionType.signatureAlgorithmsCert.rawValue, ExtensionType.delegatedCredential.rawValue:
        shape.appendHead(type, data.count)
        appendList(prefix: 2, body, data, into: &shape)
      case ExtensionType.supportedVersions.rawValue:
        shape.appendHead(type, data.count)
        appendList(prefix: 1, body, data, into: &shape)
      case ExtensionType.keyShare.rawValue, ExtensionType.draftKeyShare.rawValue:
        appendKeyShares(type, body, data, into: &shape)
      case ExtensionType.preSharedKey.rawValue:
        shape.appendHead(type, identityCount(body, data) ?? -1)
      case ExtensionType.encryptedClientHello.rawValue:
        shape.appendHead(type, encryptedClientHelloKind(body, data))
        shape.append(UInt64(data.count))
      case ExtensionType.padding.rawValue, ExtensionType.cookie.rawValue,
        ExtensionType.quicTransportParameters.rawValue, ExtensionType.draftQUICTransportParameters.rawValue,
        ExtensionType.encryptedServerName.rawValue:
        // New bytes in every hello, and nothing that is read from them.
        shape.appendHead(type, 0)
      default:
        if isGREASE(type) {
          shape.appendHead(0x0A0A, 0)
        } else {
          shape.appendHead(type, data.count)
          shape.append(body, data)
        }
      }
    }
    return true
  }
}

/// A list of code points behind a length prefix of one or two bytes.
@inline(__always)
private func appendList(
  prefix: Int, _ body: Span<UInt8>, _ data: Range<Int>, into shape: inout ShapeWriter
) {
  guard data.count > prefix else { return shape.append(body, data) }
  shape.append(UInt64(prefix == 1 ? UInt16(body[data.lowerBound]) : loadUInt16(body, at: data.lowerBound)))
  shape.appendCodePoints(body, (data.lowerBound + prefix)..<data.upperBound)
}

/// The groups and the lengths of their keys; of a list that is not well formed all bytes.
@inline(__always)
private func appendKeyShares(
  _ type: UInt16, _ body: Span<UInt8>, _ data: Range<Int>, into shape: inout ShapeWriter
) {
  guard isKeyShareList(body, data) else {
    shape.appendHead(type, -1)
    shape.append(UInt64(data.count))
    return shape.append(body, data)
  }
  shape.appendHead(type, data.count)
  var position = data.lowerBound + 2
  while position < data.upperBound {
    let group = loadUInt16(body, at: position)
    let length = Int(loadUInt16(body, at: position + 2))
    shape.append(UInt64(isGREASE(group) ? 0x0A0A : group) << 16 | UInt64(length))
    position += 4 + length
  }
}

/// Whether the body is a well-formed KeyShareClientHello.
@inline(__always)
private func isKeyShareList(_ body: Span<UInt8>, _ data: Range<Int>) -> Bool {
  guard data.count >= 2, Int(loadUInt16(body, at: data.lowerBound)) == data.count - 2 else { return false }
  var position = data.lowerBound + 2
  while position < data.upperBound {
    guard data.upperBound - position >= 4 else { return false }
    let length = Int(loadUInt16(body, at: position + 2))
    guard length >= 1, length <= data.upperBound - position - 4 else { return false }
    position += 4 + length
  }
  return true
}

/// Where the first host name is: empty if there is none, `nil` if the list is not well formed.
@inline(__always)
private func serverNameRange(_ body: Span<UInt8>, _ data: Range<Int>) -> Range<Int>? {
  guard data.count >= 3, Int(loadUInt16(body, at: data.lowerBound)) == data.count - 2 else { return nil }
  var found = 0..<0
  var position = data.lowerBound + 2
  while position < data.upperBound {
    guard data.upperBound - position >= 3 else { return nil }
    let length = Int(loadUInt16(body, at: position + 1))
    guard length >= 1, length <= data.upperBound - position - 3 else { return nil }
    if body[position] == 0, found.isEmpty { found = (position + 3)..<(position + 3 + length) }
    position += 3 + length
  }
  return found
}

/// How many identities a well-formed OfferedPsks holds.
private func identityCount(_ body: Span<UInt8>, _ data: Range<Int>) -> Int? {
  var position = data.lowerBound
  guard data.count >= 2 else { return nil }
  let end = position + 2 + Int(loadUInt16(body, at: position))
  guard end - position >= 9, end <= data.upperBound - 2 else { return nil }
  position += 2
  var count = 0
  while position < end {
    guard end - position >= 6 else { return nil }
    let length = Int(loadUInt16(body, at: position))
    guard length >= 1, length <= end - position - 6 else { return nil }
    position += 6 + length
    count += 1
  }
  let bindersLength = Int(loadUInt16(body, at: end))
  return bindersLength >= 33 && end + 2 + bindersLength == data.upperBound ? count : nil
}

/// 0 for an outer, 1 for an inner ECHClientHello, −1 if it is not well formed.
private func encryptedClientHelloKind(_ body: Span<UInt8>, _ data: Range<Int>) -> Int {
  guard !data.isEmpty, body[data.lowerBound] <= 1 else { return -1 }
  if body[data.lowerBound] == 1 { return data.count == 1 ? 1 : -1 }
  // type, cipher_suite, config_id, enc
  guard data.count >= 8 else { return -1 }
  let payload = data.lowerBound + 8 + Int(loadUInt16(body, at: data.lowerBound + 6))
  guard payload + 2 <= data.upperBound else { return -1 }
  let payloadLength = Int(loadUInt16(body, at: payload))
  return payloadLength >= 1 && payload + 2 + payloadLength == data.upperBound ? 0 : -1
}
