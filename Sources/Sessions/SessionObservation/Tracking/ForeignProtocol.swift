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
  case socks

  /// What a stream speaks that begins with these bytes; nil where it is none of these.
  init?(beginningWith bytes: Span<UInt8>) {
    func begins(_ text: StaticString) -> Bool {
      guard bytes.count >= text.utf8CodeUnitCount else { return false }
      for (index, byte) in text.description.utf8.enumerated() where bytes[index] != byte { return false }
      return true
    }
    func begins(_ values: [UInt8]) -> Bool {
      guard bytes.count >= values.count else { return false }
      return values.indices.allSatisfy { bytes[$0] == values[$0] }
    }
    if begins("220 ") || begins("220-") || begins("EHLO ") || begins("HELO ") || begins("AUTH TLS") {
      self = .smtpOrFTP
    } else if begins("* OK") || begins("* PREAUTH") {
      self = .imap
    } else if begins("+OK") {
      self = .pop3
    } else if begins("<?xml") || begins("<stream:stream") {
      self = .xmpp
    } else if begins([0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]) {
      self = .postgresql
    } else if bytes.count > 6, bytes[0] == 0x30, begins([bytes[0], bytes[1], 0x02, 0x01]), bytes[5] == 0x77 {
      // An ExtendedRequest (RFC 4511 §4.12), which is how LDAP asks for TLS.
      self = .ldap
    } else if bytes.count >= 3,
      bytes[0] == 5 && Int(bytes[1]) + 2 == bytes.count || bytes[0] == 4 && bytes[1] == 1
    {
      self = .socks
    } else {
      return nil
    }
  }

  /// How a session that follows travels, for its `tunnel`; `port` is the server's.
  func tunnel(port: UInt16) -> String {
    switch self {
    case .smtpOrFTP: port == 21 || port == 990 ? "starttls ftp" : "starttls smtp"
    case .imap: "starttls imap"
    case .pop3: "starttls pop3"
    case .xmpp: "starttls xmpp"
    case .postgresql: "starttls postgresql"
    case .ldap: "starttls ldap"
    case .socks: "socks"
    }
  }
}
