package import PolicyResolution
import SessionModel
package import TrustEvaluation

/// What rules may look at besides the session and the policy.
package struct JudgingContext {
  package let clock: JudgingClock

  /// Who the client thinks it talks to.
  package let host: HostIdentity

  package let certificates: ServerCertificates

  /// What trust evaluation found; nil where none was made or nothing is decided.
  package let trust: TrustFindings?

  /// All that trust evaluation found of the chain; nil where none was made.
  package let chainTrust: ChainTrust?

  /// What another release finds of a chain that this release does not trust; nil where that was not looked up.
  package let otherTrust: OtherTrust?

  /// What that comes to; nil where none was made.
  package let decision: TrustDecision?

  /// What speaks for or against certificates besides their chains.
  package let status: StatusEvidence

  /// Whether the time was stated for all sessions, and is not that of the packets.
  package let isTimeStated: Bool

  package init(
    _ session: SessionEvidence, clock: JudgingClock, isTimeStated: Bool = false, trust: TrustFindings? = nil,
    status: StatusEvidence = StatusEvidence()
  ) {
    host = HostIdentity(session)
    self.clock = clock
    self.isTimeStated = isTimeStated
    self.status = status
    self.trust = trust
    chainTrust = nil
    otherTrust = nil
    decision = nil
    certificates = ServerCertificates(session, trust: trust)
  }

  /// Gathers what there is to know of a session whose chain was evaluated; `path` is one of the paths found.
  init(
    _ session: SessionEvidence, clock: JudgingClock, isTimeStated: Bool, chainTrust: ChainTrust,
    path: TrustPath?, otherTrust: OtherTrust? = nil, status: StatusEvidence
  ) {
    self.otherTrust = otherTrust
    host = HostIdentity(session)
    self.clock = clock
    self.isTimeStated = isTimeStated
    self.status = status
    self.chainTrust = chainTrust
    let decision = TrustDecision(
      chainTrust, path: path, isComplete: session.tls?.chain?.isComplete ?? false)
    self.decision = decision
    trust = decision.findings
    certificates = ServerCertificates(
      session, trust: trust, isExhaustive: chainTrust.spentBudget == nil)
  }
}
