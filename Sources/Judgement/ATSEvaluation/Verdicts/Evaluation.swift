import ATSEvidence
import ATSRules
import PolicyResolution
import SessionModel
import Values

/// Applies every rule to a session and combines the findings into a verdict.
struct Evaluation {
  let policy: EffectivePolicy

  /// The policy without any dictionary; nil if it is the same.
  let strictPolicy: EffectivePolicy?

  /// Whether app code is assumed to accept what trust evaluation refuses, if ATS leaves this to the app.
  let appOverridesTrust: Bool

  /// Why ATS does not govern the session; nil if it does or may.
  let exemption: Exemption?

  /// Evaluations under the policies of other hosts that may be the host of the session.
  private let others: [Evaluation]

  /// Evaluations with the other chains that the server may have sent.
  private let alternatives: [Evaluation]

  /// Whether ATS does not govern the session unless its host is one of those of `others`.
  private let mayBeExempt: Bool

  private let session: SessionEvidence
  private let context: JudgingContext

  init(
    _ session: SessionEvidence, under policy: EffectivePolicy, strictPolicy: EffectivePolicy?,
    appOverridesTrust: Bool, in context: JudgingContext, others: [Evaluation] = []
  ) {
    self.session = session
    self.policy = policy
    self.strictPolicy = strictPolicy
    self.appOverridesTrust = appOverridesTrust
    self.context = context
    self.others = others
    alternatives = zip(session.alternatives, context.alternatives).map { other, itsContext in
      Evaluation(other, under: policy, strictPolicy: strictPolicy, appOverridesTrust: appOverridesTrust, in: itsContext)
    }
    let exemption = Exemption(session, under: policy)
    mayBeExempt =
      exemption?.isURLLoad == true
      && others.contains { ![.pass, .exempt].contains($0.verdict($0.findings())) }
    self.exemption = mayBeExempt ? nil : exemption
  }

  func findings(of rules: [any Rule] = RuleTable.all) -> [Finding] {
    var findings: [Finding] = []
    findings.reserveCapacity(rules.count)
    let otherFindings = others.map { $0.findings(of: rules) }
    let lacksBeginning = exemption == nil && session.evidence.contains(.beginningMissing)
    let alternativeFindings = alternatives.map { $0.findings(of: rules) }
    for rule in rules {
      // Changed in place: a finding is large, and most need no change.
      let index = findings.count
      if session.application == .http, !type(of: rule).appliesToCleartext {
        findings.append(Finding(id: type(of: rule).id, outcome: .notApplicable))
      } else {
        findings.append(rule.judge(session, under: policy, in: context))
        complete(&findings[index], of: rule)
        if session.evidence.contested != nil { contest(&findings[index], of: rule) }
        if lacksBeginning { doubtBeginning(&findings[index]) }
        if !others.isEmpty, !type(of: rule).isAdvisory {
          doubt(&findings[index], otherFindings.map { $0[index].outcome })
        }
      }
      if findings[index].isRequired, exemption != nil || type(of: rule).isAdvisory {
        findings[index].isRequired = false
      }
      if !alternatives.isEmpty { compare(&findings[index], withThose: alternativeFindings.map { $0[index] }) }
    }
    return findings
  }

  /// Makes a finding unknown if it rests on bytes whose copies disagree.
  private func contest(_ finding: inout Finding, of rule: any Rule) {
    guard finding.outcome != .notApplicable else { return }
    var frames: Set<UInt64> = []
    for part in type(of: rule).evidence.union(finding.parts) {
      for frame in session.evidence.contested?[part]?.numbers ?? [] { frames.insert(frame) }
    }
    guard !frames.isEmpty else { return }
    let list = "\(frames.count.form(of: "frame{s}")) \(frames.sorted().map(String.init).joinedWithAnd())"
    finding = Finding(
      id: finding.id, outcome: type(of: rule).isAdvisory ? .notApplicable : .unknown,
      isRequired: finding.isRequired, expected: finding.expected, parts: finding.parts, missing: .contested,
      settledBy: [.evidence("record again without contradicting packets")],
      notes: [
        "Contested bytes, \(list): the copies differ, and no checksum shows which one the receiver accepted."
      ])
  }

  /// Makes a finding unknown that is true only of a load whose connection begins with TLS.
  private func doubtBeginning(_ finding: inout Finding) {
    guard finding.isFailure || finding.rule == .https && finding.outcome == .pass else { return }
    finding = Finding(
      id: finding.id, outcome: .unknown, isRequired: true, expected: finding.expected, parts: finding.parts, missing: .missing,
      settledBy: [session.betterCapture],
      notes: [
        "Bytes before the ClientHello are missing or could not be read: a protocol that is not a URL load, or a request to a proxy for another host, began the connection."
      ])
  }

