package import PolicyResolution
import SessionModel
package import TrustEvaluation

/// The context of a session that rules may read besides its evidence and the policy.
package struct JudgingContext {
  package let clock: JudgingClock

  /// The identity that the client expects of its peer.
  package let host: HostIdentity

  package let certificates: ServerCertificates

  /// The findings of trust evaluation; nil if there was none or trust is undecided.
  package let trust: TrustFindings?

  /// The full evaluation of the chain; nil if there was none.
  package let chainTrust: ChainTrust?

  /// Another release's evaluation of a chain that this release does not trust; nil if it was not made.
  package let otherTrust: OtherTrust?

  /// The decision about trust; nil if there was no evaluation.
  package let decision: TrustDecision?

  /// The evidence about certificates other than their chains.
  package let status: StatusEvidence

  /// Whether the time was set for all sessions, instead of taken from the packets.
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

  /// Gathers the context of a session whose chain was evaluated; `path` is one of the paths found.
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
