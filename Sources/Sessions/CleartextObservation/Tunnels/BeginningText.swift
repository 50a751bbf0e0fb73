import ByteParsing

/// The first bytes of a stream, for comparison with the beginnings of protocols.
struct BeginningText: ~Escapable {
  private let bytes: Span<UInt8>

  /// The number of bytes to search; greetings that name their protocol do so early.
  private static let maximumSearchedByteCount = 160

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// Whether the bytes begin with `text`; commands may be in lower case.
  func begins(_ text: StaticString) -> Bool {
    let wanted = Array(text.description.utf8)
    guard bytes.count >= wanted.count else { return false }
    return wanted.indices.allSatisfy {
      asciiLowercased(bytes[$0]) == asciiLowercased(wanted[$0])
    }
  }

  /// Whether the bytes are a proper prefix of `wanted`.
  func isBegun(_ wanted: [UInt8]) -> Bool {
    guard bytes.count < wanted.count else { return false }
    return (0..<bytes.count).allSatisfy {
      asciiLowercased(bytes[$0]) == asciiLowercased(wanted[$0])
    }
  }

  func begins(_ values: [UInt8]) -> Bool {
    guard bytes.count >= values.count else { return false }
    return values.indices.allSatisfy { bytes[$0] == values[$0] }
  }

  func contains(_ text: StaticString) -> Bool {
    let wanted = Array(text.description.utf8)
    let end = min(bytes.count, BeginningText.maximumSearchedByteCount) - wanted.count
    guard end >= 0 else { return false }
    return (0...end).contains { start in wanted.indices.allSatisfy { bytes[start + $0] == wanted[$0] } }
  }

  /// Whether the bytes are a command that leads to an FTP data connection.
  var isFTPDataCommand: Bool { FTPDataPorts.isCommand(bytes) }

  /// Whether the bytes are a server's first packet: length (3 bytes), sequence number 0, protocol version 10, server version as text.
  var isMySQLGreeting: Bool {
    guard bytes.count > 8, bytes[3] == 0, bytes[4] == 10, isDigit(bytes[5]) else { return false }
    let length = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
    return length >= 32 && length <= 1024
  }

  /// Whether the bytes are an SSLRequest, with which a MySQL client requests TLS: 32 bytes, sequence number 1, capabilities with
  /// CLIENT_SSL, and zeros after three fields. The greeting before it may be missing or out of order.
  var isMySQLRequest: Bool {
    begins([0x20, 0, 0, 1]) && bytes.count >= 32 && bytes[5] & 0x08 != 0
      && (13..<32).allSatisfy { bytes[$0] == 0 }
  }

  /// Whether the bytes are an ExtendedRequest (RFC 4511 §4.12), with which LDAP requests TLS; a bind or a search, which may precede it; or
  /// a response to one of these. The length may be in the long form.
  var isLDAPMessage: Bool {
    guard bytes.count > 6, bytes[0] == 0x30 else { return false }
    let more = bytes[1] & 0x80 == 0 ? 0 : Int(bytes[1] & 0x7F)
    guard more <= 4, bytes.count > 5 + more else { return false }
    let number = 2 + more
    guard bytes[number] == 0x02, bytes[number + 1] >= 1, bytes[number + 1] <= 4 else { return false }
    let operation = number + 2 + Int(bytes[number + 1])
    return operation < bytes.count && [0x60, 0x63, 0x77, 0x61, 0x64, 0x65, 0x78].contains(bytes[operation])
  }

  /// Whether the bytes are an XMPP stream header (RFC 6120 §4.7), whose prefix is arbitrary: `<stream:stream`, `<s:stream`, `<stream`.
  var isStreamHeader: Bool {
    var position = 0
    while position < bytes.count, isWSPOrLineEnd(bytes[position]) { position += 1 }
    let rest = BeginningText(bytes.extracting(position..<bytes.count))
    if rest.begins("<?xml") { return true }
    guard rest.begins("<") else { return false }
    let end = (position..<min(bytes.count, position + 64)).first { isWSPOrLineEnd(bytes[$0]) }
    guard let end, end - position > 7 else { return false }
    return BeginningText(bytes.extracting((end - 6)..<bytes.count)).begins("stream") && (bytes[end - 7] == 0x3A || bytes[end - 7] == 0x3C)
  }

  /// Whether the bytes are a tag and a command that is allowed before authentication (RFC 9051 §6.1 and §6.2).
  var isIMAPCommand: Bool {
    let blank = (0..<min(bytes.count, 32)).first { bytes[$0] == 0x20 }
    guard let blank, blank > 0, (0..<blank).allSatisfy({ (0x21...0x7E).contains(bytes[$0]) }) else { return false }
    let rest = BeginningText(bytes.extracting((blank + 1)..<bytes.count))
    let commands: [StaticString] = ["CAPABILITY\r\n", "STARTTLS\r\n", "NOOP\r\n", "ID ("]
    return commands.contains { rest.begins($0) }
  }

