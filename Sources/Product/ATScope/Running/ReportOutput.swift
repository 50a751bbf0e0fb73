import ATSEvaluation
import ByteParsing
import Reporting
import SessionModel
import SessionRecords

/// One report and where it goes.
struct ReportOutput {
  /// Which report it is, for the record of the run.
  let format: ReportOptions.Format

  private var form: any SessionReport

  /// Whether it is told of sessions one by one; kept here, where it is asked for each.
  private let takesSessions: Bool

  private var buffer = Bytes()
  private let write: (borrowing Bytes) -> Bool

  /// Whether somebody still reads it.
  private(set) var isWanted = true

  /// Bytes that are gathered before they are written.
  private static let chunk = 64 * 1024

  init(
    _ format: ReportOptions.Format, _ form: any SessionReport, _ write: @escaping (borrowing Bytes) -> Bool
  ) {
    self.format = format
    self.form = form
    takesSessions = form.takesSessions
    self.write = write
  }

  /// Whether the report is told of the hosts.
  var needsHosts: Bool { form.needsHosts }

  /// Whether nothing is written before the end.
  var waitsForEnd: Bool { form.waitsForEnd }

  mutating func begin(_ run: RunRecord) {
    form.begin(run, to: &buffer)
    flush(atLeast: ReportOutput.chunk)
  }

  mutating func beginUnit() { form.beginUnit() }

  mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?) {
    guard isWanted, takesSessions else { return }
    form.append(session, judgement, to: &buffer)
    flush(atLeast: ReportOutput.chunk)
  }

  /// Appends an input's account, and writes at once what there is: a crash leaves no finished input unwritten.
  mutating func append(_ input: InputRecord) {
    guard isWanted else { return }
    form.append(input, to: &buffer)
    flush(atLeast: 0)
  }

  mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord) {
    guard isWanted else { return }
    let write = write
    var isWanted = true
    form.end(hosts, summary, to: &buffer) { part in
      guard part.count >= ReportOutput.chunk else { return }
      isWanted = isWanted && write(part)
      part.removeAll(keepingCapacity: true)
    }
    self.isWanted = isWanted
    flush(atLeast: 0)
  }

  private mutating func flush(atLeast count: Int) {
    guard buffer.count >= count else { return }
    isWanted = isWanted && write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
