package import CertificateTransparency
package import Revocation

/// The evidence about certificates other than their chains: Certificate Transparency logs and revocation data.
///
/// Judges of the same sessions can share it, so that each SCT and each response is verified only once.
package struct StatusEvidence {
  /// The SCT verifier; nil without a log list, in which case SCTs are only counted.
  package var transparency: TransparencyVerifier?

  /// The checker of OCSP responses, stapled or supplied, and of CRLs.
  package var revocation: RevocationChecker

  /// Creates evidence from a log list and revocation data; both are optional.
  package init(logList: TransparencyLogList? = nil, revocations: [RevocationSource] = []) {
    transparency = logList.map { TransparencyVerifier(logList: $0) }
    revocation = RevocationChecker(revocations)
  }

  /// Creates evidence with Apple's log list, which is read at first use.
  package static func withAppleLogList(revocations: [RevocationSource] = []) -> StatusEvidence {
    var evidence = StatusEvidence(revocations: revocations)
    evidence.transparency = TransparencyVerifier(logList: .apple)
    return evidence
  }
}
