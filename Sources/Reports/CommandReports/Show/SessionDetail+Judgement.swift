import ATSEvaluation
import ATSRules
import CertificateParsing
import Reporting
import SessionModel
import SessionRecords
import TrustEvaluation

extension SessionDetail {
  /// Returns the rules with their outcomes, the consequences, and the judged path.
  static func rules(of judgement: Shared<Judgement>, _ session: ObservedSession, _ steps: NextSteps) -> [TextRow] {
    var rows: [TextRow] = []
    rows.add("exempt because", judgement.exemption.map(DisplayText.escaped))
    for outcome in [Finding.Outcome.fail, .relaxed, .unknown] {
      for required in [true, false] {
        var findings = judgement.findings.filter { $0.outcome == outcome && $0.isRequired == required }
        while let first = findings.first {
          let alike = outcome == .unknown ? findings.filter { isOpen($0, like: first) } : [first]
          let ids = alike.map(\.id)
          rows += self.rows(of: first, ids: ids, session, steps, isRejected: judgement.value.isRejected(for: first))
          findings.removeAll { ids.contains($0.id) }
        }
      }
    }
    for (label, outcome) in [("pass", Finding.Outcome.pass), ("not applicable", .notApplicable)] {
      let ids = judgement.findings.filter { $0.outcome == outcome }.map(\.id)
      rows.add(label, Wording.rules(ids))
    }
    rows.add("decisive rule", judgement.primaryRule?.rawValue)
    rows.add("device error", judgement.predictedError.map(Wording.wholeError))
    rows.add("exception", judgement.narrowestException.map { Wording.exception($0, of: judgement) })
    if let trust = judgement.trust { rows.append(path(of: trust, session)) }
    rows += judgement.otherCaptures.map { capture in
      TextRow(label: "rests on", text: "another capture: \(DisplayText.escaped(capture))")
    }
    return rows
  }

  /// Whether two rules are undecided for the same reason.
  private static func isOpen(_ finding: Finding, like other: Finding) -> Bool {
    finding.missing == other.missing && finding.observed == other.observed && finding.parts == other.parts && finding.notes == other.notes
      && finding.settledBy == other.settledBy && finding.certificateIndex == other.certificateIndex
  }

  /// Returns rows for a rule that does not pass, or for several that are undecided for the same reason, with their remarks.
  private static func rows(
    of finding: Finding, ids: [String], _ session: ObservedSession, _ steps: NextSteps, isRejected: Bool
  ) -> [TextRow] {
    let word = isRejected ? "refused" : finding.outcome == .fail && !finding.isRequired ? "advice" : finding.outcome.rawValue
    let text =
      finding.outcome == .unknown
      ? [Wording.reason(of: finding), finding.observed].compactMap { $0 }.joined(separator: "; ")
      : Wording.comparison(finding)
    let location = finding.certificateIndex.map { $0 == 0 ? " (leaf)" : " (certificate \($0))" } ?? ""
    var rows = [
      TextRow(
        label: ids.count == 1 ? "\(word) \(finding.id)" : word,
        text: (ids.count == 1 ? "" : "\(Wording.rules(ids)): ") + DisplayText.escaped(text) + location,
        note: Wording.frames(finding.parts, of: session.evidence, in: session.parts),
        style: finding.isFailure || isRejected ? .red : .yellow)
    ]
    if let key = finding.decidingKey {
      rows.add("", "\(finding.outcome == .relaxed ? "allowed by" : "required by") \(Wording.key(key))")
    }
    if isRejected { rows.add("", Wording.rejected) }
    for note in finding.notes { rows.add("", DisplayText.escaped(note)) }
    rows.add("", finding.fix.map { "Fix: \(DisplayText.escaped($0.text))" })
    let ways = steps.possible(finding.settledBy)
    if !ways.isEmpty { rows.add("", "To settle: \(Wording.ways(ways))") }
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
