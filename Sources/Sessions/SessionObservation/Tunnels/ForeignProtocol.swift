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
  case nntp
  case sieve
  /// A client that asks for TLS in a word that several protocols have.
  case startTLS

  /// What a stream speaks that begins with these bytes; nil where it is none of these.
  init?(beginningWith bytes: Span<UInt8>) {
    let start = BeginningText(bytes)
    if let greeted = ForeignProtocol(greeting: start) ?? ForeignProtocol(command: start) {
      self = greeted
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

  /// What a server speaks that says this first.
  private init?(greeting start: borrowing BeginningText) {
    if start.begins("220 ") || start.begins("220-") || start.begins("120 ") {
      self = start.contains("FTP") ? .ftp : start.contains("SMTP") ? .smtp : .smtpOrFTP
    } else if start.begins("* OK") || start.begins("* PREAUTH") {
      self = .imap
    } else if start.begins("+OK") {
      self = .pop3
    } else if (start.begins("200 ") || start.begins("201 ")) && start.contains("NN") {
      self = .nntp
    } else if start.begins("\"IMPLEMENTATION\"") {
      self = .sieve
    } else if start.begins(":") && start.contains(" NOTICE ") {
      self = .irc
    } else {
      return nil
    }
  }

  /// What a client speaks that says this first.
  private init?(command start: borrowing BeginningText) {
    if start.begins("EHLO ") || start.begins("HELO ") || start.begins("LHLO ") {
      self = .smtp
    } else if start.begins("AUTH TLS") || start.begins("AUTH SSL") || start.begins("FEAT\r\n") {
      self = .ftp
    } else if start.begins("CAPA\r\n") || start.begins("STLS\r\n") {
      self = .pop3
    } else if start.begins("CAP ") || start.begins("NICK ") {
      self = .irc
    } else if start.begins("STARTTLS\r\n") {
      self = .startTLS
    } else if start.isStreamHeader {
      self = .xmpp
    } else if start.isIMAPCommand {
      self = .imap
    } else {
      return nil
    }
  }

  /// Whether more bytes are needed to tell that a stream speaks one of these: too few are there, and they fit.
  static func isUndecided(_ bytes: Span<UInt8>) -> Bool {
    let start = BeginningText(bytes)
    return texts.contains { start.isBegun($0) } || start.isBinaryBegun
  }

  /// What the first bytes are compared with; letters that begin a request of HTTP as well are read there.
  private static let texts: [[UInt8]] = [
    "220 ", "120 ", "200 ", "201 ", "* OK", "* PREAUTH", "+OK", "<?xml", "<stream:stream ",
    "\"IMPLEMENTATION\"",
    "ehlo ", "helo ", "lhlo ", "auth tls", "feat\r\n", "capa\r\n", "stls\r\n", "starttls\r\n", "nick ",
    "cap ",
  ].map { Array($0.utf8) }

  /// What it is, now that a client has said this as well: greetings do not always tell.
  func refined(by bytes: Span<UInt8>) -> ForeignProtocol {
    guard self == .smtpOrFTP else { return self }
    let start = BeginningText(bytes)
    if start.begins("EHLO ") || start.begins("HELO ") || start.begins("LHLO ") { return .smtp }
    let commands: [StaticString] = [
      "AUTH TLS", "AUTH SSL", "FEAT", "USER ", "HOST ", "CLNT ", "OPTS ", "SYST",
    ]
    return commands.contains { start.begins($0) } ? .ftp : self
  }

  /// What goes over a port in the clear and changes to TLS on the way; nil for ports of nothing such.
  static func usual(onPort port: UInt16) -> ForeignProtocol? {
    switch port {
    case 21: .ftp
    case 24, 25, 587: .smtp
    case 110: .pop3
    case 119, 433: .nntp
    case 143: .imap
    case 389, 3268: .ldap
    case 3306: .mysql
    case 4190: .sieve
    case 5222, 5269: .xmpp
    case 5432: .postgresql
    case 6667: .irc
    default: nil
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
    case .nntp: "starttls nntp"
    case .sieve: "starttls sieve"
    case .startTLS: (ForeignProtocol.usual(onPort: port) ?? .irc).tunnel(port: port)
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

  /// Whether they begin so; commands may be written in small letters.
  func begins(_ text: StaticString) -> Bool {
    let wanted = Array(text.description.utf8)
    guard bytes.count >= wanted.count else { return false }
    return wanted.indices.allSatisfy {
      BeginningText.lowercase(bytes[$0]) == BeginningText.lowercase(wanted[$0])
    }
  }

  /// Whether they are the first part of this, and not all of it.
  func isBegun(_ wanted: [UInt8]) -> Bool {
    guard bytes.count < wanted.count else { return false }
    return (0..<bytes.count).allSatisfy {
      BeginningText.lowercase(bytes[$0]) == BeginningText.lowercase(wanted[$0])
    }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
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

  /// Whether they are the first part of what PostgreSQL, MySQL, LDAP or SOCKS begins with.
  var isBinaryBegun: Bool {
    guard bytes.count > 0 else { return false }
    switch bytes[0] {
    case 0: return isBegun([0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F])
    case 0x30: return bytes.count < 12 && !isLDAPRequest && mayBeLDAP
    case 4, 5: return socks == nil && maySpeakSOCKS
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

  /// Whether they can be the first part of a greeting of SOCKS 5 or of a request of SOCKS 4.
  private var maySpeakSOCKS: Bool {
    if bytes[0] == 5 { return bytes.count < 2 || bytes[1] > 0 && bytes.count < 2 + Int(bytes[1]) }
    return bytes.count < 2 || bytes[1] == 1 && bytes.count < 9 + 512
  }

  /// The client's first message of SOCKS 4, 4a or 5 (RFC 1928 §3); what it says next may stand right behind.
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
