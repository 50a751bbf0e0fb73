import ByteParsing
package import SessionModel

/// Protocols that begin in cleartext and may change to TLS on the same connection.
///
/// Raw values are the marks that the tracker keeps of a connection.
package enum ForeignProtocol: UInt16, CaseIterable {
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
  /// A client that requests TLS with a command that several protocols have in common.
  case startTLS
  case rdp
  case adb
  case noMachine
  case lmtp

  /// The protocol of a stream that begins with these bytes; nil if unknown.
  package init?(beginningWith bytes: Span<UInt8>) {
    let start = BeginningText(bytes)
    if let greeted = ForeignProtocol(greeting: start) ?? ForeignProtocol(command: start) {
      self = greeted
    } else if start.begins([0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F])
      || start.begins([0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x30])
    {
      // SSLRequest, or GSSENCRequest, which a client may try first.
      self = .postgresql
    } else if start.isMySQLGreeting || start.isMySQLRequest {
      self = .mysql
    } else if start.isLDAPMessage {
      self = .ldap
    } else if case .yes(let negotiation) = ConnectionNegotiation.recognize(bytes), negotiation.leadsToTLS {
      self = .rdp
    } else if case .yes(let header) = BridgeHeader.recognize(bytes), header.leadsToTLS {
      self = .adb
    } else if let socks = start.socks {
      self = socks
    } else {
      return nil
    }
  }

  /// The protocol of a server that sends this greeting.
  private init?(greeting start: borrowing BeginningText) {
    if start.begins("220 ") || start.begins("220-") || start.begins("120 ") {
      self = start.contains("FTP") ? .ftp : start.contains("SMTP") ? .smtp : start.contains("LMTP") ? .lmtp : .smtpOrFTP
    } else if start.begins("* OK") || start.begins("* PREAUTH") {
      self = .imap
    } else if start.begins("+OK") {
      self = .pop3
    } else if start.begins("200 ") || start.begins("201 ") {
      // The text after the number is arbitrary (RFC 3977 §5.1).
      self = .nntp
    } else if start.begins("\"IMPLEMENTATION\"") {
      self = .sieve
    } else if start.begins(":") && start.contains(" NOTICE ") {
      self = .irc
    } else if start.begins("NXSH-") || start.begins("NXD-") {
      // The client sends the first, the server the second.
      self = .noMachine
    } else {
      return nil
    }
  }

  /// The protocol of a client that begins with this command.
  private init?(command start: borrowing BeginningText) {
    if start.begins("EHLO ") || start.begins("HELO ") {
      self = .smtp
    } else if start.begins("LHLO ") {
      self = .lmtp
    } else if start.begins("AUTH TLS") || start.begins("AUTH SSL") || start.begins("FEAT\r\n")
      || start.isFTPDataCommand
    {
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

  /// Whether the bytes are a prefix of a known beginning, but too few to decide.
  static func isUndecided(_ bytes: Span<UInt8>) -> Bool {
    let start = BeginningText(bytes)
    return texts.contains { start.isBegun($0) } || start.isBinaryBegun
  }

  /// The known beginnings, in lower case. Those that begin like an HTTP request are examined elsewhere.
  private static let texts: [[UInt8]] = [
    "220 ", "120 ", "200 ", "201 ", "* OK", "* PREAUTH", "+OK", "<?xml", "<stream:stream ", "\"IMPLEMENTATION\"", "ehlo ", "helo ", "lhlo ",
    "auth tls", "feat\r\n", "capa\r\n", "stls\r\n", "starttls\r\n", "nick ", "cap ", "nxsh-", "nxd-",
  ].map { Array($0.utf8) }

  /// Whether the client's commands may show that the protocol is another one with a similar greeting.
  var mayBeRefined: Bool { self == .smtpOrFTP || self == .smtp || self == .ftp }

  /// The protocol, given these further bytes of the client. Greetings alone do not always identify it.
  package func refined(by bytes: Span<UInt8>) -> ForeignProtocol {
    guard mayBeRefined else { return self }
    let start = BeginningText(bytes)
    // The greetings of LMTP may be those of SMTP (RFC 2033 §4.1).
    if start.begins("LHLO ") { return .lmtp }
    // The name of a mail server may contain "FTP".
    if self == .smtp || start.begins("EHLO ") || start.begins("HELO ") { return .smtp }
    if self == .ftp { return .ftp }
    let commands: [StaticString] = ["AUTH TLS", "AUTH SSL", "FEAT", "USER ", "HOST ", "CLNT ", "OPTS ", "SYST"]
    return commands.contains { start.begins($0) } ? .ftp : self
  }

  /// The cleartext protocol with an upgrade to TLS that usually uses a port; nil for other ports.
  package static func usual(onPort port: UInt16) -> ForeignProtocol? {
    switch port {
    case 21: .ftp
    case 24, 25, 587: .smtp
    case 110: .pop3
    case 119, 433: .nntp
    case 143: .imap
    case 389, 3268: .ldap
    case 3306: .mysql
    case 3389: .rdp
    case 4190: .sieve
    case 5222, 5269: .xmpp
    case 5432: .postgresql
    case 6667: .irc
    default: nil
    }
  }

  /// Whether the protocol consists of lines of text.
  package var isText: Bool { ![.postgresql, .ldap, .mysql].contains(self) && !isFramed && !isSOCKS }

  /// Whether its messages begin with a length.
  package var isFramed: Bool { self == .rdp || self == .adb }

  /// Whether it leads to a tunnel through a SOCKS proxy.
  package var isSOCKS: Bool { self == .socks5 || self == .socks4 || self == .socks4a }

  /// The layer around a session after this protocol; `port` is the server's.
  package func tunnel(port: UInt16) -> EnclosingLayer {
    switch self {
    // The greeting fits both protocols, so the port decides.
    case .smtpOrFTP: port == 21 || port == 990 ? .ftpControl : .startTLS("smtp")
    case .smtp: .startTLS("smtp")
    case .lmtp: .startTLS("lmtp")
    case .ftp: .ftpControl
    case .imap: .startTLS("imap")
    case .pop3: .startTLS("pop3")
    case .xmpp: .startTLS("xmpp")
    case .postgresql: .startTLS("postgresql")
    case .mysql: .startTLS("mysql")
    case .ldap: .startTLS("ldap")
    case .irc: .startTLS("irc")
    case .nntp: .startTLS("nntp")
    case .sieve: .startTLS("sieve")
    case .rdp: .startTLS("rdp")
    case .adb: .startTLS("adb")
    case .noMachine: .startTLS("nomachine")
    case .startTLS: (ForeignProtocol.usual(onPort: port) ?? .irc).tunnel(port: port)
    case .socks5: EnclosingLayer("socks 5")
    case .socks4: EnclosingLayer("socks 4")
    case .socks4a: EnclosingLayer("socks 4a")
    }
  }
}
