import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing

extension Rule {
  /// Returns the finding of a rule on suites if the version leaves it undecided; otherwise nil.
  func undecidedVersion(_ version: TLSVersion?, of session: SessionEvidence, under policy: EffectivePolicy, expected: String) -> Finding? {
    // The version is in the part of the hello that was not observed.
    guard let version else { return unknown(session.unseenServerHello, expected: expected) }
    if !version.isFinal {
      return unknown(Unseen(nil, settledBy: [.evidence("record a session that uses TLS 1.2 or 1.3")]), expected: expected)
        .noting(Remarks.foreignVersion(version))
    }
    if version == .tls13, !policy.release.isAtLeast(12) {
      return unknown(Unseen(nil, settledBy: [.evidence("record a TLS 1.2 session")]), expected: expected).noting(Remarks.olderSystem)
    }
    return nil
  }
}
