import CertificateParsing
package import PolicyResolution
package import SessionObservation
import TLSParsing
import TrustEvaluation
import Values

/// Logs speak for a public certificate (policy text D.16).
package struct CertificateTransparencyRule: Rule {
  package static let id = "ATS-CT"
  package static let title = "Certificate Transparency"
  package static let section = "D.16"
  package static let setting: EffectivePolicy.Setting? = .certificateTransparency
  package static let isTrustEvaluation = true

  package init() {}

  /// Counts logs; without a list of logs, signatures are not verified.
  package func judge(
    _ session: ObservedSession, under policy: EffectivePolicy, in context: JudgingContext
  ) -> Finding {
    guard policy.release.isAtLeast(12, 1) || policy.transparencyKeyInForce else { return notApplicable() }
    let expected = "SCTs from enough logs"
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    guard let leaf = context.certificates.leaf?.certificate else { return notApplicable() }
    guard let notBefore = leaf.notBefore, let notAfter = leaf.notAfter else {
      return unknown(Unseen(nil), expected: expected, note: "The validity dates of the leaf cannot be read.")
    }
    if policy.transparencyKeyInForce { return count(session, leaf, needed: 2, policy, context) }
    if notBefore < PolicyDates.october2018 {
      return notApplicable("The leaf is older than the rule, which begins with 2018-10-16.")
    }
    if context.clock.isAfter(notAfter) == true || context.clock.isAtOrAfter(notBefore) == false {
      return notApplicable("The leaf is not valid at the time, which is for ATS-CERT-DATES to say.")
    }
    let needed = Transparency.embeddedNeeded(leaf, in: policy.release) ?? 5
    return judgeAnchors(of: context) { anchor in
      guard anchor.anchorClass == .system else {
        return notApplicable("Asked only of chains to roots of the system other than Apple's own.")
      }
      return count(session, leaf, needed: needed, policy, context)
    }
  }

  private func count(
    _ session: ObservedSession, _ leaf: Certificate, needed: Int, _ policy: EffectivePolicy,
    _ context: JudgingContext
  ) -> Finding {
    let transparency = Transparency(session, context)
    let embedded = transparency.embeddedLogs.count
    let delivered = transparency.deliveredLogs.count
    let observed =
      "embedded SCTs of \(embedded) log\(embedded == 1 ? "" : "s")"
      + (delivered > 0 ? ", SCTs of \(delivered) in the TLS extension" : "")
    let expected = "embedded SCTs of \(needed) logs, or SCTs of 2 logs by extension or OCSP"
    if embedded >= needed || (delivered > 0 && transparency.logCount >= 2) {
      return pass(observed, expected: expected, parts: [.certificates])
        .noting(
          "The SCTs were counted, not verified.",
          context.trust == nil && !policy.transparencyKeyInForce
            ? "The rule applies only under roots of the system other than Apple's own." : nil)
    }
    var finding = fail(
      observed, expected: expected, parts: [.certificates],
      remedy: "reissue from a CA that embeds enough SCTs, or serve SCTs by the TLS extension")
    finding.certificate = 0
    if let doubt = doubt(session, transparency) {
      finding.outcome = .unknown
      finding.remedy = nil
      finding.notes = [doubt]
      finding.settledBy = ["a handshake whose client offers signed_certificate_timestamp and status_request"]
    }
    return finding
  }

  /// Why more SCTs may exist than were seen; nil where that cannot be.
  private func doubt(_ session: ObservedSession, _ transparency: Transparency) -> String? {
    if transparency.hasUnreadableList { return "A list of SCTs cannot be read." }
    guard let tls = session.tls, let offer = tls.offer, offer.has(.signedCertificateTimestamp),
      offer.has(.statusRequest)
    else { return "This client did not ask for SCTs by extension and OCSP, as a device does." }
    if tls.ocspStapled || tls.ocspResponse != nil {
      return "The stapled OCSP response may hold SCTs; it is not read in this version."
    }
    guard session.evidence.serverHello == .complete,
      [.complete, .notSent].contains(session.evidence.certificateStatus)
    else { return "The server's answer was not seen in full." }
    return nil
  }
}
