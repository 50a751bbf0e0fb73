/// Limits on the memory of session tracking, with their reasons. Each has a counter in `ObservationHealth`.
package struct ObservationLimits: Sendable {
  /// Connections watched at once; beyond it, the one that has been idle longest is evicted. A SYN flood must not cost more than some tens
  /// of megabytes.
  package var openConnections = 262_144

  /// Seconds of capture time after which an idle connection counts as over.
  package var idleSeconds: Int64 = 300

  /// Seconds of capture time after which a connection that the client has reset counts as over: segments in flight arrive soon or never,
  /// and later sessions wait for this one.
  package var idleSecondsAfterReset: Int64 = 10

  /// Bytes of out-of-order segments held in all connections together.
  package var heldBytes = 64 * 1024 * 1024

  /// Bytes of incomplete messages and of facts that are not shared, in all open connections together; beyond it, one of the largest is
  /// evicted. A handshake takes a few kilobytes, and shared facts count once.
  package var openBytes = 128 * 1024 * 1024

  /// Servers whose connections without a handshake are counted separately.
  package var serversWithoutHandshake = 4096

  package init() {}

  /// Whether a connection last seen at one time is idle at another. A file may contain any times.
  func isIdle(since lastSeen: Int64, at now: Int64, afterReset: Bool = false) -> Bool {
    let (seconds, overflow) = now.subtractingReportingOverflow(lastSeen)
    return overflow ? now > lastSeen : seconds > (afterReset ? idleSecondsAfterReset : idleSeconds)
  }
}
