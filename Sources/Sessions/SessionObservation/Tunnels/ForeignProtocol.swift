/// Protocols that begin in the clear and may change to TLS on the same connection.
///
/// Raw values are the marks under which a connection is remembered.
enum ForeignProtocol: UInt16, CaseIterable {
  case smtpOrFTP = 16
  case imap
  case pop3
  case xmpp
  case postgresql
  case ldap
  case socks5
  case socks4
  case socks4a
  case smtp
  case ftp
  case mysql
  case irc

  /// What a stream speaks that begins with these bytes; nil where it is none of these.
  init?(beginningWith bytes: Span<UInt8>) {
    let start = BeginningText(bytes)
    if start.begins("220 ") || start.begins("220-") {
      self = start.contains("FTP") ? .ftp : start.contains("SMTP") ? .smtp : .smtpOrFTP
    } else if start.begins("EHLO ") || start.begins("HELO ") || start.begins("LHLO ") {
      self = .smtp
    } else if start.begins("AUTH TLS") || start.begins("AUTH SSL") || start.begins("FEAT\r\n") {
      self = .ftp
    } else if start.begins("* OK") || start.begins("* PREAUTH") {
      self = .imap
    } else if start.begins("+OK") {
      self = .pop3
    } else if start.begins("<?xml") || start.begins("<stream:stream") {
      self = .xmpp
    } else if start.begins("CAP ") || start.begins("NICK ") || start.begins("STARTTLS\r\n")
      || start.begins(":") && start.contains(" NOTICE ")
    {
      self = .irc
    } else if start.begins([0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F])
      || start.begins([0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x30])
    {
      // SSLRequest, or GSSENCRequest, which a client may try first.
      self = .postgresql
    } else if start.isMySQLGreeting {
      self = .mysql
    } else if start.isLDAPRequest {
      self = .ldap
    } else if let socks = start.socks {
      self = socks
    } else {
      return nil
    }
  }

  /// Whether it leads to a tunnel through a SOCKS proxy.
  var isSOCKS: Bool { self == .socks5 || self == .socks4 || self == .socks4a }

  /// How a session that follows travels, for its `tunnel`; `port` is the server's.
  func tunnel(port: UInt16) -> String {
    switch self {
    // The greetings of both begin alike; this one does not say which it is.
    case .smtpOrFTP: port == 21 || port == 990 ? "starttls ftp" : "starttls smtp"
    case .smtp: "starttls smtp"
    case .ftp: "starttls ftp"
    case .imap: "starttls imap"
    case .pop3: "starttls pop3"
    case .xmpp: "starttls xmpp"
    case .postgresql: "starttls postgresql"
    case .mysql: "starttls mysql"
    case .ldap: "starttls ldap"
    case .irc: "starttls irc"
    case .socks5: "socks 5"
    case .socks4: "socks 4"
    case .socks4a: "socks 4a"
    }
  }
}

/// The first bytes of a stream, to be compared with what protocols begin with.
private struct BeginningText: ~Escapable {
  private let bytes: Span<UInt8>

  /// Greetings name their protocol early, if they do.
  private static let searched = 160

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) { self.bytes = bytes }

  func begins(_ text: StaticString) -> Bool { begins(Array(text.description.utf8)) }

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

  /// The server's first packet: three bytes of length, sequence number 0, protocol version 10, its version as text.
  var isMySQLGreeting: Bool {
    guard bytes.count > 8, bytes[3] == 0, bytes[4] == 10, (0x30...0x39).contains(bytes[5]) else {
      return false
    }
    let length = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
    return length >= 32 && length <= 1024
  }

  /// An ExtendedRequest (RFC 4511 §4.12), which is how LDAP asks for TLS, or a bind or a search, which may stand in front of
  /// it; the length may be in the long form.
  var isLDAPRequest: Bool {
    guard bytes.count > 6, bytes[0] == 0x30 else { return false }
    let more = bytes[1] & 0x80 == 0 ? 0 : Int(bytes[1] & 0x7F)
    guard more <= 4, bytes.count > 5 + more else { return false }
    let number = 2 + more
    guard bytes[number] == 0x02, bytes[number + 1] >= 1, bytes[number + 1] <= 4 else { return false }
    let operation = number + 2 + Int(bytes[number + 1])
    return operation < bytes.count && [0x60, 0x63, 0x77].contains(bytes[operation])
  }

  /// The client's first message of SOCKS 4, 4a or 5 (RFC 1928 §3).
  var socks: ForeignProtocol? {
    guard bytes.count >= 3 else { return nil }
    if bytes[0] == 5 { return Int(bytes[1]) + 2 == bytes.count ? .socks5 : nil }
    // CONNECT: version, command, port, address, a user name that a zero ends.
    guard bytes.count >= 9, bytes[0] == 4, bytes[1] == 1, bytes[bytes.count - 1] == 0 else { return nil }
    let hasName = bytes[4] == 0 && bytes[5] == 0 && bytes[6] == 0 && bytes[7] != 0
    return hasName ? .socks4a : .socks4
  }
}
