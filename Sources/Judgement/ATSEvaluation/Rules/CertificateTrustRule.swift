import CertificateParsing
package import PolicyResolution
package import SessionObservation
import TLSParsing

/// The certificates lead to a trusted root (policy text D.6).
package struct CertificateTrustRule: Rule {
  package static let id = "ATS-CERT-TRUST"
  package static let title = "Chain to a trusted root"
  package static let section = "D.6"
  package static let isTrustEvaluation = true

  package init() {}

  /// Judges by what trust evaluation found; without it nothing is decided.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    let expected = "a chain to a root that the system or the user trusts"
    let alert = ClientComplaint.about(.trust, in: session)
    if let unseen = unseenCertificates(context, expected: expected) {
      return unseen.noting(Self.acceptance(session), alert)
    }
    guard let trust = context.trust, let leaf = context.certificates.leaf else {
      var finding = unknown(
        Unseen(nil, settledBy: JudgingContext.anchorsSettle), expected: expected,
        note: "No set of trusted roots is at hand in this version.")
      finding.parts = [.certificates]
      finding.observed = context.certificates.leaf.flatMap { leaf in
        leaf.certificate.isSelfIssued ? "the leaf names itself as its issuer" : nil
      }
      return finding.noting(Self.acceptance(session), alert)
    }
    if trust.anchorClass == .none {
      var finding = fail(
        leaf.certificate.isSelfIssued ? "a self-signed certificate" : "no path to a trusted root",
        expected: expected, parts: [.certificates],
        remedy: "send the full chain without the root; use a public CA, or deploy the private root by profile"
      )
      finding.certificate = 0
      return finding.noting(alert)
    }
    let anchor = Anchor(anchorClass: trust.anchorClass, isLeaf: trust.isLeafAnchor)
    return pass("the path ends at \(anchor.name)", expected: expected, parts: [.certificates]).noting(alert)
  }

  private static func acceptance(_ session: ObservedSession) -> String? {
    session.tls?.established == true && session.evidence.certificates != .resumed
      ? "The client completed the handshake, so it accepted the certificate under rules of its own." : nil
  }
}

/// Alerts with which a client complains about certificates: they corroborate and decide nothing (policy text
/// D.0).
enum ClientComplaint {
  /// What a complaint is about.
  enum Subject {
    case trust, revocation, dates
  }

  /// The complaint as a sentence; nil where there was none.
  static func about(_ subject: Subject, in session: ObservedSession) -> String? {
    let codes: [UInt8] =
      switch subject {
      case .trust: [42, 46, 48]
      case .revocation: [44]
      case .dates: [45]
      }
    guard let alert = session.tls?.clientAlerts.first(where: { codes.contains($0.description.rawValue) })
    else {
      return nil
    }
    return "The client itself sent alert \(alert.description.text)."
  }
}
