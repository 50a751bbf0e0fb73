import ByteParsing

/// What stands for a session ticket or a session ID in tables; 0 stands for none.
///
/// The hash is seeded anew in each run, so that no file can have two tickets taken for one. It goes into no output.
struct TicketDigest: Hashable, Sendable {
  let rawValue: UInt64

  /// Stands for no ticket.
  static let none = TicketDigest(rawValue: 0)

  private static let seed = UInt64.random(in: .min ... .max)

  private init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Hashes a ticket; an empty one is none.
  init(ticket: Span<UInt8>) {
    rawValue = ticket.isEmpty ? 0 : seededHash(of: ticket, seed: TicketDigest.seed) | 1
  }

  /// Hashes a session ID, apart from tickets.
  init(sessionID: ShortBytes) {
    let bytes = sessionID.bytes
    rawValue = bytes.isEmpty ? 0 : seededHash(of: bytes.span, seed: ~TicketDigest.seed) | 1
  }

  /// Whether it stands for none.
  var isNone: Bool { rawValue == 0 }
}