  /// Whether the bytes may be a prefix of a PostgreSQL, MySQL, LDAP, SOCKS, RDP or ADB beginning.
  var isBinaryBegun: Bool {
    guard bytes.count > 0 else { return false }
    switch bytes[0] {
    case 0: return isBegun([0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]) || isSOCKSReply
    case 0x30: return bytes.count < 12 && !isLDAPMessage && mayBeLDAP
    case 3: if case .needMore = ConnectionNegotiation.recognize(bytes) { return true } else { return false }
    case 4, 5: return socks == nil && (maySpeakSOCKS || isSOCKSReply)
    case 0x41...0x5A:
      if case .needMore = BridgeHeader.recognize(bytes) { return true } else { return mayBeMySQL }
    default: return mayBeMySQL
    }
  }

  private var mayBeMySQL: Bool {
    guard bytes.count < 9, bytes[0] >= 0x20 else { return false }
    if bytes.count > 1, bytes[1] > 4 { return false }
    return zip([2, 3, 4], [0, 0, 10] as [UInt8]).allSatisfy { $0 >= bytes.count || bytes[$0] == $1 }
      && bytes.count > 3
  }

  private var mayBeLDAP: Bool {
    guard bytes.count > 1 else { return true }
    let more = bytes[1] & 0x80 == 0 ? 0 : Int(bytes[1] & 0x7F)
    return more <= 4 && (bytes.count <= 2 + more || bytes[2 + more] == 0x02)
  }

  /// Whether the bytes may be a prefix of a SOCKS proxy's reply that precedes the request in the capture: no authentication required (RFC
  /// 1928 §3), or request granted in SOCKS 4.
  private var isSOCKSReply: Bool {
    bytes.count < 2 || bytes[0] == 5 && bytes[1] == 0 && bytes.count == 2 || bytes[0] == 0 && bytes[1] == 90 && bytes.count <= 8
  }

  /// Whether the bytes may be a prefix of a SOCKS 5 greeting or a SOCKS 4 request.
  private var maySpeakSOCKS: Bool {
    if bytes[0] == 5 { return bytes.count < 2 || bytes[1] > 0 && bytes.count < 2 + Int(bytes[1]) }
    return bytes.count < 2 || bytes[1] == 1 && bytes.count < 9 + 512
  }

  /// The SOCKS version, if the bytes are the client's first message (RFC 1928 §3); its next message may directly follow.
  var socks: ForeignProtocol? {
    guard bytes.count >= 3 else { return nil }
    if bytes[0] == 5 {
      let end = 2 + Int(bytes[1])
      guard bytes[1] > 0, bytes.count >= end else { return nil }
      return bytes.count == end || bytes[end] == 5 || bytes[end] == 1 ? .socks5 : nil
    }
    // CONNECT: version, command, port, address, a NUL-terminated user name, and in 4a a NUL-terminated host.
    guard bytes.count >= 9, bytes[0] == 4, bytes[1] == 1 else { return nil }
    let hasName = bytes[4] == 0 && bytes[5] == 0 && bytes[6] == 0 && bytes[7] != 0
    guard let user = zero(from: 8) else { return nil }
    if !hasName { return .socks4 }
    return zero(from: user + 1) == nil ? nil : .socks4a
  }

  /// Whether the bytes are exactly a SOCKS 5 request (RFC 1928 §4). A proxy's negative reply may look the same, but its port is 0.
  var isSOCKS5Request: Bool {
    let count = bytes.count
    guard count >= 8, bytes[0] == 5, (1...3).contains(bytes[1]), bytes[2] == 0, bytes[count - 2] | bytes[count - 1] != 0
    else { return false }
    return switch bytes[3] {
    case 1: count == 10
    case 3: count == 7 + Int(bytes[4]) && (5..<count - 2).allSatisfy { (0x21...0x7E).contains(bytes[$0]) }
    case 4: count == 22
    default: false
    }
  }

  /// The length of a SOCKS 5 proxy's consent to no authentication and its positive reply, as far as the bytes show it; nil if they begin
  /// otherwise.
  var socks5ResponsesByteCount: Int? {
    guard bytes.count > 2, begins(Array(([5, 0, 5, 0, 0] as [UInt8]).prefix(bytes.count))) else { return nil }
    guard bytes.count > 5 else { return 12 }
    return switch bytes[5] {
    case 1: 12
    case 3: 9 + (bytes.count > 6 ? Int(bytes[6]) : 0)
    case 4: 24
    default: nil
    }
  }

  /// The index of the next zero byte, within the maximum length of a name.
  private func zero(from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    return (start..<min(bytes.count, start + 256)).first { bytes[$0] == 0 }
  }
}
