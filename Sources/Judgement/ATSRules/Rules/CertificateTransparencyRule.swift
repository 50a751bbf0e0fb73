import ATSEvidence
import CertificateParsing
import CertificateTransparency
import PolicyResolution
import SessionModel
import TrustEvaluation
import Values

/// A certificate under a system root has enough SCTs (policy text D.16).
struct CertificateTransparencyRule: TrustRule {
  static let id = "ATS-CT"
  static let title = "Certificate Transparency"
  static let section = "D.16"
  static let setting: EffectivePolicy.Setting? = .transparencyKeyInForce
  static let evidence: Set<Evidence.Part> = [.serverHello, .certificates, .certificateStatus]
  static let weight = 6
  static let explanation = RuleExplanation(
    demand:
      "A certificate under a system root has enough SCTs, with which Certificate Transparency logs promise to list it: if issued from "
      + "2021-04-21 on, 2 for a validity up to 180 days and 3 for more; earlier ones 2 to 5 by months of validity.",
    reason: "Public logs expose certificates that were issued by mistake or in secret.",
    fix:
      .server("use a certificate of a CA that embeds enough SCTs, or send SCTs by the TLS extension"),
    since:
      "iOS 12.1 and macOS 10.14.2; the required number depends on the validity in days from iOS 14.6 and macOS 11.4",
    errors: RuleExplanation.pathErrors(status: [-67825]),
    sources: [.transparency, .transparencyPolicy, .policyServer], weaknesses: [295], severity: "5.3")

  /// Counts the logs of SCTs; without a log list, signatures are not verified.
  func judge(_ session: SessionEvidence, under policy: EffectivePolicy, in context: JudgingContext) -> Finding {
    guard policy.release.isAtLeast(12, 1) || policy.transparencyKeyInForce else { return notApplicable() }
    let expected = "SCTs from enough logs"
    if let unseen = unseenCertificates(context, expected: expected) { return unseen }
    guard let leaf = context.certificates.leaf?.certificate else { return notApplicable() }
    guard let notBefore = leaf.notBefore, let notAfter = leaf.notAfter else {
      return unknown(.unreadable, expected: expected, note: "The validity dates of the server certificate cannot be read.")
    }
    if policy.transparencyKeyInForce { return count(session, leaf, needed: 2, policy, context) }
    if notBefore < PolicyDates.october2018 {
      return notApplicable("The server certificate is older than the requirement, which begins on 2018-10-16.")
    }
    if context.clock.isAfter(notAfter) == true || context.clock.isAtOrAfter(notBefore) == false {
      return notApplicable("The server certificate is not valid at the time; see ATS-CERT-DATES.")
    }
    let needed = Transparency.embeddedNeeded(leaf, in: policy.release) ?? 5
    return judgeAnchors(of: context) { anchor in
      guard anchor.anchorClass == .system else { return notApplicable("Required only under system roots other than Apple's own.") }
      return count(session, leaf, needed: needed, policy, context)
    }
  }

  private func count(_ session: SessionEvidence, _ leaf: Certificate, needed: Int, _ policy: EffectivePolicy, _ context: JudgingContext)
    -> Finding
  {
    let transparency = Transparency(session, context)
    if let verifier = context.status.transparency {
      let assessment = transparency.assessment(verifier, needed: needed, in: context)
      return assess(
        session, assessment, transparency, needed: needed, policy,
        settledBy: Self.settling(assessment, lacksIssuer: transparency.lacksIssuer(assessment, in: context)),
        ageRemark: Self.remark(onAgeOf: verifier.logList, context.clock))
    }
    let embedded = transparency.embeddedLogs.count
    let delivered = transparency.deliveredLogs.count
    let others = delivered > 0 ? ", SCTs from \(delivered) by extension or OCSP" : ""
    let observed = "embedded SCTs from \(embedded.counted("log{s}"))\(others)"
    let expected = "embedded SCTs from \(needed) logs, or SCTs from 2 logs by extension or OCSP"
    if embedded >= needed || (delivered > 0 && transparency.logCount >= 2) {
      return pass(observed, expected: expected, parts: [.certificates])
        .noting(
          "The SCTs were counted, not verified.",
          context.trust == nil && !policy.transparencyKeyInForce
            ? "The rule applies only under system roots other than Apple's own." : nil)
    }
    return lacking(observed, expected: expected, session, transparency, policy)
  }

  /// Judges SCTs that were verified under a log list.
  private func assess(
    _ session: SessionEvidence, _ assessment: TransparencyAssessment, _ transparency: Transparency,
    needed: Int, _ policy: EffectivePolicy, settledBy: DecidingInput, ageRemark: String?
  ) -> Finding {
    let counted = assessment.countedLogs.count
    let observed =
      "valid embedded SCTs from \(counted.counted("log{s}"))"
      + (assessment.hasDelivered ? ", valid SCTs from \(assessment.currentLogs.count.counted("log{s}")) including extension and OCSP" : "")
    let expected = "valid embedded SCTs from \(needed) logs, or SCTs from 2 logs by extension or OCSP"
    let remarks = Self.remarks(on: assessment) + [ageRemark].compactMap(\.self)
    if assessment.passes { return pass(observed, expected: expected, parts: [.certificates]).noting(remarks) }
    if assessment.couldPass {
      return unknown(Unseen(nil, settledBy: [settledBy]), expected: expected).observing(observed, .certificates).noting(remarks)
    }
    return lacking(observed, expected: expected, session, transparency, policy).noting(remarks)
  }

