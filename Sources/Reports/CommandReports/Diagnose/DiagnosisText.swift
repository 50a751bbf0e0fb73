package import ByteParsing
package import ExceptionPlanning
import PolicyResolution
package import Reporting
import SessionRecords
import Values

/// The matrices of hosts as text, in the layout of `nscurl --ats-diagnostics`, with the reasons that it omits.
package struct DiagnosisText {
  private let options: TextOptions

  package init(_ options: TextOptions) { self.options = options }

  /// Returns the matrix of a host as UTF-8.
  package func rendered(_ diagnosis: HostDiagnosis) -> Bytes {
    var writer = TextWriter(options)
    writeHeading(diagnosis, &writer)
    if let first = diagnosis.rows.first, diagnosis.rows.count > 1, diagnosis.rows.allSatisfy({ $0.isLike(first) }) {
      writer.endLine()
      writer.writeFields(
        [("rows 1 to \(diagnosis.rows.count)", .bold), (first.result.rawValue, DiagnosisText.style(first.result))], indent: 2)
      writeReasons(of: first, &writer)
      writeConclusion(diagnosis, &writer)
      return writer.output
    }
    var group = ""
    var rows: [String: Int] = [:]
    for row in diagnosis.rows {
      if row.configuration.group != group {
        group = row.configuration.group
        writer.endLine()
        let ours = row.configuration.isOurs ? " (not one of nscurl's)" : ""
        writer.writeFields([(DiagnosisText.heading(group, diagnosis) + ours, .bold)], indent: 0)
      }
      write(row, &rows, &writer)
    }
    if !diagnosis.rows.isEmpty { writeConclusion(diagnosis, &writer) }
    return writer.output
  }

  private func writeHeading(_ diagnosis: HostDiagnosis, _ writer: inout TextWriter) {
    let name = DiagnosisText.origin(of: diagnosis)
    var fields: [(text: String, style: TextStyle)] = [(name, .bold)]
    if diagnosis.sessions > 0 { fields.append((Wording.count(diagnosis.sessions, "session{s}"), .unstyled)) }
    if diagnosis.otherSessions > 0 {
      fields.append((Wording.count(diagnosis.otherSessions, "session{s} left out: not {a |}URL load{s}"), .dim))
    }
    if diagnosis.leftOut > 0 {
      fields.append(("\(Wording.count(diagnosis.leftOut, "session{s}")) not examined: a limit was reached", .yellow))
    }
    writer.writeFields(fields, indent: 0)
    if DiagnosisText.dependsOnOffer(diagnosis) {
      writer.writeLine(
        "undecided: the recorded client offered too little. audit reports FAIL, because this session broke the rule; a device, which "
          + "offers more, may succeed. To settle: record a device.", from: 2, indent: 2, style: .yellow)
    }
    if diagnosis.key == nil, !diagnosis.rows.isEmpty {
      let why =
        diagnosis.isHostHidden
        ? "the capture does not show the host name, so rows 3 to 16 may be undecided"
        : "an exception domain cannot name this host, so rows 3 to 16 equal row 1"
      writer.writeFields([(why, .dim)], indent: 2)
    }
  }

  /// Whether what the recorded clients did not offer is why the default is undecided.
  private static func dependsOnOffer(_ diagnosis: HostDiagnosis) -> Bool {
    guard let first = diagnosis.rows.first, first.result == .unknown else { return false }
    return first.reasons.contains(where: \.dependsOnOffer)
  }

  /// Returns the URL of the origin, without the scheme's default port.
  private static func origin(of diagnosis: HostDiagnosis) -> String {
    let isDefault = diagnosis.port == (diagnosis.isCleartext ? 80 : 443)
    let port = isDefault ? "" : ":\(diagnosis.port)"
    guard let text = diagnosis.host.text.map(DisplayText.escaped) else {
      return "host unknown (\(diagnosis.scheme), port \(diagnosis.port))"
    }
    return "\(diagnosis.scheme)://\(Endpoint.urlHost(text))\(port)"
  }

  private static func heading(_ group: String, _ diagnosis: HostDiagnosis) -> String {
    guard group.hasSuffix("HOST") else { return group }
    return group.dropLast("HOST".count) + (diagnosis.host.text.map(DisplayText.escaped) ?? "the host")
  }

  /// Writes a row; a reason is written only in the first row that has it.
  private func write(_ row: HostDiagnosis.Row, _ known: inout [String: Int], _ writer: inout TextWriter) {
    let number = row.configuration.row
    writer.tab(to: number < 10 ? 3 : 2)
    writer.write("\(number)")
    writer.tab(to: 6)
    writer.writeWrapped(row.configuration.title, indent: 8)
    let column = 62
    if options.width >= 80, writer.column < column {
      writer.tab(to: column)
    } else if writer.column + 2 + row.result.rawValue.utf8.count > options.width {
      writer.endLine()
      writer.tab(to: 8)
    } else {
      writer.tab(to: writer.column + 2)
    }
    writer.write(row.result.rawValue, DiagnosisText.style(row.result))
    writeErrors(row, &writer)
    writer.endLine()
    let reasons = row.reasons.map { DiagnosisText.text(of: $0) }
    guard !reasons.isEmpty else { return }
    if let first = known[reasons.joined(separator: "\n")] {
      writer.writeFields([("same reasons as row \(first)", .dim)], indent: 8)
    } else {
      known[reasons.joined(separator: "\n")] = number
      writeReasons(of: row, &writer)
    }
    if row.isCauseElsewhere {
      writer.writeFields([("ATS is off in this row, so ATS is not the cause", .yellow)], indent: 8)
    }
  }

  private func writeReasons(of row: HostDiagnosis.Row, _ writer: inout TextWriter) {
    for reason in row.reasons { writer.writeLine(DiagnosisText.text(of: reason), from: 8, indent: 10) }
  }

  /// Writes the errors of a row after its result, or on the next line if they do not fit.
  private func writeErrors(_ row: HostDiagnosis.Row, _ writer: inout TextWriter) {
    guard !row.errors.isEmpty else { return }
    let errors = row.errors.map(Wording.possibleErrors).joined(separator: "; ")
    if writer.column + 2 + errors.utf8.count > options.width {
      writer.endLine()
      writer.tab(to: 8)
    } else {
      writer.write("  ")
    }
    writer.writeWrapped(errors, indent: 8)
  }

  private func writeConclusion(_ diagnosis: HostDiagnosis, _ writer: inout TextWriter) {
    writer.endLine()
    let text: String
    if diagnosis.rows.first?.result == .pass {
      text = "no exception is needed"
    } else if DiagnosisText.dependsOnOffer(diagnosis) {
      text = "no exception is known to be needed; record a device"
    } else if let narrowest = diagnosis.narrowestRow,
      let row = diagnosis.rows.first(where: { $0.configuration.row == narrowest })
    {
      text =
        "row \(narrowest), \(row.configuration.title), is the narrowest that is known to pass; "
        + "'atscope recommend' finds the narrowest exception"
    } else if let row = diagnosis.rows.first(where: { $0.result == .pass }) {
      text =
        "row \(row.configuration.row), \(row.configuration.title), is the first that passes; "
        + "'atscope recommend' finds the narrowest exception"
    } else if diagnosis.rows.contains(where: { $0.result != .fail }) {
      let shown = diagnosis.rows.first?.result == .fail ? "what fails, and the fix" : "what settles it"
      text = "no row is known to pass; 'atscope audit' shows \(shown)"
    } else {
      text = "no row passes: no Info.plist key helps; 'atscope audit' shows the fix"
    }
    writer.writeLine(text, indent: 0)
  }

  fileprivate static func text(of reason: HostDiagnosis.Reason) -> String {
    let rules = Wording.rules(reason.rules)
    let text = DisplayText.escaped(reason.text)
    let what = reason.isFailure ? "\(rules): \(text)" : "\(rules) undecided: \(text)"
    return "\(what) (frame \(reason.frame)\(reason.sessions > 1 ? ", \(Wording.count(reason.sessions, "session{s}"))" : ""))"
  }

  private static func style(_ result: HostDiagnosis.Outcome) -> TextStyle {
    switch result {
    case .pass: .green
    case .fail: .red
    case .mixed, .unknown: .yellow
    }
  }
}

extension HostDiagnosis.Row {
  /// Whether both rows have the same results for the same reasons.
  fileprivate func isLike(_ other: HostDiagnosis.Row) -> Bool {
    result == other.result && errors == other.errors && isCauseElsewhere == other.isCauseElsewhere
      && reasons.map(DiagnosisText.text) == other.reasons.map(DiagnosisText.text)
  }
}
