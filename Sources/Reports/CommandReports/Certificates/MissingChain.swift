import ByteParsing
import Reporting
package import SessionModel
import Values

/// A host and port with sessions whose certificate chain is hidden.
package struct MissingChain: Sendable {
  /// The name in lower case, or the address: text from a capture, not escaped.
  package let host: String

  package let port: UInt16

  /// The capture of the first session with a hidden chain.
  package let file: String

  package let firstFrame: UInt64
  package private(set) var sessions = 0

  /// The reasons that chains are hidden, with the number of sessions for each, in the order of their first occurrence.
  package private(set) var reasons: [(reason: Evidence.State, sessions: Int)] = []

  /// The transports of these sessions.
  package private(set) var transports: Set<ObservedSession.Transport> = []

  /// The protocol in which STARTTLS began the handshake, such as `smtp`; nil without STARTTLS.
  package private(set) var startTLS: String?

  /// Whether another session with the host and port sent its chain unencrypted.
  package var isShownElsewhere = false

  /// Whether a chain of the host settles any of the sessions.
  package private(set) var isSettledByChain = false

  /// Whether the host of any of the sessions is known; chains are supplied by host.
  package private(set) var isHostKnown = false

  /// Whether the server refused all these handshakes.
  package private(set) var isRefused = true

  /// Whether the client sent no host name in any of these handshakes.
  package private(set) var isUnnamed = true

  /// Whether all these sessions are years older than the newest root store.
  package private(set) var isOld = true

  /// Creates the entry for the host of a session, without counting the session.
  package init(_ session: borrowing ObservedSession) {
    host = session.host
    port = session.hostPort
    file = session.file
    firstFrame = session.firstFrame
  }

  package mutating func note(_ session: borrowing ObservedSession, isSettledByChain: Bool) {
    sessions += 1
    if isSettledByChain { self.isSettledByChain = true }
    if session.serverName != nil { isHostKnown = true }
    if session.serverNameSource != .address { isUnnamed = false }
    if !Wording.isOld(session) { isOld = false }
    if session.sharedTLS?.outcome != .refusedByServer || session.sharedTLS?.sharedServerHello != nil { isRefused = false }
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

/// The name of a file that contains the chain of a host and port: `HOST_PORT.pem`. An IPv6 address is in brackets, with hyphens instead
/// of colons: `[2001-db8--1]_443.pem`.
package struct CollectedChainName: Hashable, Sendable {
  /// The name in lower case, or the address.
  package let host: String

  /// The port, at least 1.
  package let port: UInt16

  /// Creates the name for a host from a capture; nil unless the host is an IPv6 address, or consists of letters, digits, dots, hyphens and
  /// underscores, begins with a letter or digit, and fits a file name.
  package init?(host: String, port: UInt16) {
    let isIPv6 = host.contains(":")
    guard port > 0, isIPv6 ? IPAddress(host) != nil : CollectedChainName.isFileName(host) else { return nil }
    if isIPv6, host.contains("%") { return nil }
    (self.host, self.port) = (host, port)
  }

  /// Parses the name of a file in a folder of collected chains; nil for any other name.
  package init?(fileName: String) {
    guard fileName.hasSuffix(".pem"), let sign = fileName.lastIndex(of: "_"),
      let port = UInt16(fileName[fileName.index(after: sign)...].dropLast(4)), port > 0
    else { return nil }
    var host = String(fileName[..<sign]).lowercased()
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast().map { $0 == "-" ? ":" : $0 })
    }
    self.init(host: host, port: port)
    // Rejects `+443` and `0443`.
    guard self.fileName == fileName.lowercased() else { return nil }
  }

  package var fileName: String {
    let isIPv6 = host.contains(":")
    return (isIPv6 ? "[" + String(host.map { $0 == ":" ? "-" : $0 }) + "]" : host) + "_\(port).pem"
  }

  /// The host and port: `api.example.com:443`, `[2001:db8::1]:443`.
  package var endpoint: String { Endpoint.text(host, port) }

  /// Whether the host is an address, for which clients send no server_name.
  package var isAddress: Bool { IPAddress(host) != nil }

  /// The maximum length of a host: with port and `.pem` it fits a file name of 255 bytes, with room for the script's temporary suffixes.
  private static let maximumHostByteCount = 236

  private static func isFileName(_ host: String) -> Bool {
    guard let first = host.utf8.first, host.utf8.count <= maximumHostByteCount, isLowercaseAlphanumeric(first) else { return false }
    return host.utf8.allSatisfy { isLowercaseAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
  }
}
