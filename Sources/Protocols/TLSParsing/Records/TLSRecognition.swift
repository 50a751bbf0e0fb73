import ByteParsing

/// The result of recognizing TLS in the first bytes of a stream or datagram.
package enum TLSRecognition: Hashable, Sendable {
  /// The bytes are a beginning of the protocol.
  case yes
  /// The bytes are not the protocol.
  case no
  /// The bytes may be the protocol, but are too few to decide.
  case needMore

  /// Recognizes a handshake record of SSL 3 or later that begins with a hello, or is a HelloRequest, with which a server may begin
  /// (RFC 5246 §7.4.1.1).
  ///
  /// Six bytes suffice; any further bytes must also match.
  package static func handshakeStart(_ prefix: Span<UInt8>) -> TLSRecognition {
    let header = recordHeader(22, prefix)
    if header != .yes { return header }
    let recordLength = Int(prefix.raw.big16(3))
    guard recordLength >= 1, recordLength <= RecordHeader.maximumFragmentLength else { return .no }
    guard prefix.count > 5 else { return .needMore }
    if prefix[5] == 0, recordLength == 4 {
      if (6..<min(9, prefix.count)).contains(where: { prefix[$0] != 0 }) { return .no }
      return prefix.count < 9 ? .needMore : .yes
    }
    guard prefix[5] == 1 || prefix[5] == 2 else { return .no }
    if recordLength < helloByteCount { return dividedHelloStart(prefix) }
    return helloStart(prefix.extracting(RecordHeader.byteCount..<prefix.count))
  }

  /// The number of bytes by which a hello is recognized: type, length (3), and the first byte of the version.
  private static let helloByteCount = 5

  /// Recognizes a hello, whose type is known, by its length and version.
  private static func helloStart(_ message: Span<UInt8>) -> TLSRecognition {
    if message.count > 1, message[1] > 1 { return .no }
    if message.count > 3 {
      // A draft's ServerHello, the shortest hello, has 36 bytes; post-quantum hellos have a few thousand.
      let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
      guard length >= 36, length <= maximumHelloLength else { return .no }
    }
    if message.count > 4, ![0x03, 0x7E, 0x7F].contains(message[4]) { return .no }
    return .yes
  }

  /// Recognizes a hello whose first bytes are in several records (RFC 8446 §5.1).
  private static func dividedHelloStart(_ records: Span<UInt8>) -> TLSRecognition {
    var message = Bytes()
    var position = 0
    while position < records.count, message.count < helloByteCount {
      let header = recordHeader(ContentType.handshake.rawValue, records.extracting(position..<records.count))
      guard header == .yes else { return header == .no ? .no : helloStart(message.span) }
      let start = position + RecordHeader.byteCount
      let length = Int(records.raw.big16(position + 3))
      guard length > 0, length <= RecordHeader.maximumFragmentLength else { return .no }
      let count = min(length, helloByteCount - message.count, records.count - start)
      message.append(copying: records.extracting(start..<(start + count)))
      position = start + length
    }
    return helloStart(message.span)
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

  /// Recognizes a hello in the SSL 2 format, of either side.
  package static func ssl2Hello(_ prefix: Span<UInt8>) -> TLSRecognition {
    let client = ssl2ClientHello(prefix)
    return client == .no ? ssl2ServerHello(prefix) : client
  }

  /// Recognizes a CLIENT-HELLO in the SSL 2 format, of any version (RFC 5246 appendix E.2).
  package static func ssl2ClientHello(_ prefix: Span<UInt8>) -> TLSRecognition {
    guard prefix.count > 0 else { return .needMore }
    guard prefix[0] & 0x80 != 0 else { return .no }
    guard prefix.count > 2 else { return .needMore }
    guard prefix[2] == 1 else { return .no }
    if prefix.count > 3, prefix[3] != 0, prefix[3] != 3 { return .no }
    if prefix.count > 4, prefix[3] == 0 ? prefix[4] != 2 : prefix[4] > 4 { return .no }
    guard prefix.count > 10 else { return .needMore }
    let message = Int(prefix.raw.big16(0) & 0x7FFF)
    let specs = Int(prefix.raw.big16(5))
    let session = Int(prefix.raw.big16(7))
    let challenge = Int(prefix.raw.big16(9))
    guard specs > 0, specs.isMultiple(of: 3), session == 0 || (16...32).contains(session),
      (16...32).contains(challenge), message == 9 + specs + session + challenge
    else { return .no }
    return .yes
  }

  /// Recognizes an SSL 2 SERVER-HELLO.
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
    let message = Int(prefix.raw.big16(0) & 0x7FFF)
    let certificate = Int(prefix.raw.big16(7))
    let specs = Int(prefix.raw.big16(9))
    let connection = Int(prefix.raw.big16(11))
    guard specs.isMultiple(of: 3), (16...32).contains(connection),
      message == 11 + certificate + specs + connection
    else { return .no }
    return .yes
  }

  /// Recognizes a DTLS hello at the start of a datagram, of either side (RFC 6347 §4.2.2), including OpenSSL's DTLS from before the RFC.
  package static func dtlsHello(_ datagram: Span<UInt8>) -> TLSRecognition {
    guard datagram.count > 0 else { return .needMore }
    guard datagram[0] == 22 else { return .no }
    guard datagram.count > 2 else { return .needMore }
    let version = datagram.raw.big16(1)
    guard [0xFEFF, 0xFEFD, 0xFEFC, 0x0100].contains(version) else { return .no }
    guard datagram.count > 13 else { return .needMore }
    // Nothing is encrypted yet: epoch 0.
    return datagram[3] == 0 && datagram[4] == 0 && (1...2).contains(datagram[13]) ? .yes : .no
  }

  /// Whether a datagram, of which `lengthOnWire` bytes were sent, consists of whole DTLS records with long headers.
  ///
  /// Only the endpoints know the length of a connection ID, so a record with one is assumed to extend to the end.
  package static func isDTLS(_ datagram: Span<UInt8>, lengthOnWire: Int) -> Bool {
    var start = 0
    while start < lengthOnWire {
      // The rest may have been truncated to the snapshot length.
      guard datagram.count - start >= DTLSRecord.headerByteCount else { return start > 0 && datagram.count < lengthOnWire }
      let version = datagram.raw.big16(start + 1)
      guard (20...25).contains(datagram[start]), version == 0xFEFF || version == 0xFEFD else { return false }
      if datagram[start] == ContentType.tls12CID.rawValue { return datagram[start + 4] > 0 }
      start += DTLSRecord.headerByteCount + Int(datagram.raw.big16(start + 11))
    }
    return start == lengthOnWire && start > 0
  }

  /// The maximum length of a hello, so that random bytes cannot announce megabytes.
  static let maximumHelloLength = 1 << 17

  /// Recognizes a record header by its type and version; with `.yes`, all five bytes are present.
  private static func recordHeader(_ type: UInt8, _ prefix: Span<UInt8>) -> TLSRecognition {
    if prefix.count > 0, prefix[0] != type { return .no }
    if prefix.count > 1, prefix[1] != 3 { return .no }
    if prefix.count > 2, prefix[2] > 4 { return .no }
    return prefix.count < RecordHeader.byteCount ? .needMore : .yes
  }
}
