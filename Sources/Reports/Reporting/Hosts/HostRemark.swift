package import ATSEvaluation
package import ATSRules
import SessionModel
import SessionRecords
import TLSParsing
import Values

/// A remark on a host: a failed handshake, or a condition of its verdict.
struct HostRemark {
  /// The kind, in one or two words.
  let label: String
  /// The part that is common to all hosts concerned.
  let text: String
  /// The part that differs between hosts; may be empty.
  let detail: String
  let phrase: String

  /// The phrase without the words of the label, for a row that has the label.
  var phraseBesideLabel: String {
    let words = label.lowercased() + " "
    return phrase.hasPrefix(words) ? String(phrase.dropFirst(words.count)) : phrase
  }

  /// The kinds in display order.
  static let labels = [
    "System", "Handshake", "Client certificate", "Resumed", "Chain captured", "Chain supplied", "Other capture", "Proxy",
  ]
}

extension SessionEnding {
  /// Whether the client rejected the server's certificate, or may have: an encrypted alert does not give the reason. A QUIC error that
  /// represents no alert has another one.
  fileprivate func isRefusedCertificate(overQUIC isQUIC: Bool) -> Bool {
    guard case .refused(.client, let alert) = self else { return false }
    guard let alert else { return !isQUIC }
    let alerts: [AlertDescription] = [
      .badCertificate, .unsupportedCertificate, .certificateRevoked, .certificateExpired, .certificateUnknown,
      .unknownCA,
    ]
    return alerts.contains(alert)
  }

  /// Returns what to check if a client rejected the certificate, by the meaning of its alert (RFC 8446 §6.2). `isAccepted` is whether ATS
  /// accepts the certificate; otherwise it is not visible.
  fileprivate func certificateHint(isAccepted: Bool) -> String {
    guard case .refused(.client, let alert) = self else { return "" }
    switch alert {
    case .certificateExpired?:
      return isAccepted
        ? "ATS accepts the certificate: check the client's clock"
        : "for the client, a certificate has expired or is not valid yet: check its dates and the client's clock"
    case .certificateRevoked?: return "for the client, a certificate is revoked: check its status with --revocations FILE"
    case .unsupportedCertificate?: return "the client does not support the type of a certificate: check its key and its signature"
    case .unknownCA?:
      return isAccepted
        ? "ATS accepts the certificate: check the client for a missing root"
        : "the client knows no root for the chain: the root may be private, or an intermediate missing"
    default:
      return isAccepted
        ? "ATS accepts the certificate: check the app for pinning, or the client for a missing root"
        : "the app may pin another certificate, or the client may not trust this one"
    }
  }

  /// Whether the server ended the handshake because of the client's certificate.
  fileprivate var isAboutClientCertificate: Bool {
    switch self {
    case .clientCertificateMissing, .clientCertificateRejected: true
    default: false
    }
  }
}

extension HostReport {
  /// The distinct subjects of the certificates that clients sent, escaped for display.
  private var clientSubjects: [String] {
    groups.compactMap(\.clientSubject)
      .map { $0.isEmpty ? "without a subject" : DisplayText.escaped($0) }.distinct()
  }

  /// The findings for which the system rejects sessions although ATS is off, with the error that an app would receive. Those of a rule that
  /// the client's offer limits are omitted if another session shows what the server supports, as for failing hosts.
  package var systemRejections: [(finding: Finding, error: PredictedError)] {
    let all = groups.filter { $0.kept.verdict == .exempt }.flatMap { group -> [(finding: Finding, error: PredictedError)] in
      group.kept.predictedError.map { error in group.kept.findings.filter(group.isRejected(for:)).map { ($0, error) } } ?? []
    }
    let certain = Set(all.filter { !$0.finding.isLimitedByOffer }.map { $0.finding.id })
    return all.filter { !$0.finding.isLimitedByOffer || !certain.contains($0.finding.id) }
  }

  /// Whether the system rejects sessions although ATS is off, even if a device offers more than the recorded client.
  var isSurelyRejected: Bool { systemRejections.contains { !$0.finding.isLimitedByOffer } }

