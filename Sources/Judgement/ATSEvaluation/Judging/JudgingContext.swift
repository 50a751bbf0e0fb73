package import PolicyResolution
package import SessionObservation
import Values

/// What rules may look at besides the session and the policy.
package struct JudgingContext {
  /// The time at which the session is judged.
  package let clock: JudgingClock

  /// Who the client thinks it talks to.
  package let host: HostIdentity

  /// What is visible of the server's certificates.
  package let certificates: ServerCertificates

  /// What trust evaluation found; nil where none was made.
  package let trust: TrustFindings?

  /// Whether the time was stated for all sessions, and is not that of the packets.
  package let isTimeStated: Bool

  /// Gathers what there is to know of a session.
  package init(
    _ session: ObservedSession, clock: JudgingClock, isTimeStated: Bool = false, trust: TrustFindings? = nil
  ) {
    host = HostIdentity(session)
    self.clock = clock
    self.isTimeStated = isTimeStated
    self.trust = trust
    certificates = ServerCertificates(session, trust: trust)
  }
}
