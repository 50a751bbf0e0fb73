package import CertificateTransparency
package import Revocation

/// What speaks for or against certificates besides their chains: logs, and what shows of revocations.
///
/// Judges of the same sessions can share it, so that each SCT and each response is verified once.
package struct StatusEvidence {
  /// What verifies SCTs; nil without a list of logs: SCTs are then counted.
  package var transparency: TransparencyVerifier?

  /// What looks into OCSP responses, stapled or supplied, and CRLs.
  package var revocation: RevocationChecker

  /// Creates evidence of a list of logs and of what shows of revocations, as far as there are any.
  package init(logList: TransparencyLogList? = nil, revocations: [RevocationSource] = []) {
    transparency = logList.map { TransparencyVerifier(logList: $0) }
    revocation = RevocationChecker(revocations)
  }

  /// Creates evidence with Apple's own list of logs, which is read when it is first needed.
  package static func withAppleLogList(revocations: [RevocationSource] = []) -> StatusEvidence {
    var evidence = StatusEvidence(revocations: revocations)
    evidence.transparency = TransparencyVerifier(logList: .apple)
    return evidence
  }
}
