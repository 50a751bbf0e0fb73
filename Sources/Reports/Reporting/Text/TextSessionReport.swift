package import ATSEvaluation
import ATSRules
package import ByteParsing
package import SessionModel
package import SessionRecords

/// The text as a session report: sessions that are not judged, or are listed individually, are written as they arrive;
/// hosts are written at the end.
package struct TextSessionReport: SessionReport {
  private let options: TextOptions
  private let judges: Bool
  private var run = RunRecord(toolVersion: "", policyVersion: "", command: "")

  package var needsHosts: Bool { judges }

  /// Whether the report lists hosts, which are written at the end.
  package var waitsForEnd: Bool { judges && options.grouping != .session }

  /// Whether the report lists sessions individually, not in the blocks of their hosts.
  package var takesSessions: Bool { !waitsForEnd }

  package init(_ options: TextOptions, judges: Bool) {
    self.options = options
    self.judges = judges
  }

  package mutating func begin(_ run: RunRecord, to output: inout Bytes) { self.run = run }

  /// Appends the block of a session if sessions are listed individually.
  package mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes) {
    guard let judgement else {
      SessionsText.append(session, options, to: &output)
      return
    }
    guard options.grouping == .session, options.detail != .quiet else { return }
    var pool: Set<Shared<Finding>> = []
    var group = SessionGroup(session, judgement, order: 0, &pool)
    group.count()
    var host = HostReport(session)
    host.groups = [group]
    host.verdicts.add(judgement)
    if options.shown?.isHit(by: host.verdicts) == false { return }
    var location = Wording.location(of: session)
    if let start = session.start { location += ", \(start)" }
    var writer = TextWriter(options)
    let steps = NextSteps(session, isTimeStated: Wording.isTimeStated(in: run))
    HostBlock(host: host, namesFiles: false, steps: steps, location: location).write(to: &writer)
    writer.endLine()
    output.append(contentsOf: writer.output)
  }

  /// Appends the text of an audit.
  package mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void) {
    guard judges, let hosts else { return }
    output.append(contentsOf: TextReport(run: run, hosts: hosts, summary: summary).rendered(options))
  }
}
