import ATSEvaluation
import ATSRules
package import ByteParsing
package import Reporting
import SessionModel
package import SessionRecords
import TrustEvaluation
import Values

/// The text report on a chain from a file and its judgement.
package struct ChainText {
  private let options: TextOptions

  package init(_ options: TextOptions) { self.options = options }

  /// Returns the report as UTF-8.
  package func rendered(_ record: ChainRecord) -> Bytes {
    var writer = TextWriter(options)
    writer.writeFields(
      [
        (HostBlock.word(record.verdict, isRelaxed: record.isRelaxed), HostBlock.style(record.verdict)),
        (DisplayText.escaped(record.host), .bold), (record.at.description, .unstyled),
        (Wording.count(record.certificates.count, "certificate"), .unstyled),
      ], indent: 0)
    if let path = ChainText.path(of: record) { writer.writeFields([("path  " + path, .dim)], indent: 2) }
    if let name = record.rootsName {
      writer.writeFields([("Roots: " + DisplayText.escaped(name), .dim)], indent: 2)
    }
    let rows = record.findings.filter { $0.outcome != .notApplicable }
    let labels = rows.map { "\(ChainText.word(for: $0))  \($0.id)" }
    let width = labels.map { TextWidth.of($0) }.max() ?? 0
    for (finding, label) in zip(rows, labels) {
      writer.writeRow(
        TextRow(
          label: label, text: ChainText.text(of: finding), style: ChainText.style(of: finding)),
        indent: 2, labelWidth: width)
      for line in ChainText.further(finding) {
        writer.writeRow(TextRow(label: "", text: line), indent: 2, labelWidth: width)
      }
    }
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

  private static func word(for finding: Finding) -> String {
    switch finding.outcome {
    case .pass: "pass   "
    case .fail: finding.isRequired ? "FAIL   " : "advice "
    case .relaxed: "relaxed"
    case .unknown: "unknown"
    case .notApplicable: "       "
    }
  }

  private static func text(of finding: Finding) -> String {
    var parts = [finding.observed ?? (finding.outcome == .unknown ? "undecided" : "no objection")]
    if finding.outcome == .fail || finding.outcome == .relaxed {
      if let expected = finding.expected { parts.append("requires \(expected)") }
      if let fix = finding.fix { parts.append("fix: \(fix)") }
    }
    return DisplayText.escaped(parts.joined(separator: "; "))
  }

  /// Returns the notes of a finding and the inputs that settle it, one line each.
  private static func further(_ finding: Finding) -> [String] {
    var lines = finding.notes
    if finding.outcome == .unknown, !finding.settledBy.isEmpty {
      lines.append("to settle: \(finding.settledBy.map(\.text).joined(separator: ", or "))")
    }
    return lines.map(DisplayText.escaped)
  }

  private static func style(of finding: Finding) -> TextStyle {
    switch finding.outcome {
    case .fail: finding.isRequired ? .red : .unstyled
    case .unknown, .relaxed: .yellow
    case .pass, .notApplicable: .unstyled
    }
  }
}
