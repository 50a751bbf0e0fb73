import ByteParsing
import CleartextObservation
import Reassembly
import SessionLinking
import SessionModel
import Values

/// Data connections of FTP that control connections have announced in the clear, until each is made or its time is over.
package struct ExpectedDataConnections {
  /// Ports that are remembered at least: many times those that are announced while one data connection is being made.
  package static let maximumCount = 4096

  private final class Expected {
    let listener: Endpoint
    let peer: IPAddress
    let control: FTPControlEnds
    let seconds: Int64
    var isUsed = false

    init(_ listener: Endpoint, _ peer: IPAddress, _ control: FTPControlEnds, at seconds: Int64) {
      self.listener = listener
      self.peer = peer
      self.control = control
      self.seconds = seconds
    }
  }

  private var table = RecentTable<[LinkDigest: Expected]>(maximumCount: maximumCount)

  /// Whether none was ever announced.
  var isEmpty: Bool { table.isEmpty }

  /// Announcements that were forgotten for others.
  var forgotten: UInt64 { table.evicted }

  /// Takes note of a port that an end of a control connection announced. The data connection has the same two hosts, whatever
  /// address was announced: an address of another host would be somebody else's, and behind address translation it is wrong.
  mutating func expect(
    _ announcement: FTPDataPorts.Announcement, on control: FTPControlEnds, at seconds: Int64
  ) {
    let (own, other) =
      announcement.isByServer ? (control.server, control.client) : (control.client, control.server)
    let listener = Endpoint(address: own.address, port: announcement.port)
    table.insert(
      Expected(listener, other.address, control, at: seconds),
      for: LinkDigest(listener: listener, peer: other.address))
  }

  /// The control connection that announced a connection which begins now; nil where none did. It is expected no more.
  mutating func take(
    _ key: ConnectionKey, opener: Direction?, at seconds: Int64, _ limits: ObservationLimits
  ) -> FTPControlEnds? {
    if opener != .fromLower, let control = take(key.lower, key.upper.address, at: seconds, limits) {
      return control
    }
    return opener == .fromUpper ? nil : take(key.upper, key.lower.address, at: seconds, limits)
  }

  private func take(
    _ listener: Endpoint, _ peer: IPAddress, at seconds: Int64, _ limits: ObservationLimits
  ) -> FTPControlEnds? {
    guard let expected = table[LinkDigest(listener: listener, peer: peer)],
      expected.listener == listener, expected.peer == peer, !expected.isUsed,
      !limits.isIdle(since: expected.seconds, at: seconds)
    else { return nil }
    expected.isUsed = true
    return expected.control
  }
}
