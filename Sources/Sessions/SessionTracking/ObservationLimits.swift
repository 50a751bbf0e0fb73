/// What bounds the memory of observing, and why. Each has a counter in `ObservationHealth`.
package struct ObservationLimits: Sendable {
  /// Connections watched at once; the one that has been silent for longest gives way. A SYN flood must not cost more
  /// than some tens of megabytes.
  package var openConnections = 262_144

  /// Seconds of capture time after which a silent connection is taken for over.
  package var idleSeconds: Int64 = 300

  /// The same where its client has reset it: what the server had under way comes soon or never, and other sessions wait for its place.
  package var idleSecondsAfterReset: Int64 = 10

  /// Bytes held ahead of their turn in all connections together.
  package var heldBytes = 64 * 1024 * 1024

  /// Bytes of messages that are not whole yet, and of facts that no other session has shown, in all open connections together; the
  /// one with the most of some gives way. A handshake has a few kilobytes, and those that are shared count once.
  package var openBytes = 128 * 1024 * 1024

  /// Servers whose connections without a handshake are counted one by one.
  package var serversWithoutHandshake = 4096

  /// Creates the default limits.
  package init() {}

  /// Whether what was last heard of at one time has been silent for too long at another; a file may hold any times.
  func isIdle(since lastSeen: Int64, at now: Int64, afterReset: Bool = false) -> Bool {
    let (seconds, overflow) = now.subtractingReportingOverflow(lastSeen)
    return overflow ? now > lastSeen : seconds > (afterReset ? idleSecondsAfterReset : idleSeconds)
  }
}
