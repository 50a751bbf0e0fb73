package import ATSEvaluation
package import ByteParsing
package import SessionModel
package import SessionRecords

/// An object a line: the run, each session, the summary. This is also what saved sessions are.
package struct NDJSONReport: SessionReport {
  private var encoder: SessionEncoder

  /// Lines leave as sessions end, and no host is remembered.
  package let needsHosts = false

  /// Whether a session's line is its judgement alone.
  private let isOfJudgements: Bool

  private var unit: String?
  private var ordinal = 0

  /// Creates the writer of one report: of the judgements alone if `isOfJudgements`, of records that cannot be judged again if `isCompact`.
  package init(isOfJudgements: Bool = false, isCompact: Bool = false) {
    self.isOfJudgements = isOfJudgements
    encoder = SessionEncoder(isCompact: isCompact)
  }

  package mutating func begin(_ run: RunRecord, to output: inout Bytes) {
    ordinal = 0
    if case .text(let name) = run.options.first(where: { $0.name == "unit" })?.value {
      unit = name
    } else {
      unit = nil
    }
    output.appendJSONLine(run)
  }

  /// Begins the numbering of sessions anew.
  package mutating func beginUnit() { ordinal = 0 }

  package mutating func append(
    _ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes
  ) {
    if isOfJudgements, let judgement {
      encoder.append(judgement, of: session, unit: unit, ordinal: ordinal, to: &output)
    } else {
      encoder.append(session, judgement, to: &output)
    }
    ordinal += 1
    output.append(UInt8(ascii: "\n"))
  }

  package mutating func append(_ input: InputRecord, to output: inout Bytes) {
    output.appendJSONLine(input)
  }

  package mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes) {
    output.appendJSONLine(summary)
  }
}