  /// Makes a finding unknown if its outcome is another one with another chain that the server may have sent.
  private func compare(_ finding: inout Finding, withThose others: [Finding]) {
    func kind(_ finding: Finding) -> Finding.Outcome {
      finding.outcome == .notApplicable ? .pass : finding.outcome
    }
    let own = finding
    guard others.contains(where: { kind($0) != kind(own) || $0.isFailure != own.isFailure }) else { return }
    finding = Finding(id: own.id, outcome: own.isAdvisory ? .notApplicable : .unknown, parts: own.parts)
    guard !own.isAdvisory else { return }
    finding.isRequired = ([own] + others).contains { $0.isRequired && $0.outcome != .notApplicable }
    finding.expected = own.expected
    finding.settledBy = session.unseenCertificates.settledBy
    let host = session.serverName.map { " for \($0)" } ?? ""
    let locations = session.chainLocations.joined(first: Evaluation.maximumLocations)
    finding.notes = [
      "\(others.count + 1) different chains are supplied\(host)\(locations.isEmpty ? "" : " (\(locations))"), and the capture does not show which one the server sent."
    ]
  }

  /// The maximum number of chains that a note locates.
  private static let maximumLocations = 4

  /// Makes a finding unknown if its outcome would be reversed by the policy of another host that may be the session's.
  private func doubt(_ finding: inout Finding, _ outcomes: [Finding.Outcome]) {
    func kind(_ outcome: Finding.Outcome) -> Finding.Outcome {
      outcome == .relaxed || outcome == .notApplicable ? .pass : outcome
    }
    let own = kind(finding.outcome)
    guard own != .unknown else { return }
    let turning = zip(others, outcomes).filter { kind($0.1) != own || $0.0.exemption != nil && own == .fail }.map(\.0)
    guard !turning.isEmpty || mayBeExempt && own == .fail else { return }
    let isCompressed = HostIdentity.isCompressed(in: session)
    let isCleartext = session.application == .http
    finding.outcome = .unknown
    let why: String
    if let translated = HostIdentity(session).translatedAddress {
      why = "The URL may have the IPv4 address \(translated), of which NAT64 makes this address"
      (finding.missing, finding.settledBy) = (nil, [.evidence("look up the URL in the app")])
    } else if isCompressed {
      why = "The host is in compressed headers that could not be read"
      (finding.missing, finding.settledBy) = (nil, [.evidence("look up the URL in the app")])
    } else if session.isInnerHelloHidden {
      why = "The host is in the encrypted ClientHello"
      (finding.missing, finding.settledBy) = (.encrypted, session.unseenInnerHello.settledBy)
    } else if HostIdentity.isUnnamed(in: session) {
      why = "The request names no host"
      (finding.missing, finding.settledBy) = (nil, [.evidence("look up the URL in the app")])
    } else if isCleartext {
      why = "The request is truncated before its host"
      finding.missing = session.evidence.clientHello == .missing ? .missing : .partial
      finding.settledBy = [.evidence("record the complete head of the request")]
    } else {
      why = Evaluation.reasonForHiddenHost(session.evidence.clientHello)
      // The capture shows what the rule reads, and lacks only the host.
      (finding.missing, finding.settledBy) = (nil, [session.betterCapture])
      finding.dependsOnHost = true
    }
    finding.decidingKey = nil
    finding.fix = nil
    finding.fatality = .none
    finding.trustCode = nil
    let address = turning.first { $0.isOfAddress }.map { other in
      "the server's address, \(other.policy.isDirect ? "which is local" : "and address literals need no HTTPS in this release")"
    }
    let local = turning.first(where: \.isOfLocalName)?.policy.host
    let entry =
      turning.contains { !$0.policy.matchedBuiltIn && !$0.isOfLocalName }
      ? "one of the app's entries may be for it"
      : local.map { "the host may be \($0), a local name in the certificate" }
        ?? "the system's own entries, such as that for apple.com, may be for it"
    let failsElsewhere = own == .fail && !mayBeExempt && turning.allSatisfy(\.isOfAddress)
    finding.replaceNotes([
      address.map {
        failsElsewhere ? "\(why): the rule fails unless the URL has \($0)." : "\(why); it may be \($0)."
      } ?? "\(why), and \(entry)."
    ])
  }

  /// Returns the reason that the host of a TLS session is not known, as the beginning of a sentence.
  private static func reasonForHiddenHost(_ clientHello: Evidence.State) -> String {
    switch clientHello {
    case .missing: "The ClientHello, which names the host, is not in the capture"
    case .partial: "The ClientHello, which names the host, is incomplete in the capture"
    case .complete, .encrypted, .resumed, .notSent: "The capture does not show the host"
    }
  }

  /// Whether the policy is that of the server's address, without an entry of the app.
  private var isOfAddress: Bool { policy.matchedEntry == nil && policy.host.map { IPAddress($0) != nil } ?? false }

  /// Whether the policy is that of a local name, without an entry or a pin of the app.
  private var isOfLocalName: Bool {
    policy.isDirect && policy.matchedEntry == nil && policy.leafPins == nil && policy.caPins == nil && !isOfAddress
  }

