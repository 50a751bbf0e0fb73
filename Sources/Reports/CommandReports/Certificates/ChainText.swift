import ATSEvaluation
import ATSRules
package import ByteParsing
import PolicyResolution
package import Reporting
import SessionModel
package import SessionRecords
import TrustEvaluation
import Values

/// The text report on a chain from a file and its judgement.
package enum ChainText {
  /// Returns the report as UTF-8; `settingsFile` is the name of the settings' file as given, or nil for the ATS defaults.
  package static func rendered(_ record: ChainRecord, settingsFile: String?, _ options: TextOptions) -> Bytes {
    var writer = TextWriter(options)
    writer.writeFields(
      [
        (Wording.word(record.verdict, isRelaxed: record.isRelaxed), Wording.style(record.verdict)),
        (DisplayText.escaped(record.host), .bold), (record.at.description, .unstyled),
        (Wording.count(record.certificates.count, "certificate{s}"), .unstyled),
      ], indent: 0)
    if let path = ChainText.path(of: record) { writer.writeFields([("path  " + path, .dim)], indent: 2) }
    if let name = record.rootsName {
      writer.writeFields([("Roots: " + DisplayText.escaped(name), .dim)], indent: 2)
    }
    let policy = [
      record.policy.release.displayName, settingsFile.map(DisplayText.escaped) ?? "ATS defaults (no Info.plist)",
      Wording.loads(record.policy.context),
    ]
    writer.writeFields([("Policy: " + policy.joined(separator: ", "), .dim)], indent: 2)
    if let exemption = record.exemption { writer.writeFields([("Exempt: " + DisplayText.escaped(exemption), .dim)], indent: 2) }
    var rows: [TextRow] = []
    for finding in record.findings where finding.outcome != .notApplicable {
      let label = "\(ChainText.word(for: finding, of: record))  \(finding.id)"
      rows.add(label, ChainText.text(of: finding), style: ChainText.style(of: finding))
      for line in ChainText.further(finding) { rows.add("", line) }
    }
    writer.writeRows(rows, indent: 2)
    return writer.output
  }

  private static func path(of record: ChainRecord) -> String? {
    guard let trust = record.trust, !trust.path.isEmpty else { return nil }
    let names = trust.path.map { certificate in
      let isInFile = record.certificates.contains { $0.sha256 == certificate.sha256 }
      return DisplayText.escaped((certificate.title ?? "\(certificate.sha256.prefix(16))…") + (isInFile ? "" : " (not in the file)"))
    }
    return names.joined(separator: " ← ") + ", anchor: \(trust.anchorClass.rawValue)"
  }

  private static func word(for finding: Finding, of record: ChainRecord) -> String {
    switch finding.outcome {
    case .pass: "pass   "
    case .fail: finding.isRequired ? "FAIL   " : record.refusedRules.contains(finding.id) ? "refused" : "advice "
    case .relaxed: "relaxed"
    case .unknown: "unknown"
    case .notApplicable: "       "
    }
  }

  private static func text(of finding: Finding) -> String {
    var parts = [finding.observed ?? (finding.outcome == .unknown ? "undecided" : "no objection")]
    if finding.outcome == .fail || finding.outcome == .relaxed {
      if let expected = finding.expected { parts.append("requires \(expected)") }
      if let fix = finding.fix { parts.append("fix: \(fix.text)") }
    }
    return DisplayText.escaped(parts.joined(separator: "; "))
  }

  /// Returns the notes of a finding and the inputs that settle it, one line each, escaped for display.
  private static func further(_ finding: Finding) -> [String] {
    var lines = finding.notes.map(DisplayText.escaped)
    if finding.outcome == .unknown, !finding.settledBy.isEmpty {
      lines.append("To settle: \(Wording.ways(finding.settledBy))")
    }
    return lines
  }

  private static func style(of finding: Finding) -> TextStyle {
    switch finding.outcome {
    case .fail: finding.isRequired ? .red : .unstyled
    case .unknown, .relaxed: .yellow
    case .pass, .notApplicable: .unstyled
    }
  }
}
