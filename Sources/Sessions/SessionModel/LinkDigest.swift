package import ByteParsing
import Crypto
package import Values

/// A hash of what links sessions: a session ticket, a session ID, a server or a pair of endpoints; 0 for none.
///
/// The hash is seeded anew in each run, so that no file can make two tickets collide. It goes into no output.
package struct LinkDigest: Hashable, Sendable {
  /// The hash.
  package let rawValue: UInt64

  /// The digest of no ticket, session ID or server.
  package static let none = LinkDigest(rawValue: 0)

  private static let seed = UInt64.random(in: .min ... .max)

  private init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Hashes the name of a ticket (`ShortBytes.init(ticket:)`); an empty one is none.
  package init(ticket: ShortBytes) {
    rawValue = ticket.isEmpty ? 0 : ticket.seededHash(LinkDigest.seed) | 1
  }

  /// Hashes a session ID, apart from tickets.
  package init(sessionID: ShortBytes) {
    rawValue = sessionID.isEmpty ? 0 : sessionID.seededHash(~LinkDigest.seed) | 1
  }

  /// Hashes a server: its address, and the digest of the name by which the client addressed it.
  package init(server address: IPAddress, nameDigest: UInt64) {
    var hash = nameDigest ^ LinkDigest.seed
    for part in [address.high, address.low] {
      hash = folded(hash ^ part, 0x9E37_79B9_7F4A_7C15)
    }
    rawValue = hash | 1
  }

  /// Hashes an endpoint that listens for a connection of another host.
  package init(listener: Endpoint, peer: IPAddress) {
    self.init(
      server: peer,
      nameDigest: LinkDigest(server: listener.address, nameDigest: UInt64(listener.port)).rawValue)
  }

  /// Hashes the two endpoints of a connection; a port may be 0 for any.
  package init(client: Endpoint, server: Endpoint) {
    self.init(
      server: client.address,
      nameDigest: LinkDigest(listener: server, peer: server.address).rawValue ^ UInt64(client.port) << 16)
  }

  /// The digest of a name, whose case does not matter; 0 stands for none.
  package static func digest(ofName name: String) -> UInt64 {
    let bytes = Bytes(name.asciiLowercase.utf8)
    return seededHash(of: bytes.span, seed: seed &+ 1) | 1
  }

  /// Whether it is the digest of nothing.
  package var isNone: Bool { rawValue == 0 }
}

extension ShortBytes {
  /// Names a ticket in records, without a byte of it: the first 16 bytes of its SHA-256; none for an empty ticket.
  package init(ticket: Span<UInt8>) {
    self.init()
    if !ticket.isEmpty { self.init(SHA256.hash(data: Bytes(copying: ticket)).prefix(16)) }
  }
}

extension ObservedSession {
  /// The digest of `serverName`, equal for equal names in one run; 0 where there is none.
  package var serverNameDigest: UInt64 {
    if serverNameSource == .sni, let digest = tls?.serverNameDigest, digest != 0 { return digest }
    return serverName.map { LinkDigest.digest(ofName: $0) } ?? 0
  }
}
