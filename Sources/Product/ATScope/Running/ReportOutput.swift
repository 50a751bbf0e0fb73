import ATSEvaluation
import ByteParsing
import Reporting
import SessionModel
import SessionRecords

/// One report and its destination.
struct ReportOutput {
  /// The format, for the record of the run.
  let format: ReportOptions.Format

  private var report: any SessionReport

  /// Whether the report receives individual sessions; stored, because it is checked for each session.
  private let takesSessions: Bool

  private var buffer = Bytes()
  private let write: (Bytes) -> Bool

  /// Whether the destination still has a reader.
  private(set) var isWanted = true

  /// The number of bytes that are buffered before a write.
  private static let chunk = 64 * 1024

  init(_ format: ReportOptions.Format, _ report: any SessionReport, _ write: @escaping (Bytes) -> Bool) {
    self.format = format
    self.report = report
    takesSessions = report.takesSessions
    self.write = write
  }

  var needsHosts: Bool { report.needsHosts }
  var waitsForEnd: Bool { report.waitsForEnd }

  mutating func begin(_ run: RunRecord) {
    report.begin(run, to: &buffer)
    flush(atLeast: ReportOutput.chunk)
  }

  mutating func beginUnit() { report.beginUnit() }

  mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?) {
    guard isWanted, takesSessions else { return }
    report.append(session, judgement, to: &buffer)
    flush(atLeast: ReportOutput.chunk)
  }

  /// Appends the record of an input and writes all output so far, so that a crash does not lose completed inputs.
  mutating func append(_ input: InputRecord) {
    guard isWanted else { return }
    report.append(input, to: &buffer)
    flush(atLeast: 0)
  }

  mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord) {
    guard isWanted else { return }
    let write = write
    var isWanted = true
    report.end(hosts, summary, to: &buffer) { part in
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
