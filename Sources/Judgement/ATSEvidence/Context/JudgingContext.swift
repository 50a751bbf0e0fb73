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

  /// Another release's evaluation of the chain; nil if it was not made.
  package let otherTrust: OtherTrust?

  /// The decision about trust; nil if there was no evaluation.
  package let decision: TrustDecision?

  /// The evidence about certificates other than their chains.
  package let status: StatusEvidence

  /// Whether the time was set for all sessions, instead of taken from the packets.
  package let isTimeStated: Bool

  /// The contexts of the session with each of the other chains that its server may have sent, in the order of the evidence.
  package var alternatives: [JudgingContext] = []

  /// Gathers the context of a session; `chainTrust` is the evaluation of its chain if one is visible, and `path` one of the paths found.
  /// `fetchesIssuers` is whether the device fetches certificates that the server did not send.
  package init(
    _ session: SessionEvidence, clock: JudgingClock, isTimeStated: Bool = false, chainTrust: ChainTrust? = nil,
    path: TrustPath? = nil, otherTrust: OtherTrust? = nil, status: StatusEvidence = StatusEvidence(), fetchesIssuers: Bool = true
  ) {
    host = HostIdentity(session)
    self.clock = clock
    self.isTimeStated = isTimeStated
    self.status = status
    self.chainTrust = chainTrust
    self.otherTrust = otherTrust
    decision = chainTrust.map {
      TrustDecision.decide($0, path: path, isComplete: session.tls?.chain?.isComplete ?? false, fetchesIssuers: fetchesIssuers)
    }
    trust = decision?.findings
    certificates = ServerCertificates(session, trust: trust, isExhaustive: chainTrust?.spentBudget == nil)
  }
}
