import ByteParsing

/// The message in which a client of a network begins TLS in EAP, as an access point forwards it to a RADIUS server.
///
///     RADIUS (RFC 2865 §3): code 1, identifier 1, length 2, authenticator 16, attributes: type 1, length 1, value
///     EAP (RFC 3748 §4): code 1, identifier 1, length 2, type 1, of TLS (RFC 5216 §3.1): flags 1, total length 4, a record
package enum EAPRequest {
  /// The code of an Access-Request, which is the first byte.
  package static let accessRequest: UInt8 = 1

  /// The attribute with the first part of an EAP message (RFC 3579 §3.1).
  private static let messageAttribute: UInt8 = 79

  /// The methods that begin with TLS: EAP-TLS, EAP-TTLS, PEAP, EAP-FAST, TEAP.
  private static let methods: [UInt8] = [13, 21, 25, 43, 55]

  /// Whether a datagram is an Access-Request with the beginning of a ClientHello.
  package static func beginsTLS(_ datagram: Span<UInt8>, lengthOnWire: Int) -> Bool {
    guard datagram.count > 20, datagram[0] == accessRequest, Int(datagram.raw.big16(2)) == lengthOnWire else { return false }
    var position = 20
    while position + 2 <= datagram.count {
      let end = position + Int(datagram[position + 1])
      guard end >= position + 2, end <= datagram.count else { return false }
      if datagram[position] == messageAttribute { return hasClientHello(datagram.extracting((position + 2)..<end)) }
      position = end
    }
    return false
  }

  /// Whether the first part of an EAP message is a response with a record that begins with a ClientHello.
  private static func hasClientHello(_ message: Span<UInt8>) -> Bool {
    guard message.count > 6, message[0] == 2, methods.contains(message[4]) else { return false }
    // The first flag announces the total length.
    let start = message[5] & 0x80 == 0 ? 6 : 10
    guard message.count > start + 5 else { return false }
    return message[start] == 22 && message[start + 1] == 3 && message[start + 5] == 1
  }
}
