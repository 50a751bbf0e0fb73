import ByteParsing
package import SessionModel
import Values

/// A host and port whose certificate chain sessions hide.
package struct MissingChain: Sendable {
  /// The name in lower case, or the address: text from a capture, not yet made safe to show.
  package let host: String

  package let port: UInt16

  /// The capture of the first session that hides the chain.
  package let file: String

  package let firstFrame: UInt64
  package private(set) var sessions = 0

  /// Why they do, with how many do so, in the order in which the reasons came up.
  package private(set) var reasons: [(reason: Evidence.State, sessions: Int)] = []

  /// The transports of these sessions: those of `tcp`, `quic` and `udp` (DTLS) that occur.
  package private(set) var transports: Set<ObservedSession.Transport> = []

  /// The protocol whose STARTTLS began a handshake, such as `smtp`; nil where none did.
  package private(set) var startTLS: String?

  /// Whether another session with the host and port showed its chain in the clear.
  package var isShownElsewhere = false

  /// Creates the entry of a session's host, which no session is counted for yet.
  package init(_ session: borrowing ObservedSession) {
    host = (session.serverName ?? session.hostAddress.description).lowercased()
    port = session.hostPort
    file = session.file
    firstFrame = session.firstFrame
  }

  package mutating func note(_ session: borrowing ObservedSession) {
    sessions += 1
    transports.insert(session.transport)
    startTLS = startTLS ?? session.startTLSProtocol
    let reason = session.evidence.certificates
    if let index = reasons.firstIndex(where: { $0.reason == reason }) {
      reasons[index].sessions += 1
    } else {
      reasons.append((reason, 1))
    }
  }
}

/// The name of a file that holds the chain of a host and port: `HOST_PORT.pem`. An IPv6 address is in brackets, with hyphens for its
/// colons: `[2001-db8--1]_443.pem`.
package struct CollectedChainName: Hashable, Sendable {
  /// The name in lower case, or the address.
  package let host: String

  /// The port, from 1.
  package let port: UInt16

  /// Takes a host from a capture; nil where it is not made of letters, digits, dots, hyphens and underscores alone, begins with none of
  /// the first two, or is longer than a file name allows.
  package init?(host: String, port: UInt16) {
    let isIPv6 = host.contains(":")
    guard port > 0, isIPv6 ? IPAddress(host) != nil : CollectedChainName.isFileName(host) else { return nil }
    if isIPv6, host.contains("%") { return nil }
    (self.host, self.port) = (host, port)
  }

  /// Reads the name of a file in a folder of collected chains; nil for any other name.
  package init?(fileName: String) {
    guard fileName.hasSuffix(".pem"), let sign = fileName.lastIndex(of: "_"),
      let port = UInt16(fileName[fileName.index(after: sign)...].dropLast(4)), port > 0
    else { return nil }
    var host = String(fileName[..<sign]).lowercased()
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast().map { $0 == "-" ? ":" : $0 })
    }
    self.init(host: host, port: port)
    // Neither `+443` nor `0443`.
    guard self.fileName == fileName.lowercased() else { return nil }
  }

  package var fileName: String {
    let isIPv6 = host.contains(":")
    return (isIPv6 ? "[" + String(host.map { $0 == ":" ? "-" : $0 }) + "]" : host) + "_\(port).pem"
  }

  /// The host and port: `api.example.com:443`.
  package var endpoint: String { "\(host):\(port)" }

  /// Whether the host is an address, which no server_name holds.
  package var isAddress: Bool { IPAddress(host) != nil }

  /// Longest host: with its port and `.pem` it is a file name of 255 bytes, of which the script needs some for files on the way.
  private static let maximumHostByteCount = 236

  private static func isFileName(_ host: String) -> Bool {
    guard let first = host.utf8.first, host.utf8.count <= maximumHostByteCount, isLowercaseAlphanumeric(first) else {
      return false
    }
    return host.utf8.allSatisfy { isLowercaseAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
  }
}
