package import ByteParsing

/// A ticket to resume the session with, up to TLS 1.2 (RFC 5077 §3.3).
package struct NewSessionTicket: Hashable, Sendable {
  /// `ticket_lifetime_hint` in seconds; 0 leaves it to the client.
  package var lifetimeSeconds: UInt32

  /// The ticket.
  package var ticket: Bytes

  /// Parses the body of a handshake message of type `new_session_ticket`.
  package init(parsing body: Span<UInt8>) throws(ParseError) {
    var reader = ByteReader(body)
    lifetimeSeconds = try reader.readUInt32("ticket_lifetime_hint")
    var ticket = try reader.readVector("ticket", 0...0xFFFF)
    self.ticket = ticket.readRest()
    try reader.requireEnd(of: "NewSessionTicket")
  }
}