  /// Returns the input that would decide SCTs that are neither valid nor invalid.
  private static func settling(_ assessment: TransparencyAssessment, lacksIssuer: Bool) -> DecidingInput {
    if assessment.pendingCount > 0 { return .logList(isNewer: true, needsIssuer: lacksIssuer) }
    if assessment.unknownCount > 0 { return .logList(isNewer: false, needsIssuer: lacksIssuer) }
    return lacksIssuer ? .issuerCertificate : .evidence("verify these SCTs with another program")
  }

  /// Returns a sentence that the list is too old for the session, so that a device has a newer one; otherwise nil.
  private static func remark(onAgeOf list: TransparencyLogList, _ clock: JudgingClock) -> String? {
    guard let date = list.timestamp, let end = date.advanced(bySeconds: 60 * PolicyDates.day),
      clock.isAfter(end) == true
    else { return nil }
    return
      "The log list of \(date.date) is more than 60 days older than the session. Devices download newer ones; --ct-log-list FILE reads one."
  }

  /// Returns the reasons that SCTs do not count, one sentence each.
  private static func remarks(on assessment: TransparencyAssessment) -> [String] {
    func count(_ number: Int, _ rest: String) -> String? {
      number == 0 ? nil : "\(number.counted("SCT{s}")) \(rest)."
    }
    func count(_ fault: VerifiedTimestamp.Fault, _ rest: String) -> String? {
      count(assessment.faults[fault] ?? 0, rest)
    }
    return [
      count(assessment.unknownCount, "from logs that the list does not contain"),
      count(assessment.pendingCount, "from logs that were pending when the list was made, and may be trusted since"),
      count(
        assessment.rejectedLaterCount,
        "from logs that the list rejects from a later time; they count until then"),
      count(assessment.notVerifiableCount, "could not be verified"),
      count(.signature, "with a signature that does not verify"),
      count(.shard, "from logs that do not accept certificates with this expiry"),
      count(.frozen, "issued after the log was frozen"),
      count(.notTrusted, "from logs that are not trusted"),
    ].compactMap { $0 }
  }

  /// Returns the finding for too few SCTs; it is unknown if the capture may lack some.
  private func lacking(
    _ observed: String, expected: String, _ session: SessionEvidence, _ transparency: Transparency,
    _ policy: EffectivePolicy
  ) -> Finding {
    // If the app's own key requires SCTs, nothing else does in that release.
    let fix = policy.transparencyKeyInForce ? Self.fix.and(.app("or remove \(ATSKeys.certificateTransparency)")) : Self.fix
    var finding = fail(observed, expected: expected, parts: [.certificates], certificate: 0, fix: fix)
    if let suspicion = transparency.clockSuspicion {
      finding.leaveOpen(settledBy: [.time])
      finding.notes = [suspicion]
    } else if let doubt = doubt(session, transparency) {
      finding.leaveOpen(settledBy: doubt.why.settledBy)
      finding.missing = doubt.why.reason
      finding.notes = [doubt.note]
    }
    return finding
  }

  /// Returns the reason that more SCTs may exist than the capture contains, and what would show them; nil if that is impossible.
  private func doubt(_ session: SessionEvidence, _ transparency: Transparency) -> (why: Unseen, note: String)? {
    let recording = Unseen(nil, settledBy: [.evidence("record a client that requests SCTs, such as an Apple device")])
    if transparency.hasUnreadableStaple {
      return (
        Unseen(nil, settledBy: [.evidence("record this server again")]),
        "The stapled OCSP response, which may contain SCTs, cannot be read."
      )
    }
    guard let tls = session.tls, let offer = tls.offer else {
      return (recording, "SCTs may also be sent by extension or OCSP, and there is no handshake to show it.")
    }
    if session.isInnerHelloHidden {
      return (session.unseenInnerHello, "Encrypted ClientHello was accepted: whether the client requested SCTs is encrypted.")
    }
    guard offer.requestsStatus else {
      return (recording, "An Apple device requests SCTs in the handshake, by extension and OCSP; this client did not.")
    }
    if tls.hasStapledOCSPResponse && tls.ocspResponse == nil {
      return (session.unseenStatus, "The stapled OCSP response, which may contain SCTs, is incomplete in the capture.")
    }
    if session.evidence.serverHello != .complete { return (session.unseenServerHello, "The ServerHello is incomplete in the capture.") }
    if [.complete, .notSent].contains(session.evidence.certificateStatus) || session.inheritsStatus { return nil }
    return (session.unseenStatus, "SCTs that the server sends by extension or OCSP are not visible.")
  }
}

extension RuleID {
  /// `ATS-CT`: the certificate has enough SCTs.
  public static let certificateTransparency = RuleID(rawValue: CertificateTransparencyRule.id)
}
