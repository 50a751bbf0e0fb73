import ByteParsing

/// The first bytes of a stream, to be compared with what protocols begin with.
struct BeginningText: ~Escapable {
  private let bytes: Span<UInt8>

  /// Greetings name their protocol early, if they do.
  private static let searched = 160

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  /// Whether they begin so; commands may be written in small letters.
  func begins(_ text: StaticString) -> Bool {
    let wanted = Array(text.description.utf8)
    guard bytes.count >= wanted.count else { return false }
    return wanted.indices.allSatisfy {
      asciiLowercased(bytes[$0]) == asciiLowercased(wanted[$0])
    }
  }

  /// Whether they are the first part of this, and not all of it.
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
    let end = min(bytes.count, BeginningText.searched) - wanted.count
    guard end >= 0 else { return false }
    return (0...end).contains { start in wanted.indices.allSatisfy { bytes[start + $0] == wanted[$0] } }
  }

  /// A command that leads to a data connection of FTP.
  var isFTPDataCommand: Bool { FTPDataPorts.isCommand(bytes) }

  /// The server's first packet: three bytes of length, sequence number 0, protocol version 10, its version as text.
  var isMySQLGreeting: Bool {
    guard bytes.count > 8, bytes[3] == 0, bytes[4] == 10, (0x30...0x39).contains(bytes[5]) else {
      return false
    }
    let length = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
    return length >= 32 && length <= 1024
  }

  /// An SSLRequest, which is how a client of MySQL requests TLS: 32 bytes, sequence number 1, capabilities with CLIENT_SSL, and
  /// after three fields zeros. The greeting that it answers may be late in the capture, or lost.
  var isMySQLRequest: Bool {
    begins([0x20, 0, 0, 1]) && bytes.count >= 32 && bytes[5] & 0x08 != 0
      && (13..<32).allSatisfy { bytes[$0] == 0 }
  }

  /// An ExtendedRequest (RFC 4511 §4.12), which is how LDAP requests TLS, or a bind or a search, which may come before
  /// it, or an answer to one of these that is before it in the capture; the length may be in the long form.
  var isLDAPMessage: Bool {
    guard bytes.count > 6, bytes[0] == 0x30 else { return false }
    let more = bytes[1] & 0x80 == 0 ? 0 : Int(bytes[1] & 0x7F)
    guard more <= 4, bytes.count > 5 + more else { return false }
    let number = 2 + more
    guard bytes[number] == 0x02, bytes[number + 1] >= 1, bytes[number + 1] <= 4 else { return false }
    let operation = number + 2 + Int(bytes[number + 1])
    return operation < bytes.count && [0x60, 0x63, 0x77, 0x61, 0x64, 0x65, 0x78].contains(bytes[operation])
  }

  /// The header of a stream of XMPP (RFC 6120 §4.7), whose prefix is anybody's choice: `<stream:stream`, `<s:stream`, `<stream`.
  var isStreamHeader: Bool {
    var position = 0
    while position < bytes.count, BeginningText.isBlank(bytes[position]) { position += 1 }
    let rest = BeginningText(bytes.extracting(position..<bytes.count))
    if rest.begins("<?xml") { return true }
    guard rest.begins("<") else { return false }
    let end = (position..<min(bytes.count, position + 64)).first { BeginningText.isBlank(bytes[$0]) }
    guard let end, end - position > 7 else { return false }
    return BeginningText(bytes.extracting((end - 6)..<bytes.count)).begins("stream")
      && (bytes[end - 7] == 0x3A || bytes[end - 7] == 0x3C)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// A tag and a command that may come before anybody is known (RFC 9051 §6.1 and §6.2).
  var isIMAPCommand: Bool {
    let blank = (0..<min(bytes.count, 32)).first { bytes[$0] == 0x20 }
    guard let blank, blank > 0, (0..<blank).allSatisfy({ (0x21...0x7E).contains(bytes[$0]) }) else {
      return false
    }
    let rest = BeginningText(bytes.extracting((blank + 1)..<bytes.count))
    let commands: [StaticString] = ["CAPABILITY\r\n", "STARTTLS\r\n", "NOOP\r\n", "ID ("]
    return commands.contains { rest.begins($0) }
  }

  /// Whether they are the first part of what PostgreSQL, MySQL, LDAP, SOCKS, RDP or ADB begins with.
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

  /// Whether they are what a proxy of SOCKS says first, or a part of it, before the capture holds what it answers: that no names are
  /// requested (RFC 1928 §3), or that the connection is made in SOCKS 4.
  private var isSOCKSReply: Bool {
    bytes.count < 2 || bytes[0] == 5 && bytes[1] == 0 && bytes.count == 2
      || bytes[0] == 0 && bytes[1] == 90 && bytes.count <= 8
  }

  /// Whether they can be the first part of a greeting of SOCKS 5 or of a request of SOCKS 4.
  private var maySpeakSOCKS: Bool {
    if bytes[0] == 5 { return bytes.count < 2 || bytes[1] > 0 && bytes.count < 2 + Int(bytes[1]) }
    return bytes.count < 2 || bytes[1] == 1 && bytes.count < 9 + 512
  }

  /// The client's first message of SOCKS 4, 4a or 5 (RFC 1928 §3); what it says next may directly follow.
  var socks: ForeignProtocol? {
    guard bytes.count >= 3 else { return nil }
    if bytes[0] == 5 {
      let end = 2 + Int(bytes[1])
      guard bytes[1] > 0, bytes.count >= end else { return nil }
      return bytes.count == end || bytes[end] == 5 || bytes[end] == 1 ? .socks5 : nil
    }
    // CONNECT: version, command, port, address, a user name that a zero ends, and in 4a a host that a zero ends.
    guard bytes.count >= 9, bytes[0] == 4, bytes[1] == 1 else { return nil }
    let hasName = bytes[4] == 0 && bytes[5] == 0 && bytes[6] == 0 && bytes[7] != 0
    guard let user = zero(from: 8) else { return nil }
    if !hasName { return .socks4 }
    return zero(from: user + 1) == nil ? nil : .socks4a
  }

  /// The next zero within the length that names have.
  private func zero(from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    return (start..<min(bytes.count, start + 256)).first { bytes[$0] == 0 }
  }
}
