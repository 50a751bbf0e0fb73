package import SessionModel

/// The source of certificates that are judged instead of a session's own. It does not retain the certificates.
package struct Assumption: Sendable {
  package let source: AssumedChain.Source
  /// The other session that contains them; nil if the user supplied them.
  package let origin: AssumedChain.Origin?
  /// The file that contains them; nil if the user did not supply them.
  let file: String?
  /// The number of different chains that the server may have sent.
  let chainCount: Int

  /// Creates the source for a session; nil if its own certificates are judged, or none.
  package init?(_ session: ObservedSession) {
    guard session.hasJudgedAssumption, let chain = session.sharedAssumedChain else { return nil }
    source = chain.source
    origin = chain.origin
    file = chain.file
    chainCount = chain.alternatives.count + 1
  }
}
