package import ByteParsing
import Crypto
package import Values

/// A hash of what links sessions: a session ticket, a session ID, a server or a pair of endpoints; 0 for none.
///
/// The hash has a new seed in each run, so that no input can make two tickets collide. It appears in no output.
package struct LinkDigest: Hashable, Sendable {
  package let rawValue: UInt64

  /// The digest of an absent ticket, session ID or server.
  package static let none = LinkDigest(rawValue: 0)

  private static let seed = UInt64.random(in: .min ... .max)

  private init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Hashes the short form of a ticket (`ShortBytes.init(ticket:)`); an empty one gives `none`.
  package init(ticket: ShortBytes) {
    rawValue = ticket.isEmpty ? 0 : ticket.seededHash(LinkDigest.seed) | 1
  }

  /// Hashes a session ID, differently from a ticket; an empty one gives `none`.
  package init(sessionID: ShortBytes) {
    rawValue = sessionID.isEmpty ? 0 : sessionID.seededHash(~LinkDigest.seed) | 1
  }

  /// Hashes a server: its address, and the digest of the name that the client used.
  package init(server address: IPAddress, nameDigest: UInt64) {
    var hash = nameDigest ^ LinkDigest.seed
    for part in [address.high, address.low] {
      hash = folded(hash ^ part, 0x9E37_79B9_7F4A_7C15)
    }
    rawValue = hash | 1
  }

  /// Hashes an endpoint that listens for a connection from another host.
  package init(listener: Endpoint, peer: IPAddress) {
    self.init(server: peer, nameDigest: LinkDigest(server: listener.address, nameDigest: UInt64(listener.port)).rawValue)
  }

  /// Hashes the two endpoints of a connection; port 0 means any port.
  package init(client: Endpoint, server: Endpoint) {
    self.init(server: client.address, nameDigest: LinkDigest(listener: server, peer: server.address).rawValue ^ UInt64(client.port) << 16)
  }

  /// The digest of a name, which ignores case and is never 0.
  package static func digest(ofName name: String) -> UInt64 {
    let bytes = name.utf8.asciiLowercase
    return seededHash(of: bytes.span, seed: seed &+ 1) | 1
  }

  package var isNone: Bool { rawValue == 0 }
}

extension ShortBytes {
  /// Creates the short form of a ticket for records, which contains no byte of it: the first 16 bytes of its SHA-256. An empty ticket gives
  /// an empty form.
  package init(ticket: Span<UInt8>) {
    self.init()
    if !ticket.isEmpty { self.init(Bytes(SHA256.hash(data: Bytes(copying: ticket))).span.extracting(first: 16)) }
  }
}

extension ObservedSession {
  /// The digest of `serverName`, equal for equal names in one run; 0 if there is none.
  package var serverNameDigest: UInt64 {
    if serverNameSource == .sni, let digest = sharedTLS?.serverNameDigest, digest != 0 { return digest }
    return serverName.map { LinkDigest.digest(ofName: $0) } ?? 0
  }
}
