public import ATSEvaluation
public import ByteParsing
public import SessionObservation
public import SessionRecords

/// An object a line: the run, each session, the summary. This is also what saved sessions are.
public struct NDJSONReport: SessionReport {
  private var encoder = SessionEncoder()

  /// Lines leave as sessions end, and no host is remembered.
  public let needsHosts = false

  /// Creates the writer of one report.
  public init() {}

  /// Appends the line of the run.
  public mutating func begin(_ run: RunRecord, to output: inout Bytes) {
    output.appendJSON(run)
    output.append(0x0A)
  }

  /// Appends the line of a session.
  public mutating func append(
    _ session: ObservedSession, _ judgement: Judgement?, to output: inout Bytes
  ) {
    encoder.append(session, judgement, to: &output)
    output.append(0x0A)
  }

  /// Appends the line of an input.
  public mutating func append(_ input: InputRecord, to output: inout Bytes) {
    output.appendJSON(input)
    output.append(0x0A)
  }

  /// Appends the line of the summary.
  public mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes) {
    output.appendJSON(summary)
    output.append(0x0A)
  }
}