  /// Determines what relaxes a finding, and what applies if it fails.
  private func complete(_ finding: inout Finding, of rule: any Rule) {
    if let strictPolicy, type(of: rule).setting != nil {
      finding = compare(finding, rule.judge(session, under: strictPolicy, in: context), type(of: rule))
    }
    if finding.outcome == .unknown, finding.isPassOrOverridable, policy.trust == .default { _ = relaxByApp(&finding) }
    if finding.outcome == .fail, type(of: rule).isTrustEvaluation || type(of: rule).id == RuleID.pin.rawValue {
      if type(of: rule).isTrustEvaluation { leaveToApp(&finding) }
      // What the app's own key requires is not required by the release.
      if finding.decidingKey?.key != ATSKeys.certificateTransparency {
        finding.notes.append("Required since \(finding.since ?? type(of: rule).explanation.since).")
      }
    }
  }

  /// Compares a finding with the one under the strict policy, and returns the adjusted finding.
  private func compare(_ finding: Finding, _ strict: Finding, _ kind: any Rule.Type) -> Finding {
    let isMet = finding.outcome == .pass || finding.outcome == .notApplicable
    if isMet, strict.outcome == .fail, let key = keyReference(kind) {
      var relaxed = strict
      relaxed.outcome = .relaxed
      relaxed.decidingKey = key
      if let reason = kind.setting.flatMap(policy.reason) {
        relaxed.notes.append(Remarks.sentence(reason.text))
      }
      return relaxed
    }
    if finding.outcome == .fail, strict.outcome != .fail, finding.decidingKey == nil {
      var demanding = finding
      demanding.decidingKey = keyReference(kind)
      return demanding
    }
    return finding
  }

  /// The key that determined the setting on which the rule rests; nil for a default.
  private func keyReference(_ kind: any Rule.Type) -> KeyReference? {
    let reason = kind.setting.flatMap(policy.reason)
    if let key = reason?.key { return KeyReference(key: key, entry: reason?.entry) }
    guard let entry = policy.matchedEntry, !policy.matchedBuiltIn else { return nil }
    return KeyReference(key: ATSKeys.exceptionDomains, entry: entry)
  }

  /// Adjusts a trust evaluation failure that ATS does not enforce (policy text C.3, D.6).
  private func leaveToApp(_ finding: inout Finding) {
    if policy.trust == .strict { return }
    if relaxByApp(&finding) { return }
    if exemption != nil {
      finding.notes.append("Default trust evaluation would reject this (the -1202 family); ATS is not the cause.")
    } else if finding.fatality != .certain {
      finding.notes.append("ATS does not enforce trust here: app code may still accept it.")
    }
  }

  /// Relaxes a finding that app code is assumed to accept; returns false if it is not.
  private func relaxByApp(_ finding: inout Finding) -> Bool {
    guard appOverridesTrust, finding.fatality != .certain else { return false }
    if finding.fatality == .possible {
      finding.outcome = .unknown
      finding.fix = nil
      finding.settledBy = JudgingContext.anchorsSettle
      finding.notes.append("App code is assumed to accept this, but not what a device's path may contain further up.")
      return true
    }
    finding.outcome = .relaxed
    finding.settledBy = []
    finding.decidingKey = policy.reason(for: .trust).flatMap { reason in reason.key.map { KeyReference(key: $0, entry: reason.entry) } }
    finding.notes.append("App code is assumed to accept this, because ATS does not enforce trust here.")
    return true
  }

  func verdict(_ findings: [Finding]) -> Verdict {
    if exemption != nil { return .exempt }
    if findings.firstFailureIndex != nil { return .fail }
    return findings.indices.contains { findings[$0].isUndecided } ? .unknown : .pass
  }

  /// The judgement without the narrowest exception, which requires other policies.
  func judgement() -> Judgement {
    let findings = findings()
    let verdict = verdict(findings)
    let isURLLoad = exemption?.isURLLoad ?? true
    let score = isURLLoad ? Score(findings, verdict, isCleartextToRemoteHost: session.application == .http && !policy.isDirect) : .none
    var judgement = Judgement(
      verdict: verdict, exemption: exemption?.reason,
      primaryRule: verdict == .fail ? findings.firstFailureIndex.map { findings[$0].rule } : nil,
      score: score.points, confidencePercent: score.confidencePercent, grade: score.grade, policy: policy,
      findings: findings,
      predictedError: isURLLoad
        ? PredictedErrors.error(for: findings, of: session, under: policy, context) ?? PredictedErrors.error(forEndingOf: session) : nil,
      narrowestException: nil)
    judgement.isURLLoad = isURLLoad
    let isTrustOpen =
      !alternatives.isEmpty
      && findings.indices(of: .unknown).contains { findings[$0].rule == .certificateTrust }
    judgement.trust = (isTrustOpen ? nil : context.trust).map {
      JudgedTrust(
        path: $0.path.map { JudgedTrust.Certificate(sha256: $0.sha256, title: $0.title) }, anchorClass: $0.anchorClass,
        sctsVerified: context.status.transparency != nil
          && findings.indices(of: .pass).contains { findings[$0].rule == .certificateTransparency })
    }
    return judgement
  }
}
