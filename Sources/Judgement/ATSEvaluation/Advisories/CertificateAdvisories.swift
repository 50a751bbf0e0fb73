import CertificateParsing
import CertificateTransparency
package import PolicyResolution
package import SessionObservation
import TrustEvaluation
import TLSParsing
import Values

/// The client asked for a stapled OCSP response, and the server did not staple one.
package struct StaplingAdvisory: Advisory {
  package static let id = "ADV-OCSP-STAPLE"
  package static let title = "No stapled OCSP response"

  package init() {}

  /// Looks at handshakes of TLS 1.2 and older, where a staple is in the clear.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard session.olderAnswer != nil, let leaf = context.certificates.leaf?.certificate,
      session.tls?.offer?.has(.statusRequest) == true
    else { return notApplicable() }
    if session.tls?.ocspStapled == true { return pass("stapled", parts: [.certificateStatus]) }
    guard session.evidence.certificateStatus == .notSent else { return notApplicable() }
    if leaf.ocspURLs.isEmpty, !leaf.requiresStapledOCSP {
      return notApplicable("The leaf names no OCSP responder, so there is nothing to staple.")
    }
    return advise(
      "no OCSP response was stapled", expected: "a stapled OCSP response", parts: [.certificates],
      remedy: "enable OCSP stapling on the server"
    ).noting(
      leaf.requiresStapledOCSP
        ? "The leaf asks for stapling (must-staple); Apple's evaluation does not look." : nil)
  }
}

/// The leaf has exactly as many SCTs as it needs.
package struct TransparencyMarginAdvisory: Advisory {
  package static let id = "ADV-CT-MARGIN"
  package static let title = "No SCT to spare"

  package init() {}

  /// Looks at certificates that the rule about Certificate Transparency covers.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard policy.release.isAtLeast(12, 1), context.trust.map({ $0.anchorClass == .system }) ?? true,
      let leaf = context.certificates.leaf?.certificate, leaf.embeddedSCTs > 0,
      let notBefore = leaf.notBefore, notBefore >= PolicyDates.october2018,
      let needed = Transparency.embeddedNeeded(leaf, in: policy.release)
    else { return notApplicable() }
    let transparency = Transparency(session, context)
    let assessment = context.status.transparency.map {
      transparency.assessment($0, needed: needed, in: context)
    }
    let count = assessment?.countedLogs.count ?? transparency.embeddedLogs.count
    if count < needed || assessment?.passes == false { return notApplicable() }
    let observed = (assessment == nil ? "" : "valid ") + "embedded SCTs of \(count) logs"
    if count > needed { return pass(observed, parts: [.certificates]) }
    return advise(
      observed, expected: "more than the \(needed) needed", parts: [.certificates],
      remedy: "ask the CA for one more SCT: logs retire, and with them their SCTs")
  }
}

/// The SCTs are not of diverse operators.
package struct TransparencyOperatorsAdvisory: Advisory {
  package static let id = "ADV-CT-OPERATORS"
  package static let title = "Operators of CT logs"

  package init() {}

  /// Looks at SCTs that were verified: who operates a log stands in a list of logs.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let verifier = context.status.transparency else {
      return notApplicable("Who operates which log is not known without a list of logs.")
    }
    guard policy.release.isAtLeast(12, 1), context.trust?.anchorClass == .system,
      let leaf = context.certificates.leaf?.certificate, let notBefore = leaf.notBefore,
      let notAfter = leaf.notAfter, notBefore >= PolicyDates.october2018,
      let needed = Transparency.embeddedNeeded(leaf, in: policy.release)
    else { return notApplicable() }
    let assessment = Transparency(session, context).assessment(verifier, needed: needed, in: context)
    guard assessment.passes else { return notApplicable() }
    let (period, overflow) = notAfter.seconds.subtractingReportingOverflow(notBefore.seconds)
    let isShort = !overflow && period <= 180 * PolicyDates.day
    let names = assessment.operators.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    let observed = "logs of " + names.joined(separator: ", ")
    let isDiverse =
      assessment.hasDelivered
      ? assessment.operators.count >= 2
      : assessment.isDiverse(needed: needed, atMost: isShort ? 1 : 2)
    if isDiverse && assessment.hasRFC6962Log { return pass(observed, parts: [.certificates]) }
    return advise(
      observed,
      expected: isDiverse
        ? "a log of RFC 6962 among them"
        : "no more than \(isShort ? 1 : 2) of an operator towards the \(needed) needed",
      parts: [.certificates], remedy: "ask the CA for SCTs of logs of other operators or kinds")
  }
}

/// The leaf expires soon.
package struct ExpiryAdvisory: Advisory {
  package static let id = "ADV-EXPIRY"
  package static let title = "Certificate expires soon"

  package init() {}

  /// Looks whether 30 days, or 7, or less are left of the leaf.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let leaf = context.certificates.leaf?.certificate, let notAfter = leaf.notAfter,
      context.clock.isAfter(notAfter) == false
    else { return notApplicable() }
    func isWithin(_ days: Int64) -> Bool {
      notAfter.advanced(bySeconds: -days * PolicyDates.day).map { context.clock.isAtOrAfter($0) == true }
        ?? false
    }
    let observed = "the leaf expires \(notAfter.date)"
    guard isWithin(30) else { return pass(observed, parts: [.certificates]) }
    var finding = advise(
      observed + (isWithin(7) ? ", within 7 days" : ", within 30 days"), expected: "more than 30 days left",
      parts: [.certificates], remedy: "renew the certificate")
    finding.certificate = 0
    return finding
  }
}

/// The leaf is longer valid than the CA/Browser Forum lets CAs issue.
package struct IssuanceLimitAdvisory: Advisory {
  package static let id = "ADV-SC081"
  package static let title = "CA/Browser Forum's limit of validity"

  package init() {}

  /// Looks at the period, whose last second counts (ballot SC-081v3).
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard let leaf = context.certificates.leaf?.certificate, !leaf.isSelfIssued,
      context.trust.map({ $0.anchorClass == .system || $0.anchorClass == .apple }) ?? true,
      let notBefore = leaf.notBefore, let notAfter = leaf.notAfter,
      let limit = PolicyDates.issuanceLimits.last(where: { notBefore >= $0.from })
    else { return notApplicable() }
    let (period, overflow) = notAfter.seconds.subtractingReportingOverflow(notBefore.seconds)
    let observed = "valid for " + CertificateLifetimeRule.describe(overflow ? Int64.max : max(0, period))
    if !overflow, period < limit.days * PolicyDates.day { return pass(observed, parts: [.certificates]) }
    var finding = advise(
      observed, expected: "at most \(limit.days) days, the last second included", parts: [.certificates],
      remedy: "have it reissued within the limit")
    finding.certificate = 0
    return finding.noting("It binds public CAs; no platform is known to enforce it.")
  }
}
