package import ATSEvaluation
import ATSRules
package import ByteParsing
package import SessionModel
package import SessionRecords
import Values

/// The report of `--format json`, one object: `{"run":…,"sessions":[…],"hosts":[…],"summary":…}`.
///
/// Sessions are written as they arrive; only hosts are retained until the end.
package struct JSONReport: SessionReport {
  private let isCompact: Bool
  private var sessions: JSONSessionStream?
  package let needsHosts = true

  /// Creates a report; with `isCompact`, its sessions cannot be judged again.
  package init(isCompact: Bool = false) { self.isCompact = isCompact }

  package mutating func begin(_ run: RunRecord, to output: inout Bytes) {
    let encoder = SessionEncoder(isCompact: isCompact)
    sessions = JSONSessionStream(encoder, to: &output) { $0.object("run", run) }
  }

  package mutating func append(_ session: ObservedSession, _ judgement: Shared<Judgement>?, to output: inout Bytes) {
    sessions?.append(session, judgement, to: &output)
  }

  /// Appends the hosts, the summary and the end; `hosts` is nil for commands that do not judge.
  package mutating func end(_ hosts: HostCollector?, _ summary: SummaryRecord, to output: inout Bytes, flush: (inout Bytes) -> Void) {
    sessions?.end(to: &output) { json in
      json.newLine()
      json.objects("hosts", hosts?.report() ?? [], onLines: true)
      json.newLine()
      json.object("summary", summary)
    }
  }
}

extension HostReport: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.text("host", name ?? address.description)
    json.number("port", port)
    if !proxies.isEmpty { json.texts("proxies", proxies) }
    json.string("verdict", verdict.rawValue)
    json.string("best", best.rawValue)
    json.boolean("relaxed", isRelaxed)
    json.number("sessions", sessions)
    json.object("verdicts", verdicts)
    json.number("score", lowestScore?.score)
    json.number("bestScore", lowestScore == nil ? nil : groups.compactMap { $0.kept.score?.points }.max())
    let failing = groups.flatMap { $0.kept.unsettled.filter(\.isFailure).map(\.id) }
    json.strings("failingRules", failing.distinct())
  }
}
