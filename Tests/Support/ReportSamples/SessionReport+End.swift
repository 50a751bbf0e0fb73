package import ByteParsing
package import Reporting
package import SessionRecords

extension SessionReport {
  /// Appends the part after the sessions in one piece.
  package mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes) {
    end(hosts, summary, to: &output) { _ in }
  }
}
