import ATSEvaluation
import ATSRules
import SessionModel
import Values

/// The result of one session under one configuration.
struct SessionOutcome {
  var result: HostDiagnosis.Outcome
  /// Why the session does not pass, each for one session.
  var reasons: [HostDiagnosis.Reason] = []
  var error: PredictedError?

  init(_ session: ObservedSession, _ judgement: Judgement) {
    let decisive = judgement.findings.filter {
      SessionOutcome.isDecisive($0, isExempt: judgement.verdict == .exempt)
    }
    let failing = decisive.filter { $0.outcome == .fail }
    // What the client did not offer shows nothing about what the server can do.
    let isOfferSeen = session.sharedTLS?.sharedOffer != nil && session.evidence.clientHello != .partial
    let isUnoffered = { (finding: Finding) in
      finding.isLimitedByOffer || !isOfferSeen && SessionOutcome.rulesOfOffers.contains(finding.rule)
    }
    let unoffered = failing.filter(isUnoffered)
    // Certificates that fail do so whatever else a device offers.
    if !unoffered.isEmpty, !failing.contains(where: { $0.parts.contains(.certificates) && !isUnoffered($0) }) {
      result = .unknown
      reasons = unoffered.map { finding in
        var reason = SessionOutcome.reason(
          finding,
          isOfferSeen
            ? "the client did not offer \(finding.expected ?? "it"); the server may support it"
            : "the capture does not show what the client offered", at: [.clientHello], in: session)
        reason.dependsOnOffer = true
        return reason
      }
      return
    }
    let undecided = decisive.filter { $0.outcome == .unknown }
    if !failing.isEmpty {
      result = .fail
      reasons = failing.filter { !isUnoffered($0) }.map { finding in
        var reason = SessionOutcome.reason(finding, finding.comparison ?? "not met", at: finding.parts, in: session)
        reason.isFailure = true
        return reason
      }
      error = judgement.predictedError ?? PredictedError(domain: "NSURLErrorDomain", code: -1200)
    } else if !undecided.isEmpty {
      result = .unknown
      for finding in undecided {
        // A refusal shows what the client's offer lacked.
        let isRefused = session.sharedTLS?.outcome == .refusedByServer
        let note = isRefused ? finding.notes.last : finding.dependsOnHost ? "the capture does not show the host" : nil
        let text = note ?? SessionOutcome.text(of: finding.missing)
        if let known = reasons.firstIndex(where: { $0.text == text }) {
          reasons[known].rules.append(finding.id)
        } else {
          reasons.append(SessionOutcome.reason(finding, text, at: finding.parts, in: session))
        }
      }
    } else {
      result = .pass
    }
  }

  private static func reason(
    _ finding: Finding, _ text: String, at parts: [Evidence.Part], in session: ObservedSession
  ) -> HostDiagnosis.Reason {
    let location = location(of: parts, in: session)
    return HostDiagnosis.Reason(rules: [finding.id], text: text, isFailure: false, sessions: 1, file: location.file, frame: location.frame)
  }

  /// The rules whose outcome depends on what the client offers.
  private static let rulesOfOffers: Set<RuleID> = [.tlsVersion, .cipherSuite, .forwardSecrecy]

  /// The packet on which a rule rests: the last message that it judged, even in an earlier session; otherwise the server's alert, otherwise
  /// the first packet of the session.
  private static func location(of parts: [Evidence.Part], in session: ObservedSession) -> (file: String, frame: UInt64) {
    let isRefused = parts.isEmpty && session.sharedTLS?.outcome == .refusedByServer
    for part in isRefused ? [.outcome] : parts.reversed() {
      if let frame = session.evidence.frames[part].first(where: { $0 > 0 }) { return session.location(of: frame) }
      if part == .certificates, session.sharedAssumedChain?.isJudged == true,
        let origin = session.sharedAssumedChain?.origin, let frame = origin.frames.first(where: { $0 > 0 })
      {
        return origin.file == session.file ? session.location(of: frame) : (origin.file, frame)
      }
    }
    return session.location(of: session.firstFrame)
  }

  /// Whether a finding decides whether the load succeeds. If ATS is off, only the system's own rules do, which the judgement of an exempt
  /// session contains but does not require.
  private static func isDecisive(_ finding: Finding, isExempt: Bool) -> Bool {
    if !isExempt { return finding.isRequired }
    if finding.isAdvisory || finding.rule == .https { return false }
    // A device continues if the revocation status is unknown.
    return finding.rule != .certificateRevoked || finding.outcome == .fail
  }

  private static func text(of reason: UnseenReason?) -> String {
    reason == .encrypted ? "encrypted" : reason?.text ?? "not shown by the capture"
  }
}
