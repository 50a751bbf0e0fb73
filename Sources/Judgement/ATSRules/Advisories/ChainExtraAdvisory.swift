import ATSEvidence
import CertificateParsing
import CertificateSignatures
import PolicyResolution
import SessionModel
import Values

/// Advises against sending certificates that are not part of the path.
struct ChainExtraAdvisory: Advisory {
  static let id = "ADV-CHAIN-EXTRA"
  static let title = "Unneeded certificates sent"
  static let weight = 1
  static let explanation = RuleExplanation(
    demand: "The server sends only the certificates of the chain.", reason: "Other certificates waste bytes in every handshake.",
    fix: .server("do not send them"), since: RuleExplanation.anyRelease, sources: [.serverTrust], weaknesses: [295],
    severity: "2.0")

  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let certificates = context.certificates
    // If the leaf is not first, or an issuer's name is encoded differently, certificates outside the path are needed too.
    guard let last = certificates.path.last, !certificates.isLeafMisplaced, certificates.misnamedIssuer(of: last.observed) == nil
    else { return notApplicable() }
    // Certificates that the capture lacks may link the others to the path, unless it ends at an anchor or a root.
    guard certificates.isComplete || last.isAnchor || certificates.endsAtRoot else { return notApplicable() }
    let extra = certificates.sent.count - certificates.path.compactMap(\.position).count
    guard extra > 0 else { return certificates.isComplete ? pass(parts: [.certificates]) : notApplicable() }
    return fail(
      "\(extra.counted("certificate{s}")) outside the chain",
      expected: "only the server certificate and its intermediates", parts: [.certificates], fix: Self.fix)
  }
}

extension ServerCertificates {
  /// The sent certificate that signed another one, but has the issuer's name with other string types, so that systems do not find it; nil
  /// if there is none.
  func misnamedIssuer(of certificate: ObservedCertificate) -> ObservedCertificate? {
    let below = certificate.certificate
    return sent.first {
      $0.certificate.subject == below.issuer && $0.certificate.subjectDER != below.issuerDER
        && below.verifySignature(by: $0.certificate).isValid
    }
  }
}

extension RuleID {
  /// `ADV-CHAIN-EXTRA`: the server sent certificates that are not needed.
  public static let chainExtra = RuleID(rawValue: ChainExtraAdvisory.id)
}