  /// Returns the ending of failed sessions, with their number if others ended differently; if ATS is not the reason, with a hint what to
  /// check.
  func phrase(of ending: SessionEnding, in sessions: Int? = nil) -> String {
    let groups = groups.filter { $0.ending == ending }
    let verdicts = Set(groups.map(\.kept.verdict))
    var hint = ""
    if ending.isRefusedCertificate(overQUIC: groups.allSatisfy { $0.transport == .quic }) {
      if verdicts == [.pass] || verdicts == [.unknown] { hint = "; " + ending.certificateHint(isAccepted: verdicts == [.pass]) }
    } else if ending.isAboutClientCertificate, verdicts == [.pass] {
      hint = "; this is not a matter of ATS: the app has to present a certificate that the server accepts"
    }
    var share = ""
    if let sessions, sessions < self.sessions { share = " in \(Wording.count(sessions, of: self.sessions, "session{s}"))" }
    return Wording.ending(ending) + share + hint
  }

  /// Why the verdict is unknown or exempt; nil for other verdicts.
  private var reason: String? {
    switch verdict {
    case .unknown:
      var gap = HostSections.Gap(ways: [], notes: [])
      gap.add(self)
      if worstGroups.allSatisfy(\.isUnanswered) { gap.ending = worstGroups.first?.ending }
      return gap.reasons
    case .exempt: return exemption
    case .fail, .pass: return nil
    }
  }

  /// Why the first exempt session is exempt, without a full stop, escaped for display; empty if there is none.
  var exemption: String {
    let reason = groups.first { $0.kept.verdict == .exempt }?.judgement.exemption ?? ""
    return DisplayText.escaped(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
  }

  /// The remarks, in no particular order.
  var remarks: [HostRemark] {
    var remarks: [HostRemark] = []
    func add(_ label: String, _ text: String, detail: String = "", phrase: String) {
      remarks.append(HostRemark(label: label, text: text, detail: detail, phrase: phrase))
    }
    for (finding, error) in systemRejections {
      let lead = "ATS is off, but the system still rejects it: \(Wording.titleInSentence(finding.id))"
      let observed = finding.observed.map(DisplayText.escaped) ?? ""
      let rest = "; an app would receive \(Wording.deviceError(error))"
      add("System", lead + rest, detail: observed, phrase: lead + (observed.isEmpty ? "" : " (\(observed))") + rest)
    }
    for (ending, sessions) in failedEndings {
      add(
        "Handshake", phrase(of: ending), detail: sessions > 1 ? Wording.grouped(sessions) : "",
        phrase: phrase(of: ending, in: sessions))
    }
    if worstRank(of: .clientCertificate) == 3, !failedEndings.contains(where: { $0.ending.isAboutClientCertificate }) {
      add("Client certificate", "requested by the server", phrase: "client certificate requested by the server, which ATS does not judge")
    }
    for subject in clientSubjects {
      add("Client certificate", "sent by the client", detail: subject, phrase: "client certificate \(subject)")
    }
    for proxy in proxies {
      let text = "through \(DisplayText.escaped(proxy))"
      add("Proxy", text, phrase: text)
    }
    for group in groups {
      let sessions = Wording.count(group.sessions, "session{s}")
      let isWhole = group.sessions == self.sessions
      if let phrase = Wording.assumption(
        group.assumed, from: group.file, sessions: group.sessions, isPlural: !isWhole && group.sessions > 1), let assumed = group.assumed
      {
        let several = Wording.oneOfSeveral(assumed)
        let location = several == nil ? group.origin.map { Wording.location(of: $0, from: group.file) } : nil
        add(
          Wording.assumptionLabel(group.assumption),
          several.map { "uses \($0)" } ?? Wording.assumptionWithoutLocation(assumed),
          detail: [isWhole ? nil : sessions, location].compactMap { $0 }.joined(separator: ", "),
          phrase: isWhole ? phrase : "\(sessions) \(phrase)")
      }
      for capture in group.judgement.otherCaptures {
        let text = DisplayText.escaped(capture)
        add("Other capture", text, phrase: "the verdict uses certificates from another capture: \(text)")
      }
    }
    return remarks
  }

  /// The rules that keys of the Info.plist relax, with the observations and the keys.
  private var relaxations: [String] {
    guard groups.contains(where: \.kept.isRelaxed) else { return [] }
    return ruleResults.filter { $0.finding.outcome == .relaxed }.map { result in
      let observed = result.finding.observed.map { " (\(DisplayText.escaped($0)))" } ?? ""
      return Wording.titleInSentence(result.id) + observed + " "
        + (Wording.decision(on: result.finding, of: result.group) ?? "allowed by a key")
    }
  }

  /// Why the verdict is unknown, exempt or relaxed, then the remarks.
  package var remarkPhrases: [String] {
    ([reason].compactMap(\.self) + relaxations + remarks.map(\.phrase)).distinct()
  }
}
