import ByteParsing
import CleartextObservation
import Reassembly
import SessionModel
import Values

/// FTP data connections that control connections have announced in cleartext, until each is opened or expires.
package struct ExpectedDataConnections {
  /// The minimum number of ports remembered: many times those that are announced while one data connection is opened.
  package static let minimumCount = 4096

  private final class Expected {
    let listener: Endpoint
    let peer: IPAddress
    let control: FTPControlEndpoints
    let seconds: Int64
    var isUsed = false

    init(_ listener: Endpoint, _ peer: IPAddress, _ control: FTPControlEndpoints, at seconds: Int64) {
      self.listener = listener
      self.peer = peer
      self.control = control
      self.seconds = seconds
    }
  }

  private var table = RecentTable<[LinkDigest: Expected]>(entriesPerGeneration: minimumCount)

  /// Whether no port was ever announced.
  var isEmpty: Bool { table.isEmpty }

  /// The number of evicted announcements.
  var forgotten: UInt64 { table.evicted }

  /// Records a port that an endpoint of a control connection announced. The data connection is expected between the same two hosts,
  /// whatever address was announced: after address translation, that address is wrong.
  mutating func expect(_ announcement: FTPDataPorts.Announcement, on control: FTPControlEndpoints, at seconds: Int64) {
    let (own, other) = announcement.isByServer ? (control.server, control.client) : (control.client, control.server)
    let listener = Endpoint(address: own.address, port: announcement.port)
    table.insert(Expected(listener, other.address, control, at: seconds), for: LinkDigest(listener: listener, peer: other.address))
  }

  /// Removes and returns the control connection that announced a connection; nil if none did.
  mutating func take(_ key: ConnectionKey, opener: Direction?, at seconds: Int64, _ limits: ObservationLimits) -> FTPControlEndpoints? {
    if opener != .fromLower, let control = take(key.lower, key.upper.address, at: seconds, limits) { return control }
    return opener == .fromUpper ? nil : take(key.upper, key.lower.address, at: seconds, limits)
  }

  private func take(_ listener: Endpoint, _ peer: IPAddress, at seconds: Int64, _ limits: ObservationLimits) -> FTPControlEndpoints? {
    guard let expected = table[LinkDigest(listener: listener, peer: peer)], expected.listener == listener, expected.peer == peer,
      !expected.isUsed, !limits.isIdle(since: expected.seconds, at: seconds)
    else { return nil }
    expected.isUsed = true
    return expected.control
  }
}
