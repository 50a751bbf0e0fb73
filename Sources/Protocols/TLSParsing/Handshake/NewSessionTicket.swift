public import ByteParsing

/// A ticket to resume the session with, up to TLS 1.2 (RFC 5077 §3.3).
public struct NewSessionTicket: Hashable, Sendable {
  /// `ticket_lifetime_hint` in seconds; 0 leaves it to the client.
  public var lifetimeSeconds: UInt32

  /// The ticket.
  public var ticket: Bytes

  /// Parses the body of a handshake message of type `new_session_ticket`.
  public init(parsing body: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(body)
    lifetimeSeconds = try reader.readUInt32("ticket_lifetime_hint")
    var ticket = try reader.readVector("ticket", 0...0xFFFF)
    self.ticket = ticket.readRest()
    try reader.requireEnd(of: "NewSessionTicket")
  }
}
