import ATSEvaluation
import Reporting
import SessionObservation

/// Gathers what the sessions come to while they come.
struct SnapshotSink: SessionSink, ~Copyable {
  private(set) var snapshot = AuditSnapshot()
  private var judge: ProgramJudges
  private let hosts: [HostPattern]

  init(_ options: AuditOptions) {
    judge = ProgramJudges(options)
    hosts = options.hosts
  }

  mutating func take(_ session: ObservedSession) {
    let judgement = judge.judge(session)
    if session.isShown(hosts) { snapshot.add(session, judgement) }
  }
}
