package import ATSEvaluation
package import ByteParsing
package import SessionModel
package import SessionRecords

/// A report with an object on each line: the run, each session, the summary. It is also the format of saved sessions.
package struct NDJSONReport: SessionReport {
  private var encoder: SessionEncoder

  /// Whether the line of a session contains only its judgement.
  private let isOfJudgements: Bool

  private var unit: String?
  private var ordinal = 0

  /// Creates a report: with `isOfJudgements`, of judgements only; with `isCompact`, of sessions that cannot be judged again.
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

  /// Restarts the numbering of sessions.
  package mutating func beginUnit() { ordinal = 0 }

  package mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes) {
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

  package mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void) {
    output.appendJSONLine(summary)
  }
}
