import ATSEvidence
import CertificateParsing
import PolicyResolution
import TrustEvaluation
import Values

/// Every certificate of the path is valid at the time (policy text D.8).
struct CertificateDatesRule: TrustRule {
  static let id = "ATS-CERT-DATES"
  static let title = "Certificate dates"
  static let section = "D.8"
  static let weight = 12
  static let explanation = RuleExplanation(
    demand: "Every certificate in the chain is within its dates, including the first and last second.",
    reason: "CAs guarantee the contents, and track revocation, for that time only.",
    fix: .server("renew the certificate; if it is an intermediate, replace it in the chain"),
    since: RuleExplanation.firstRelease,
    errors: [
      .url: [-1200, -1202, -1201, -1204], .stream: [-9802, -9807, -9814, -9815, -9880],
      .status: [-67818, -67819],
    ],
    sources: [.policyServer, .serverTrust], weaknesses: [295], severity: "6.5")

  /// Checks the dates at the time of the session, including the first and last second.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    let expected = "all certificates valid at the session's time"
    let alert = ClientComplaint.about(.dates, in: session)
    if let unseen = unseenCertificates(context, expected: expected) { return unseen.noting(alert) }
    guard context.clock.isKnown else {
      return unknown(
        Unseen(nil, settledBy: [.time]), expected: expected,
        note: "The packets have no plausible time."
      ).noting(alert)
    }
    if let suspicion = Transparency.clockSuspicion(context) {
      return unknown(Unseen(nil, settledBy: [.time]), expected: expected, note: suspicion).noting(alert)
    }
    return judgePath(
      context.certificates.path, of: context, expected: expected,
      fix: .server("renew the certificate"),
      issuerFix: .server("replace an expired intermediate in the chain").and(.devices("replace an expired root")),
      inOrder: inOrder(context), needsRoot: true
    ) { element in
      // Apple's own roots do not expire (_ShouldSkipExpirationCheck).
      let expires = !element.isAnchor || context.trust?.anchorClass != .apple || !policy.release.isAtLeast(26)
      return check(element, context.clock, expires: expires)
    }.noting(alert)
  }

  private func check(_ element: ServerCertificates.Element, _ clock: JudgingClock, expires: Bool) -> PathCheck {
    guard let notBefore = element.certificate.notBefore, let notAfter = element.certificate.notAfter else {
      return .unreadable("The validity dates of \(element.name) cannot be read.")
    }
    if expires, clock.isAfter(notAfter) == true {
      return .broken("\(element.name) expired \(text(notAfter, clock)), judged at \(clock.date ?? "")")
    }
    if clock.isAtOrAfter(notBefore) == false {
      return .broken(
        "\(element.name) is valid from \(text(notBefore, clock)), judged at \(clock.date ?? "")",
        trustCode: Finding.notYetValidCode,
        fix: .recording("check the clock").and(.serverIfRepeated("use a valid certificate, or wait until \(notBefore.date)")))
    }
    return .ok
  }

  /// Returns the date; on the day of judging, the date and time.
  private func text(_ timestamp: Timestamp, _ clock: JudgingClock) -> String {
    timestamp.date == clock.date ? timestamp.description : timestamp.date
  }

  private func inOrder(_ context: JudgingContext) -> String {
    guard let leaf = context.certificates.leaf?.certificate, let from = leaf.notBefore, let to = leaf.notAfter
    else { return "valid" }
    return "the server certificate is valid from \(from.date) to \(to.date)"
  }
}

extension Finding {
  /// errSecCertificateNotValidYet, the `trustCode` of a certificate before its dates; expired ones have the usual code.
  package static let notYetValidCode = -67819
}

extension RuleID {
  /// `ATS-CERT-DATES`: the certificates are valid at the time of the session.
  public static let certificateDates = RuleID(rawValue: CertificateDatesRule.id)
}
