/// What the first bytes of a stream or datagram say about its protocol.
package enum TLSRecognition: Hashable, Sendable {
  /// They are how the protocol begins.
  case yes
  /// They cannot be.
  case no
  /// They may be, but too few are there.
  case needMore

  /// Recognizes a handshake record of SSL 3 or later that begins with a hello.
  ///
  /// Six bytes suffice; what else is there must fit as well.
  package static func handshakeStart(_ prefix: Span<UInt8>) -> TLSRecognition {
    let header = recordHeader(22, prefix)
    if header != .yes { return header }
    let recordLength = Int(prefix[3]) << 8 | Int(prefix[4])
    guard recordLength >= 1, recordLength <= RecordHeader.maximumFragmentLength else { return .no }
    guard prefix.count > 5 else { return .needMore }
    guard prefix[5] == 1 || prefix[5] == 2 else { return .no }
    if prefix.count > 6, recordLength > 1, prefix[6] > 1 { return .no }
    if prefix.count > 8, recordLength > 3 {
      // A draft's ServerHello, the shortest of all, has 36 bytes; post-quantum hellos have a few thousand.
      let messageLength = Int(prefix[6]) << 16 | Int(prefix[7]) << 8 | Int(prefix[8])
      guard messageLength >= 36, messageLength <= maximumHelloLength else { return .no }
    }
    if prefix.count > 9, recordLength > 4, ![0x03, 0x7E, 0x7F].contains(prefix[9]) { return .no }
    return .yes
  }

  /// Recognizes a cleartext alert at the start of a stream.
  package static func alertStart(_ prefix: Span<UInt8>) -> TLSRecognition {
    let header = recordHeader(21, prefix)
    if header != .yes { return header }
    guard prefix[3] == 0, prefix[4] == 2 else { return .no }
    guard prefix.count > 5 else { return .needMore }
    guard prefix[5] == 1 || prefix[5] == 2 else { return .no }
    guard prefix.count > 6 else { return .needMore }
    return AlertDescription(rawValue: prefix[6]).name == nil ? .no : .yes
  }

  /// Recognizes a hello in the format of SSL 2, of either side.
  package static func ssl2Hello(_ prefix: Span<UInt8>) -> TLSRecognition {
    let client = ssl2ClientHello(prefix)
    return client == .no ? ssl2ServerHello(prefix) : client
  }

  /// Recognizes a CLIENT-HELLO in the format of SSL 2, of any version (RFC 5246 appendix E.2).
  package static func ssl2ClientHello(_ prefix: Span<UInt8>) -> TLSRecognition {
    guard prefix.count > 0 else { return .needMore }
    guard prefix[0] & 0x80 != 0 else { return .no }
    guard prefix.count > 2 else { return .needMore }
    guard prefix[2] == 1 else { return .no }
    if prefix.count > 3, prefix[3] != 0, prefix[3] != 3 { return .no }
    if prefix.count > 4, prefix[3] == 0 ? prefix[4] != 2 : prefix[4] > 4 { return .no }
    guard prefix.count > 10 else { return .needMore }
    let message = Int(prefix[0] & 0x7F) << 8 | Int(prefix[1])
    let specs = Int(prefix[5]) << 8 | Int(prefix[6])
    let session = Int(prefix[7]) << 8 | Int(prefix[8])
    let challenge = Int(prefix[9]) << 8 | Int(prefix[10])
    guard specs > 0, specs.isMultiple(of: 3), session == 0 || (16...32).contains(session),
      (16...32).contains(challenge), message == 9 + specs + session + challenge
    else { return .no }
    return .yes
  }

  /// Recognizes a SERVER-HELLO of SSL 2.
  package static func ssl2ServerHello(_ prefix: Span<UInt8>) -> TLSRecognition {
    guard prefix.count > 0 else { return .needMore }
    guard prefix[0] & 0x80 != 0 else { return .no }
    guard prefix.count > 2 else { return .needMore }
    guard prefix[2] == 4 else { return .no }
    if prefix.count > 3, prefix[3] > 1 { return .no }
    if prefix.count > 4, prefix[4] > 1 { return .no }
    if prefix.count > 5, prefix[5] != 0 { return .no }
    if prefix.count > 6, prefix[6] != 2 { return .no }
    guard prefix.count > 12 else { return .needMore }
    let message = Int(prefix[0] & 0x7F) << 8 | Int(prefix[1])
    let certificate = Int(prefix[7]) << 8 | Int(prefix[8])
    let specs = Int(prefix[9]) << 8 | Int(prefix[10])
    let connection = Int(prefix[11]) << 8 | Int(prefix[12])
    guard specs.isMultiple(of: 3), (16...32).contains(connection),
      message == 11 + certificate + specs + connection
    else { return .no }
    return .yes
  }

  /// Recognizes a hello of DTLS at the start of a datagram, of either side (RFC 6347 §4.2.2), or OpenSSL's DTLS before the RFC.
  package static func dtlsHello(_ datagram: Span<UInt8>) -> TLSRecognition {
    guard datagram.count > 0 else { return .needMore }
    guard datagram[0] == 22 else { return .no }
    guard datagram.count > 2 else { return .needMore }
    let version = UInt16(datagram[1]) << 8 | UInt16(datagram[2])
    guard [0xFEFF, 0xFEFD, 0xFEFC, 0x0100].contains(version) else { return .no }
    guard datagram.count > 13 else { return .needMore }
    // Nothing is encrypted yet: epoch 0.
    return datagram[3] == 0 && datagram[4] == 0 && (1...2).contains(datagram[13]) ? .yes : .no
  }

  /// Whether a datagram, of which so many bytes were sent, is made of whole records of DTLS with long headers.
  ///
  /// A record with a connection ID, whose length only its two ends know, is taken to reach to the end.
  package static func isDTLS(_ datagram: Span<UInt8>, lengthOnWire: Int) -> Bool {
    var start = 0
    while start < lengthOnWire {
      // The snapshot length may have cut what follows the first header.
      guard datagram.count - start >= DTLSRecord.headerByteCount else {
        return start > 0 && datagram.count < lengthOnWire
      }
      let version = UInt16(datagram[start + 1]) << 8 | UInt16(datagram[start + 2])
      guard (20...25).contains(datagram[start]), version == 0xFEFF || version == 0xFEFD else { return false }
      if datagram[start] == ContentType.tls12CID.rawValue { return datagram[start + 4] > 0 }
      start +=
        DTLSRecord.headerByteCount + (Int(datagram[start + 11]) << 8 | Int(datagram[start + 12]))
    }
    return start == lengthOnWire && start > 0
  }

  /// The longest hello that is taken for one; keeps random bytes from announcing megabytes.
  static let maximumHelloLength = 1 << 17

  /// Recognizes the header of a record by its type and version; with `.yes`, all five bytes are there.
  private static func recordHeader(_ type: UInt8, _ prefix: Span<UInt8>) -> TLSRecognition {
    if prefix.count > 0, prefix[0] != type { return .no }
    if prefix.count > 1, prefix[1] != 3 { return .no }
    if prefix.count > 2, prefix[2] > 4 { return .no }
    return prefix.count < RecordHeader.byteCount ? .needMore : .yes
  }
}
