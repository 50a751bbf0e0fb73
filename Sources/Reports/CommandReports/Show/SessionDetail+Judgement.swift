import ATSEvaluation
import ATSRules
import CertificateParsing
import Reporting
import SessionModel
import SessionRecords
import TrustEvaluation

extension SessionDetail {
  /// Returns the rules with their outcomes, the consequences, and the judged path.
  static func rules(of judgement: Shared<Judgement>, _ session: ObservedSession) -> [TextRow] {
    var rows: [TextRow] = []
    if let exemption = judgement.exemption {
      rows.append(TextRow(label: "exempt because", text: DisplayText.escaped(exemption)))
    }
    for outcome in [Finding.Outcome.fail, .relaxed, .unknown] {
      for required in [true, false] {
        var findings = judgement.findings.filter { $0.outcome == outcome && $0.isRequired == required }
        while let first = findings.first {
          let alike = outcome == .unknown ? findings.filter { isOpen($0, like: first) } : [first]
          let ids = alike.map(\.id)
          rows += self.rows(of: first, ids: ids, session)
          findings.removeAll { ids.contains($0.id) }
        }
      }
    }
    for (label, outcome) in [("pass", Finding.Outcome.pass), ("not applicable", .notApplicable)] {
      let ids = judgement.findings.filter { $0.outcome == outcome }.map(\.id)
      if !ids.isEmpty { rows.append(TextRow(label: label, text: Wording.rules(ids))) }
    }
    if let rule = judgement.primaryRule { rows.append(TextRow(label: "decisive rule", text: rule.rawValue)) }
    if let error = judgement.predictedError {
      rows.append(TextRow(label: "device error", text: Wording.wholeError(error, isLimitedByOffer: judgement.isLimitedByOffer)))
    }
    if let exception = judgement.narrowestException {
      rows.append(TextRow(label: "exception", text: Wording.exception(exception, of: judgement)))
    }
    if let trust = judgement.trust { rows.append(path(of: trust, session)) }
    rows += judgement.otherCaptures.map { capture in
      TextRow(label: "rests on", text: "another capture: \(DisplayText.escaped(capture))")
    }
    return rows
  }

  /// Whether two rules are undecided for the same reason.
  private static func isOpen(_ finding: Finding, like other: Finding) -> Bool {
    finding.missing == other.missing && finding.observed == other.observed && finding.parts == other.parts
      && finding.notes == other.notes && finding.settledBy == other.settledBy
      && finding.certificateIndex == other.certificateIndex
  }

  /// Returns rows for a rule that does not pass, or for several that are undecided for the same reason, with their remarks.
  private static func rows(of finding: Finding, ids: [String], _ session: ObservedSession) -> [TextRow] {
    let word = finding.outcome == .fail && !finding.isRequired ? "advice" : finding.outcome.rawValue
    let text =
      finding.outcome == .unknown
      ? [Wording.reason(of: finding), finding.observed].compactMap { $0 }.joined(separator: "; ")
      : Wording.comparison(finding)
    let isBroken = finding.isFailure
    let location = finding.certificateIndex.map { $0 == 0 ? " (leaf)" : " (certificate \($0))" } ?? ""
    var rows = [
      TextRow(
        label: ids.count == 1 ? "\(word) \(finding.id)" : word,
        text: (ids.count == 1 ? "" : "\(Wording.rules(ids)): ") + DisplayText.escaped(text) + location,
        note: Wording.frames(finding.parts, of: session.evidence, in: session.parts),
        style: isBroken ? .red : .yellow)
    ]
    func add(_ text: String) { rows.append(TextRow(label: "", text: text)) }
    if let key = finding.decidingKey {
      add("\(finding.outcome == .relaxed ? "allowed by" : "required by") \(Wording.key(key))")
    }
    for note in finding.notes { add(DisplayText.escaped(note)) }
    if let fix = finding.fix { add("Fix: \(DisplayText.escaped(fix))") }
    if !finding.settledBy.isEmpty { add("To settle: \(list(finding.settledBy.map(\.text)))") }
    return rows
  }

  /// Returns the judged path as the subjects of its certificates; for certificates that are not in the session, their digests.
  private static func path(of trust: JudgedTrust, _ session: ObservedSession) -> TextRow {
    let shown = (session.sharedTLS?.chain?.certificates ?? []) + (session.sharedAssumedChain?.chain.certificates ?? [])
    let names = trust.path.map { certificate in
      let known = shown.first { $0.sha256 == certificate.sha256 }?.certificate
      return DisplayText.escaped(known.map(\.subject) ?? "SHA-256 \(certificate.sha256)")
    }
    let path = names.isEmpty ? "no path" : names.joined(separator: ", issued by ")
    let transparency = trust.sctsVerified ? "; SCTs verified" : ""
    return TextRow(label: "trust path", text: "\(path); anchor: \(trust.anchorClass.rawValue)\(transparency)")
  }
}
